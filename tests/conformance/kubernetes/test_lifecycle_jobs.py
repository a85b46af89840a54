"""How plain Jobs end and restart under the real Job controller, against what the language and our warnings say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance.kubernetes.compiling import Compiled, accepted
from tests.conformance.kubernetes.created import Created, unused_name

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api

CHIEF = "role chief { }\n  role worker { replicas = 2 }\n  role ps { }"
WORKERS = "role worker { replicas = 2 }\n  role ps { }"
ONE = "role worker { replicas = 2 }"
ALONE = "K8S063"
"""The warning that the other Jobs run on after a failure."""


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


# --- success -------------------------------------------------------------------------------------------------------


def test_chief_completes_its_own_job_only(api: Api) -> None:
    made = job(CHIEF)
    assert "K8S060" in made.codes("info")
    with Running(api, made) as it:
        it.exit("chief-0", 0)
        it.ends_as("chief", "Complete")
        it.goes_on("worker", "ps")
        assert it.running() == ["ps-0", "worker-0", "worker-1"]


def test_all_workers_complete_the_worker_job(api: Api) -> None:
    with Running(api, job(WORKERS)) as it:
        it.exit("worker-0", 0)
        it.goes_on("worker", "ps")
        it.exit("worker-1", 0)
        it.ends_as("worker", "Complete")
        it.goes_on("ps")


def test_worker_0_completes_the_worker_job_where_it_is_named(api: Api) -> None:
    with Running(api, job(WORKERS, "on worker[0] completed => complete job")) as it:
        it.exit("worker-1", 0)
        it.goes_on("worker")
        it.exit("worker-0", 0)
        it.ends_as("worker", "Complete")
        assert it.running() == ["ps-0"]


def test_worker_0_ends_the_worker_that_still_runs(api: Api) -> None:
    with Running(api, job(ONE, "on worker[0] completed => complete job")) as it:
        it.exit("worker-0", 0)
        it.ends_as("worker", "Complete")
        it.until(lambda: it.running() == [], "worker 1 is stopped")


# --- failure -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [1, 137])
def test_failure_fails_the_job_of_the_replica_only(api: Api, status: int) -> None:
    made = job(CHIEF)
    assert ALONE in made.codes("info")
    with Running(api, made) as it:
        it.exit("worker-1", status)
        it.ends_as("worker", "Failed", "BackoffLimitExceeded")
        it.goes_on("chief", "ps")
        assert it.running() == ["chief-0", "ps-0"]
        assert it.starts("worker-1") == 1


@pytest.mark.parametrize("end", ["evict", "delete"])
def test_lost_ps_fails_its_job(api: Api, end: str) -> None:
    with Running(api, job(CHIEF)) as it:
        pod = it.pod("ps-0")
        it.kubelet.evict(pod) if end == "evict" else it.kubelet.delete(pod)
        it.ends_as("ps", "Failed", "BackoffLimitExceeded")
        assert it.starts("ps-0") == 1


def test_restart_in_place_is_bounded_by_retries(api: Api) -> None:
    with Running(api, job(ONE, "on failed => restart container", "retries = 2")) as it:
        for task in ("worker-0", "worker-1"):  # the count is of the whole Job
            it.exit(task, 1)
            it.goes_on("worker")
        it.exit("worker-0", 137)
        it.ends_as("worker", "Failed", "BackoffLimitExceeded")
        assert (it.starts("worker-0"), it.starts("worker-1")) == (1, 1)


def test_job_that_restarted_in_place_still_completes(api: Api) -> None:
    with Running(api, job(ONE, "on failed => restart container", "retries = 1")) as it:
        it.exit("worker-0", 1)
        it.goes_on("worker")
        it.exit("worker-0", 0)
        it.exit("worker-1", 0)
        it.ends_as("worker", "Complete")


def test_restart_pod_is_bounded_by_retries(api: Api) -> None:
    with Running(api, job(ONE, "on failed => restart pod", "retries = 1")) as it:
        it.exit("worker-1", 1)
        it.started("worker-1", 2)
        it.exit("worker-1", 1)
        it.ends_as("worker", "Failed", "BackoffLimitExceeded")
        assert it.starts("worker-1") == 2


def test_evictions_are_made_good_and_not_counted(api: Api) -> None:
    made = job(CHIEF, "on evicted => restart pod", "retries = 1")
    assert "K8S066" in made.codes("warning")
    with Running(api, made) as it:
        for task in ("worker-0", "worker-1"):
            it.kubelet.evict(it.pod(task))
        it.started("worker-0", 2)
        it.started("worker-1", 2)
        it.goes_on("worker")
        it.exit("worker-0", 1)
        it.ends_as("worker", "Failed")
        assert it.starts("worker-0") == 2


def test_statuses_are_told_apart(api: Api) -> None:
    policies = ("on exit 1..127 => fail job", "on failed => restart pod")
    with Running(api, job(ONE, *policies, "retries = 5")) as it:
        it.exit("worker-1", 137)
        it.started("worker-1", 2)
        it.exit("worker-1", 127)
        it.ends_as("worker", "Failed", "PodFailurePolicy")


def test_single_status_restarts_and_all_others_fail(api: Api) -> None:
    with Running(api, job(ONE, "on exit 42 => restart pod", "retries = 5")) as it:
        it.exit("worker-0", 42)
        it.started("worker-0", 2)
        it.exit("worker-0", 41)
        it.ends_as("worker", "Failed", "PodFailurePolicy")


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
    assert "K8S025" in made.codes("warning")
    with Running(api, made) as it:
        pod = it.pod("worker-0")
        it.kubelet.prepare_fails(pod, 3)
        it.kubelet.prepare_fails(pod, 3)
        it.goes_on("worker")
        it.kubelet.sidecar_restarts(pod, 1)
        it.ends_as("worker", "Failed", "BackoffLimitExceeded")


# --- limits --------------------------------------------------------------------------------------------------------


def test_deadline_fails_every_job(api: Api) -> None:
    with Running(api, job(CHIEF, "deadline = 4s")) as it:
        for role in ("chief", "worker", "ps"):
            it.ends_as(role, "Failed", "DeadlineExceeded")
        it.until(lambda: it.running() == [], "nothing runs")


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
