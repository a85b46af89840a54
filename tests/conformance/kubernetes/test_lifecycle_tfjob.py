"""How TFJobs end and restart under the real operator, against what the language and our warnings say.

A test says what happens to the pods; the stand-in kubelet makes it so. The operator is 1.8.1, so jobs are compiled for
version 1.8.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.conformance.kubernetes.compiling import Compiled, accepted
from tests.conformance.kubernetes.created import Created, unused_name

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api

CHIEF = "role chief { }\n  role worker { replicas = 2 }\n  role ps { }"
WORKERS = "role worker { replicas = 2 }\n  role ps { }"


def job(roles: str, *more: str) -> Compiled:
    body = "\n  ".join(('image = "x:1"', 'command = ["train"]', roles, *more))
    return accepted(f"job {unused_name('life')} {{\n  {body}\n}}\n", "tfjob", version="1.8")


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


# --- success -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cleanup", "left"),
    [
        ("running", {"chief_0": "Succeeded"}),
        ("all", {}),
        ("none", {"chief_0": "Succeeded", "ps_0": "Running", "worker_0": "Running", "worker_1": "Running"}),
    ],
)
def test_chief_ends_the_job(api: Api, cleanup: str, left: dict[str, str]) -> None:
    with Running(api, job(CHIEF, f'cleanup = "{cleanup}"')) as it:
        it.exit("chief-0", 0)
        it.ends_as("Succeeded")
        it.leaves(**left)


def test_chief_alone_decides(api: Api) -> None:
    with Running(api, job(CHIEF)) as it:
        it.exit("worker-0", 0)
        it.exit("worker-1", 0)
        it.stays(lambda: "Succeeded" not in it.conditions("TFJob"), "the job goes on", 2)
        it.exit("chief-0", 0)
        it.ends_as("Succeeded")


def test_all_workers_end_a_job_without_chief(api: Api) -> None:
    with Running(api, job(WORKERS)) as it:
        it.exit("worker-0", 0)
        it.stays(lambda: "Succeeded" not in it.conditions("TFJob"), "the job waits for worker 1", 2)
        it.exit("worker-1", 0)
        it.ends_as("Succeeded")
        it.leaves(worker_0="Succeeded", worker_1="Succeeded")


def test_worker_0_ends_the_job_where_it_is_named(api: Api) -> None:
    with Running(api, job(WORKERS, "on worker[0] completed => complete job")) as it:
        it.exit("worker-0", 0)
        it.ends_as("Succeeded")
        it.leaves(worker_0="Succeeded")


# --- failure -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["worker-1", "ps-0", "chief-0"])
@pytest.mark.parametrize("status", [1, 137])
def test_any_failure_fails_the_job(api: Api, task: str, status: int) -> None:
    with Running(api, job(CHIEF)) as it:
        it.exit(task, status)
        it.ends_as("Failed")
        it.leaves(**{task.replace("-", "_"): "Failed"})
        assert it.starts(task) == 1


def test_lost_ps_fails_the_job(api: Api) -> None:
    with Running(api, job(CHIEF)) as it:
        it.kubelet.evict(f"{it.name}-ps-0")
        it.ends_as("Failed")


def test_restart_in_place_is_bounded_by_retries(api: Api) -> None:
    with Running(api, job(CHIEF, "on failed => restart container", "retries = 2")) as it:
        for _ in range(2):
            it.exit("worker-0", 1)
            it.stays(lambda: "Failed" not in it.conditions("TFJob"), "a retry is left", 1)
        it.exit("worker-0", 1)
        it.ends_as("Failed")
        assert it.starts("worker-0") == 1


def test_retries_count_all_replicas_together(api: Api) -> None:
    with Running(api, job(CHIEF, "on failed => restart container", "retries = 2")) as it:
        for task in ("worker-0", "ps-0"):
            it.exit(task, 1)
        it.stays(lambda: "Failed" not in it.conditions("TFJob"), "retries are left", 1)
        it.exit("chief-0", 137)
        it.ends_as("Failed")


def test_job_that_restarted_still_succeeds(api: Api) -> None:
    with Running(api, job(CHIEF, "on failed => restart container", "retries = 3")) as it:
        it.exit("worker-0", 1)
        it.exit("chief-0", 0)
        it.ends_as("Succeeded")
        it.leaves(chief_0="Succeeded")


def test_restarted_n_fails_the_job(api: Api) -> None:
    made = job(CHIEF, "on failed => restart container", "on restarted 2 => fail job")
    with Running(api, made) as it:
        it.exit("worker-0", 1)
        it.stays(lambda: "Failed" not in it.conditions("TFJob"), "one restart", 1)
        it.exit("worker-1", 1)
        it.ends_as("Failed")


def test_lost_pod_is_made_again_under_restart_container(api: Api) -> None:
    made = job(CHIEF, "on failed => restart container", "on evicted => restart pod")
    assert "KTF082" in made.codes("warning")
    with Running(api, made) as it:
        it.kubelet.evict(f"{it.name}-worker-0")
        it.started("worker-0", 2)
        it.exit("chief-0", 0)
        it.ends_as("Succeeded")


@pytest.mark.parametrize(
    "policies",
    [
        ("on failed => restart container", "on evicted => restart pod"),
        ("on evicted => restart pod",),
        ("on exit 1..127 => fail job", "on failed => restart pod"),
    ],
)
def test_deleted_pod_fails_the_job_whatever_the_policy(api: Api, policies: tuple[str, ...]) -> None:
    """What the warnings KTF082 and KTF083 say of a drain; of the third case KTF075 says nothing about it."""
    made = job(CHIEF, *policies)
    assert {"KTF082", "KTF083", "KTF075"} & made.codes("warning")
    with Running(api, made) as it:
        it.kubelet.delete(f"{it.name}-worker-0")
        it.ends_as("Failed")
        assert it.starts("worker-0") == 1


def test_exit_code_restarts_from_128_and_fails_below(api: Api) -> None:
    made = job(CHIEF, "on exit 1..127 => fail job", "on failed => restart pod")
    assert "KTF075" in made.codes("warning")
    with Running(api, made) as it:
        for times in range(2, 7):  # more than the three retries: the warning says that nothing counts them
            it.exit("worker-1", 137)
            it.started("worker-1", times)
        it.goes_on()
        it.exit("worker-1", 127)
        it.ends_as("Failed")
        assert it.starts("worker-1") == 6


# --- limits --------------------------------------------------------------------------------------------------------


def test_deadline_fails_the_job(api: Api) -> None:
    with Running(api, job(CHIEF, "deadline = 4s")) as it:
        it.goes_on()
        it.stays(lambda: True, "time passes", 5)
        it.exit("worker-1", 0)  # the operator looks when something happens
        it.ends_as("Failed")


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
    assert "KTF121" in made.codes("warning")
    with Running(api, made) as it:
        for _ in range(6):
            it.kubelet.prepare_fails(f"{it.name}-worker-1", 3)
            time.sleep(0.5)
        it.goes_on()


def test_restarts_of_a_sidecar_are_counted(api: Api) -> None:
    """KTF025: as many restarts of a sidecar as of the command end the job."""
    made = job(WORKERS, 'sidecar log { image = "log:1" }', "on failed => restart container", "retries = 2")
    assert "KTF025" in made.codes("warning")
    with Running(api, made) as it:
        it.kubelet.sidecar_restarts(f"{it.name}-worker-1", 2)
        it.stays(lambda: "Failed" not in it.conditions("TFJob"), "two restarts are allowed", 2)
        it.kubelet.sidecar_restarts(f"{it.name}-worker-1", 1)
        it.ends_as("Failed")
