"""Nodes that are lost. Each test takes a node from the jobs of others, so nothing else runs meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance.slurm import jobs
from tests.conformance.slurm.jobs import COMMAND, SMALL, Job, Run

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    from tests.conformance.slurm.cluster import Cluster

TEXT = f"""
job loses {{
  {COMMAND}
  {SMALL}
  POLICY
  role chief {{ args = ["alone", "until=${{shared}}/go"] }}
  role worker {{ args = ["alone", "serve"], spread = "node", replicas = 2 }}
}}
"""


@pytest.fixture(scope="module", autouse=True)
def alone(runs: dict[str, Future[Run]]) -> None:
    """Wait until all other jobs have ended."""
    for other in runs.values():
        other.exception()


def lose_a_node(run: Run) -> None:
    """The daemon of a node without the batch script ends, and comes back when Slurm has noticed."""
    first = run.until_running("chief")["environment"]["SLURMD_NODENAME"]
    nodes = [run.until_running("worker", index)["environment"]["SLURMD_NODENAME"] for index in (0, 1)]
    lost = next(node for node in nodes if node != first)
    run.cluster.kill_node(lost)
    (run.folder / "shared/lost").write_text(lost)
    run.until(lambda: "DOWN" in run.cluster.ask("scontrol", "show", "node", lost))
    run.cluster.start_node(lost)
    run.until(lambda: run.cluster.state(run.id) not in ("RUNNING", "COMPLETING"))
    if run.cluster.state(run.id) == "PENDING":
        run.start_at_once()
    (run.folder / "shared/go").touch()


def test_a_job_starts_again_when_a_node_is_lost(cluster: Cluster, home: Path) -> None:
    job = Job(TEXT.replace("POLICY", "on evicted => restart job"), meanwhile=lose_a_node)
    run = jobs.run(cluster, job, home / "again")
    assert run.status == 0, run.story
    assert "a node was lost: restart job (1 of 3 retries used)" in run.log
    assert run.tries("chief")[-1]["try"] == 2


@pytest.mark.long
def test_a_job_fails_when_a_node_is_lost(cluster: Cluster, home: Path) -> None:
    run = jobs.run(cluster, Job(TEXT.replace("POLICY", ""), meanwhile=lose_a_node), home / "fails")
    assert run.status == 75, run.story
    assert cluster.state(run.id) in ("NODE_FAIL", "FAILED")
    assert run.starts == {"chief[0]": 1, "worker[0]": 1, "worker[1]": 1}
