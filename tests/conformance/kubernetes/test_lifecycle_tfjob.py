"""How TFJobs end and restart under the real operator: as predicted, and as it was recorded before.

The scenarios are ``tests/lifecycle/scenarios/tfjob.toml``; the prediction of each is made before the operator sees the
job. Below them is what no scenario can say: a test says what happens to the pods, and the stand-in kubelet makes it so.
The operator is 1.8.1, so jobs are compiled for version 1.8.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.conformance.kubernetes.compiling import Compiled, accepted
from tests.conformance.kubernetes.created import Created, unused_name
from tests.conformance.kubernetes.playing import PlayedTFJob, play_together
from tests.lifecycle.recorded import Scenario, compiled, differences, predicted, scenarios

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.playing import Runs
    from tests.conformance.kubernetes.work import Work

CHIEF = "role chief { }\n  role worker { replicas = 2 }\n  role ps { }"
WORKERS = "role worker { replicas = 2 }\n  role ps { }"
VERSION = "1.8"


@pytest.fixture(scope="module")
def lives(work: Work, api: Api, request: pytest.FixtureRequest) -> Runs:
    """The selected scenarios, which all run at the same time."""
    return play_together(work, request, PlayedTFJob)


SCENARIOS = [one for one in scenarios("tfjob") if one.version == VERSION]


@pytest.mark.parametrize("scenario", [one for one in SCENARIOS if one.seen is not None], ids=str)
def test_the_operator_does_what_is_predicted(lives: Runs, scenario: Scenario) -> None:
    made, _ = compiled(scenario)
    assert made is not None
    prediction = predicted(made, scenario.inject, finish=scenario.finish)
    seen = lives.of(scenario)
    assert differences(prediction, seen) == []
    assert seen == scenario.seen, "something else was recorded before"


@pytest.mark.parametrize("scenario", [one for one in SCENARIOS if one.loose], ids=str)
def test_what_is_chance_ends_in_one_of_the_recorded_ways(lives: Runs, scenario: Scenario) -> None:
    assert lives.of(scenario).outcome in scenario.outcomes


def job(roles: str, *more: str) -> Compiled:
    body = "\n  ".join(('image = "x:1"', 'command = ["train"]', roles, *more))
    return accepted(f"job {unused_name('life')} {{\n  {body}\n}}\n", "tfjob", version=VERSION)


class Running(Created):
    """A TFJob whose pods have all been started."""

    def __enter__(self) -> Running:
        super().__enter__()
        self.kubelet.until_running(len(self._made.tasks()))
        self.ends_as("Running")
        return self

    def exit(self, task: str, status: int) -> None:
        self.kubelet.exit(f"{self.name}-{task}", status)

    def ends_as(self, condition: str) -> None:
        self.until(lambda: condition in self.conditions("TFJob"), f"condition {condition}; {self.conditions('TFJob')}")

    def left(self) -> dict[str, str]:
        """Task → phase of the pods that are there."""
        return {name.removeprefix(f"{self.name}-"): phase for name, phase in self.kubelet.phases().items()}

    def leaves(self, **pods: str) -> None:
        """The pods that stay, as ``task="Phase"`` with ``_`` for ``-``."""
        wanted = {name.replace("_", "-"): phase for name, phase in pods.items()}
        self.until(lambda: self.left() == wanted, f"pods {wanted}")
        self.stays(lambda: self.left() == wanted, f"pods {wanted}", 1)

    def starts(self, task: str) -> int:
        """How many pods have been made for a task."""
        self.kubelet.pods()
        return len(self.kubelet.uids[f"{self.name}-{task}"])

    def started(self, task: str, times: int) -> None:
        """Wait until a task has its nth pod, and all pods run."""
        self.until(lambda: self.starts(task) == times, f"pod {times} of {task} is made")
        self.kubelet.until_running(len(self._made.tasks()))

    def goes_on(self) -> None:
        """Nothing has ended the job."""
        conditions = self.conditions("TFJob")
        assert "Failed" not in conditions, conditions
        assert "Succeeded" not in conditions, conditions


# --- limits --------------------------------------------------------------------------------------------------------


def test_ttl_removes_the_job_and_its_pods(api: Api) -> None:
    with Running(api, job(CHIEF, "ttl = 2s", 'cleanup = "none"')) as it:
        it.exit("chief-0", 0)
        it.ends_as("Succeeded")
        it.until(lambda: not it.object("TFJob"), "the TFJob is removed", 30)
        it.leaves()


def test_suspended_job_makes_no_pods(api: Api) -> None:
    with Created(api, job(CHIEF, "suspend = true")) as it:
        it.until(lambda: "Suspended" in it.conditions("TFJob"), "condition Suspended")
        it.stays(lambda: not it.kubelet.phases(), "no pods", 1)


# --- steps ---------------------------------------------------------------------------------------------------------

FETCH = 'prepare fetch { command = ["./fetch"] }'


def test_a_failed_prepare_step_fails_the_job(api: Api) -> None:
    with Running(api, job(WORKERS, FETCH)) as it:
        it.kubelet.prepare_fails(f"{it.name}-worker-1", 3)
        it.ends_as("Failed")


def test_the_status_of_a_prepare_step_is_not_read(api: Api) -> None:
    """KTF120: status 3 of the command fails the job, status 3 of a step takes a new pod."""
    made = job(WORKERS, FETCH, "on exit 1..127 => fail job", "on failed => restart pod")
    assert "KTF120" in made.codes("warning")
    with Running(api, made) as it:
        it.kubelet.prepare_fails(f"{it.name}-worker-1", 3)
        it.started("worker-1", 2)
        it.goes_on()


def test_restarts_of_a_pending_pod_are_not_counted(api: Api) -> None:
    """KTF121: a prepare step that fails again and again never uses up the retries."""
    made = job(WORKERS, FETCH, "on failed => restart container", "retries = 2")
    assert "KTF121" in made.codes("info")
    with Running(api, made) as it:
        for _ in range(6):
            it.kubelet.prepare_fails(f"{it.name}-worker-1", 3)
            time.sleep(0.5)
        it.goes_on()


def test_restarts_of_a_sidecar_are_counted(api: Api) -> None:
    """KTF025: as many restarts of a sidecar as of the command end the job."""
    made = job(WORKERS, 'sidecar log { image = "log:1" }', "on failed => restart container", "retries = 2")
    assert "KTF025" in made.codes("info")
    with Running(api, made) as it:
        it.kubelet.sidecar_restarts(f"{it.name}-worker-1", 2)
        it.stays(lambda: "Failed" not in it.conditions("TFJob"), "two restarts are allowed", 2)
        it.kubelet.sidecar_restarts(f"{it.name}-worker-1", 1)
        it.ends_as("Failed")
