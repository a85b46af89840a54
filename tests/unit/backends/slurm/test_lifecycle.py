"""How jobs live on Slurm where it differs from the language; tests/conformance/slurm compares with the real one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lifecycle.recorded import injected
from tests.unit.backends.slurm.compiled import outcome
from tfdsl import targets
from tfdsl.lifecycle.scenario import play

if TYPE_CHECKING:
    from tfdsl.lifecycle.scenario import Prediction

RUN = 'command = ["python3", "train.py"]'
ROLES = ("role chief { }", "role worker { replicas = 2 }", "role ps { }")


def played(*lines: str, inject: tuple[str, ...]) -> Prediction:
    made = outcome(RUN, *ROLES, *lines).made[0]
    backend = targets.find("slurm")
    assert backend is not None
    behaviour = backend.behaviour(made.unit, made.documents)
    assert behaviour is not None
    return play(behaviour, injected(inject))


@pytest.mark.parametrize(
    ("lines", "end", "started_again"),
    [
        ((), "failed", 0),
        (("on evicted => fail job", "on failed => restart pod"), "failed", 0),
        (("on evicted => restart job",), "succeeded", 4),  # Slurm takes the nodes of all back
        (("on worker evicted => restart job",), "succeeded", 4),
        (("on failed => restart container",), "succeeded", 4),  # the job starts again from the queue
        (("on worker failed => restart container",), "failed", 0),
    ],
)
def test_a_lost_node_is_about_the_whole_job(lines: tuple[str, ...], end: str, started_again: int) -> None:
    for event in ("worker[1] evicted", "worker[1] preempted", "worker[1] node lost", "preempted", "time limit"):
        seen = played(*lines, inject=(f"{event} after 5s",))
        assert (seen.outcome, seen.unplayed) == (end, ()), event
        assert sum(one.starts + one.restarts - 1 for one in seen.replicas) == started_again, event


@pytest.mark.parametrize(
    ("lines", "end", "started_again"),
    [
        (("on exit 137 => restart pod", "on failed => fail job"), "failed", 0),  # it leaves no status
        (("on failed => restart container", "on evicted => restart job"), "succeeded", 4),
        (("on failed => restart pod",), "succeeded", 1),
    ],
)
def test_a_replica_without_memory_is_lost(lines: tuple[str, ...], end: str, started_again: int) -> None:
    """The kernel ends its step with all processes: status 75."""
    seen = played(*lines, inject=("worker[1] oom after 5s",))
    assert seen.outcome == end
    assert sum(one.starts + one.restarts - 1 for one in seen.replicas) == started_again
    if end == "failed":
        assert "75" in seen.cause


@pytest.mark.parametrize("cleanup", ["running", "all", "none"])
def test_all_steps_end_with_the_job(cleanup: str) -> None:
    seen = played(f'cleanup = "{cleanup}"', inject=("chief[0] completed after 5s",))
    assert seen.left() == {"chief[0]": "succeeded"}
