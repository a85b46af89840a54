"""How TFJobs live under operators that no test runs, and what a patch changes of it."""

from __future__ import annotations

import pytest

from tests.lifecycle.recorded import Observation, backend_of, compile_lines, observation, predicted, scenarios

WORKERS = "role worker { replicas = 2 }\nrole ps { }\n"
IN_PLACE = f"{WORKERS}on failed => restart container\nretries = 1\n"


def seen(lines: str, *faults: str, version: str = "1.8") -> Observation:
    made, diagnostics = compile_lines(lines, backend_of("tfjob"), version)
    assert made is not None, [one.message for one in diagnostics]
    return observation(predicted(made, faults))


def test_no_recorded_run_is_left_out() -> None:
    assert len(scenarios("tfjob")) == 49


@pytest.mark.parametrize(("version", "outcome"), [("1.3", "failed"), ("1.5", "failed"), ("1.6", "succeeded")])
def test_lost_pods_are_made_again_from_1_6_on(version: str, outcome: str) -> None:
    assert seen(IN_PLACE, "worker[0] evicted after 1s", version=version).outcome == outcome


@pytest.mark.parametrize(
    ("version", "left"),
    [("1.9.3", {}), ("1.9", {}), ("1.9.4", {"worker[0]": "succeeded", "ps[0]": "running", "worker[1]": "pending"})],
)
def test_used_up_retries_leave_what_cleanup_says_from_1_9_4_on(version: str, left: dict[str, str]) -> None:
    faults = ("worker[0] completed after 1s", "worker[1] exit 1 after 2s", "worker[1] exit 1 after 3s")
    end = seen(f'{IN_PLACE}cleanup = "none"', *faults, version=version)
    assert (end.outcome, end.left) == ("failed", left)


def test_a_patch_decides() -> None:
    lines = f'{WORKERS}target tfjob {{ patch "spec.runPolicy.cleanPodPolicy" = "None" }}'
    end = seen(lines, "worker[0] exit 1 after 1s")
    assert end.left == {"worker[0]": "failed", "worker[1]": "running", "ps[0]": "running"}


@pytest.mark.parametrize(
    ("lines", "fault", "outcome"),
    [
        (WORKERS, "worker[1] exit 1 after 1s", "running"),  # all workers must succeed
        (f"role chief {{ }}\n{WORKERS}", "worker[1] exit 1 after 1s", "succeeded"),
        (f"role chief {{ }}\n{WORKERS}", "worker[1] evicted after 1s", "succeeded"),
        (f"role chief {{ }}\n{WORKERS}on exit 1..127 => fail job\non failed => restart pod\n",
         "worker[1] exit 3 after 1s", "succeeded"),
        (f"role chief {{ }}\n{WORKERS}", "ps[0] exit 1 after 1s", "failed"),
        (f"role chief {{ }}\n{WORKERS}", "chief exit 1 after 1s", "failed"),
    ],
)  # fmt: skip
def test_a_dynamic_worker_that_fails_passes(lines: str, fault: str, outcome: str) -> None:
    """`UpdateJobStatus` looks at no failed worker where enableDynamicWorker is true."""
    assert seen(f"{lines}target tfjob {{ dynamic_workers = true }}", fault).outcome == outcome


@pytest.mark.parametrize(("status", "outcome"), [(143, "succeeded"), (1, "failed"), (0, "failed")])
def test_an_evicted_pod_restarts_by_the_status_of_its_command(status: int, outcome: str) -> None:
    lines = f"{WORKERS}on exit 1..127 => fail job\non failed => restart pod"
    assert seen(lines, f"worker[0] evicted exit {status} after 1s").outcome == outcome
