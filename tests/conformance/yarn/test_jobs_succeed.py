"""Jobs that end well, and what their tasks were given."""

from __future__ import annotations

import json
import pytest

from tests.conformance.yarn.jobs import COMMAND, FOLDER_STORE, SMALL, Job, Run

MNIST = f"""
job mnist {{
  {COMMAND}
  {SMALL}
  role chief {{ args = ["sleep=1"] }}
  role worker {{ replicas = 2 }}
  role ps {{ args = ["serve"] }}
  target yarn {{ {FOLDER_STORE} }}
}}
"""


@pytest.mark.job(Job(MNIST))
def test_the_tasks_of_a_job_find_each_other_and_it_succeeds(run: Run) -> None:
    assert run.status == 0, run.story
    print(run.story); print(run.by_task); print(run.applications)
    print(json.dumps(run.records, indent=1)[:4000])
