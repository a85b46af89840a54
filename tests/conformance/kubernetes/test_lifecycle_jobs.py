"""How plain Jobs end and restart under the real Job controller: as predicted, and as it was recorded before.

The scenarios are ``tests/lifecycle/scenarios/kubernetes.toml``; the prediction of each is made before the controller
sees the Jobs. Below them is what no scenario can say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance.kubernetes.compiling import Compiled, accepted
from tests.conformance.kubernetes.created import Created, unused_name
from tests.conformance.kubernetes.playing import PlayedJobs, play_together
from tests.lifecycle.recorded import Scenario, compiled, differences, predicted, scenarios

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.playing import Runs
    from tests.conformance.kubernetes.work import Work

CHIEF = "role chief { }\n  role worker { replicas = 2 }\n  role ps { }"
ONE = "role worker { replicas = 2 }"


@pytest.fixture(scope="module")
def lives(work: Work, api: Api, request: pytest.FixtureRequest) -> Runs:
    """The selected scenarios, which all run at the same time."""
    return play_together(work, request, PlayedJobs)


@pytest.mark.parametrize("scenario", [one for one in scenarios("kubernetes") if one.version is None], ids=str)
def test_the_job_controller_does_what_is_predicted(lives: Runs, scenario: Scenario) -> None:
    made, _ = compiled(scenario)
    assert made is not None
    prediction = predicted(made, scenario.inject, finish=scenario.finish)
    seen = lives.of(scenario)
    assert differences(prediction, seen) == []
    assert seen == scenario.seen, "something else was recorded before"


def job(roles: str, *more: str) -> Compiled:
    body = "\n  ".join(('image = "x:1"', 'command = ["train"]', roles, *more))
    return accepted(f"job {unused_name('plain')} {{\n  {body}\n}}\n", "kubernetes")


class Running(Created):
    """Jobs whose pods have all been started. A task is written ``worker-0``; its pod has a random end in its name."""

    def __enter__(self) -> Running:
        super().__enter__()
        self.kubelet.until_running(len(self._made.tasks()))
        return self

    def exit(self, task: str, status: int) -> None:
        self.kubelet.exit(self.pod(task), status)

    def pod(self, task: str) -> str:
        """The pod of a task that runs."""
        found = [
            name
            for name, phase in self.kubelet.phases().items()
            if phase == "Running" and name.rpartition("-")[0] == f"{self.name}-{task}"
        ]
        assert len(found) == 1, f"{task}: {self.kubelet.phases()}"
        return found[0]

    def starts(self, task: str) -> int:
        """How many pods have been made for a task."""
        self.kubelet.pods()
        return sum(len(uids) for name, uids in self.kubelet.uids.items() if name.startswith(f"{self.name}-{task}-"))

    def started(self, task: str, times: int) -> None:
        """Wait until a task has its nth pod and that runs; the Job controller waits 10 s, then 20 s."""
        self.until(lambda: self.starts(task) == times, f"pod {times} of {task} is made", 60)
        self.until(lambda: bool(self.running().count(task)), f"{task} runs")

    def running(self) -> list[str]:
        """The tasks that run."""
        return [
            name.rpartition("-")[0].removeprefix(f"{self.name}-")
            for name, phase in self.kubelet.phases().items()
            if phase == "Running"
        ]

    def ends_as(self, role: str, condition: str, reason: str | None = None) -> None:
        name = f"{self.name}-{role}"
        self.until(lambda: condition in self.conditions("Job", name), f"{role}: {condition}")
        if reason is not None:
            assert self.conditions("Job", name)[condition] == reason

    def goes_on(self, *roles: str) -> None:
        """The Jobs of these roles have not ended, and do not for a second."""
        self.stays(
            lambda: not any({"Complete", "Failed"} & set(self.conditions("Job", f"{self.name}-{r}")) for r in roles),
            f"{roles} go on",
            1,
        )


# --- steps ---------------------------------------------------------------------------------------------------------

FETCH = 'prepare fetch { command = ["./fetch"] }'
LOG = 'sidecar log { image = "log:1" }'
BY_STATUS = ("on exit 42 => restart pod", "retries = 5")


@pytest.mark.parametrize("steps", [(FETCH,), (FETCH, LOG)], ids=["alone", "beside a sidecar"])
def test_the_status_of_a_prepare_step_is_told_apart(api: Api, steps: tuple[str, ...]) -> None:
    with Running(api, job(ONE, *steps, *BY_STATUS)) as it:
        it.kubelet.prepare_fails(it.pod("worker-0"), 42)
        it.started("worker-0", 2)
        it.kubelet.prepare_fails(it.pod("worker-0"), 41)
        it.ends_as("worker", "Failed", "PodFailurePolicy")


def test_the_status_of_a_stopped_sidecar_is_not_one_of_the_command(api: Api) -> None:
    with Running(api, job(ONE, LOG, *BY_STATUS)) as it:
        it.kubelet.exit(it.pod("worker-0"), 42, sidecar=143)
        it.started("worker-0", 2)
        it.goes_on("worker")


def test_restarts_of_steps_are_counted(api: Api) -> None:
    made = job(ONE, FETCH, LOG, "on failed => restart container", "retries = 2")
    assert "K8S025" in made.codes("info")
    with Running(api, made) as it:
        pod = it.pod("worker-0")
        it.kubelet.prepare_fails(pod, 3)
        it.kubelet.prepare_fails(pod, 3)
        it.goes_on("worker")
        it.kubelet.sidecar_restarts(pod, 1)
        it.ends_as("worker", "Failed", "BackoffLimitExceeded")


# --- limits --------------------------------------------------------------------------------------------------------


def test_ttl_removes_the_job_and_its_pods(api: Api) -> None:
    with Running(api, job(ONE, "ttl = 2s")) as it:
        it.exit("worker-0", 0)
        it.exit("worker-1", 0)
        it.until(lambda: not it.object("Job"), "the Job is removed")
        it.until(lambda: it.kubelet.phases() == {}, "its pods are removed")


def test_suspended_jobs_make_no_pods(api: Api) -> None:
    with Created(api, job(CHIEF, "suspend = true")) as it:
        it.until(lambda: "Suspended" in it.conditions("Job", f"{it.name}-ps"), "condition Suspended")
        it.stays(lambda: not it.kubelet.phases(), "no pods", 1)
