"""TensorFlow itself: a parameter server training whose workers and parameter servers are the task program's servers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.yarn.jobs import FOLDER_STORE, Job, Run

PROGRAM = Path(__file__).parents[1] / "kubernetes/in_pods/train.py"

TRAINING = f"""
job training {{
  command = [python, {json.dumps(str(PROGRAM))}, "coordinator", "export"]
  cpu = 1, memory = 1500Mi
  env = {{ TF_CPP_MIN_LOG_LEVEL = "2" }}
  mount host "${{shared}}" at "${{shared}}"
  output "export" to "${{shared}}/export"
  role chief {{}}
  role worker {{ server = true, replicas = 2 }}
  role ps {{ server = true }}
  target yarn {{ {FOLDER_STORE}, python = python, reuse_port = true }}
}}
"""


@pytest.mark.job(Job(TRAINING))
def test_a_parameter_server_training_converges(run: Run) -> None:
    assert run.status == 0, run.story
    assert run.by_task == {"chief[0]": 0, "worker[0]": 0, "worker[1]": 0, "ps[0]": 0}, run.story
    weights = json.loads((run.folder / "shared/export/weights.json").read_text())
    assert weights == pytest.approx([1, 2, 3, 4], abs=0.1)
