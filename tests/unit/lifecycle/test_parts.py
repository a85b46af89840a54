"""A job that a target makes several objects of, which end one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.lifecycle.jobs import CHIEF, injected, job, played
from tfdsl.lifecycle.behaviour import Behaviour, Decision
from tfdsl.lifecycle.scenario import Prediction, play
from tfdsl.record import replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tfdsl.lifecycle.behaviour import State, Task


def phases(prediction: Prediction) -> dict[str, str]:
    return {str(one.task): one.phase for one in prediction.replicas}


class OneByOne(Behaviour):
    """Each role ends by itself."""

    def parts(self) -> Iterable[str]:
        return [role.name for role in self.job.roles if role.name != "tensorboard"]

    def part_of(self, task: Task) -> str:
        return "" if task.role == "tensorboard" else task.role

    def on_exit(self, task: Task, status: int, state: State) -> Decision:
        return replace(super().on_exit(task, status, state), part=task.role)

    def on_completion(self, state: State) -> Decision | None:
        for part in self.parts():
            if part not in state.parts and all(one.phase == "succeeded" for _, one in state.of(part)):
                return Decision("complete job", f"{part} completed", part=part)
        return None

    def on_job_deadline(self, state: State) -> Iterable[Decision]:
        return [Decision("fail job", "the deadline has passed", part=p) for p in self.parts() if p not in state.parts]

    def nothing_left(self, state: State) -> bool:
        return False


def test_a_part_ends_once_though_several_of_it_fail_at_one_moment() -> None:
    end = play(OneByOne(job(CHIEF)), injected("worker exit 1 after 2s", "ps[0] exit 1 after 2s"), finish=False)
    assert (end.parts, phases(end)["worker[1]"]) == ({"chief": None, "worker": "failed", "ps": "failed"}, "failed")
    ends = [line for line in end.story if "has failed" in line]
    assert ends == ["worker has failed: worker[0] exited 1", "ps has failed: ps[0] exited 1"]


def test_a_part_ends_alone() -> None:
    end = play(OneByOne(job(CHIEF)), injected("chief[0] completed after 1s", "worker[1] exit 1 after 2s"))
    assert end.parts == {"chief": "succeeded", "worker": "failed", "ps": None}
    assert (end.outcome, end.left()) == (None, {"chief[0]": "succeeded", "worker[1]": "failed", "ps[0]": "running"})


def test_the_job_ends_with_the_last_part() -> None:
    faults = ("chief[0] completed after 1s", "worker[1] exit 1 after 2s", "ps[0] completed after 3s")
    end = play(OneByOne(job(CHIEF)), injected(*faults))
    assert (end.outcome, end.cause) == ("failed", "worker[1] exited 1")


def test_a_deadline_ends_every_part_that_is_left() -> None:
    end = play(OneByOne(job(CHIEF, "deadline = 4s")), injected("chief[0] completed after 1s"), finish=False)
    assert end.parts == {"chief": "succeeded", "worker": "failed", "ps": "failed"}


def test_what_happens_in_a_part_that_has_ended_decides_nothing() -> None:
    lines = (CHIEF, "on exit 3 => fail job", "on failed => restart pod")
    end = play(OneByOne(job(*lines)), injected("worker[1] exit 3 after 2s", "worker[0] exit 1 after 3s"), finish=False)
    assert end.parts == {"chief": None, "worker": "failed", "ps": None}
    assert end.retries == 0


def test_a_preempted_pod_is_gone_and_an_evicted_one_is_not() -> None:
    assert phases(played(CHIEF, "worker[1] preempted"))["worker[1]"] == "gone"
    assert phases(played(CHIEF, "worker[1] evicted"))["worker[1]"] == "lost"
