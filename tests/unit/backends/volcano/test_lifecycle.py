"""How jobs live on Volcano, beside the recorded runs: what the compiler adds does what the job says."""

from __future__ import annotations

import pytest

from tests.lifecycle.recorded import (
    Observation,
    backend_of,
    compile_lines,
    differences,
    observation,
    predicted,
    scenarios,
    unsaid,
)

VOLCANO = backend_of("volcano")
RELEASES = ("1.9", "1.11", "1.12.0", "1.15")
PS_AND_WORKERS = "role ps { }\nrole worker { replicas = 2 }\n"
BOTH = {"worker[0]": "succeeded", "worker[1]": "succeeded"}


def seen(lines: str, *faults: str, version: str = "1.15", finish: bool = True) -> Observation:
    made, diagnostics = compile_lines(lines, VOLCANO, version)
    assert made is not None, [one.message for one in diagnostics]
    return observation(predicted(made, faults, finish=finish))


def test_no_recorded_run_is_left_out() -> None:
    recorded = [run.name for run in scenarios("volcano")]
    assert len(unsaid("volcano")) == 6
    assert len({name for name in (*recorded, *unsaid("volcano")) if name[:1] == "s"}) == 85
    assert len([name for name in recorded if name[:1] != "s"]) == 21 + 117  # the second series has all but s


@pytest.mark.parametrize(
    ("policies", "status", "restarts"),
    [
        ("on evicted => restart pod", 143, {"worker[1]": 1}),
        ("on evicted => restart role", 143, {"worker[0]": 1, "worker[1]": 1}),
        ("on evicted => ignore", 143, {"worker[1]": 1}),
        ("on evicted => restart job", 143, {"ps[0]": 1, "worker[0]": 1, "worker[1]": 1}),
        ("on evicted => restart job", 137, {"ps[0]": 1, "worker[0]": 1, "worker[1]": 1}),
        ("on evicted => restart job\non failed => restart pod", 143, {"ps[0]": 1, "worker[0]": 1, "worker[1]": 1}),
    ],
)
@pytest.mark.parametrize("version", ["1.12.0", "1.15"])
def test_a_deleted_pod_counts_as_evicted(policies: str, status: int, restarts: dict[str, int], version: str) -> None:
    """With entries for the statuses of a deleted pod; a release that does not see its end needs none."""
    end = seen(PS_AND_WORKERS + policies, f"worker[1] preempted exit {status} after 1s", version=version)
    assert end == Observation("succeeded", restarts, BOTH, removed=False)


@pytest.mark.parametrize(("version", "restarted"), [("1.12.0", {"worker[1]": 1}), ("1.15", {})])
def test_a_good_end_of_a_deleted_pod_completes_its_task(version: str, restarted: dict[str, int]) -> None:
    faults = ("worker[0] completed after 1s", "worker[1] preempted exit 0 after 2s")
    end = seen(PS_AND_WORKERS + "on evicted => restart pod", *faults, version=version)
    assert (end.outcome, end.restarts) == ("succeeded", restarted)


@pytest.mark.parametrize(("version", "restarts"), [("1.5.0", 2), ("1.6", 2)])
def test_the_count_of_restarts_in_place_is_reached_in_every_release(version: str, restarts: int) -> None:
    """Before 1.6 it acts above ``maxRetry``, which is one less there."""
    faults = [f"worker[0] exit 1 after {second}s" for second in range(1, 9)]
    lines = "role worker { }\non failed => restart container\non worker restarted 2 => fail job"
    assert seen(lines, *faults, version=version).restarts == {"worker[0]": restarts}


def test_an_eviction_by_the_node_is_a_failure_with_a_status() -> None:
    """Seen: a pod that the kubelet turned away fired PodFailed."""
    lines = f"{PS_AND_WORKERS}on evicted => restart pod"
    assert seen(lines, "worker[1] evicted after 1s").restarts == {"worker[1]": 1}
    assert seen(lines, "worker[1] evicted exit 1 after 1s").outcome == "failed"


def test_restarts_in_place_count_from_0_in_a_new_pod() -> None:
    lines = f"{PS_AND_WORKERS}on worker failed => restart container\non ps failed => restart job\nretries = 1"
    faults = ["worker[0] exit 1 after 1s", "ps[0] exit 1 after 2s", "worker[0] exit 1 after 3s"]
    assert seen(lines, *faults).outcome == "succeeded"
    assert seen(lines, *faults, "worker[1] exit 1 after 4s").outcome == "failed"


def test_a_role_waits_for_the_minimum_of_those_of_its_after() -> None:
    lines = 'role ps { replicas = 2, min_available = 1 }\nrole worker { after = ["ps"] }'
    assert seen(lines, "ps[1] pending").outcome == "succeeded"
    assert seen(lines, "ps[0] pending", "ps[1] pending").outcome == "running"


def test_one_of_the_roles_of_an_after_can_be_enough() -> None:
    lines = 'role chief { }\nrole ps { }\nrole worker { after = ["ps", "chief"] }\n'
    assert seen(lines + "on worker completed => complete job", "ps[0] pending").outcome == "running"
    option = 'target volcano { after_any = ["worker"] }\n'
    assert seen(lines + option + "on worker completed => complete job", "ps[0] pending").outcome == "succeeded"


@pytest.mark.parametrize(("gang", "outcome"), [("true", "failed"), ("false", "succeeded")])
def test_without_a_policy_the_job_needs_as_many_successes_as_its_gang_has_replicas(gang: str, outcome: str) -> None:
    lines = f"role worker {{ replicas = 2 }}\non worker failed => ignore\ngang = {gang}"
    assert seen(lines, "worker[1] exit 1 after 1s").outcome == outcome


def test_tensorboard_starts_again_with_the_job() -> None:
    lines = 'role worker { }\nrole tensorboard { logdir = "/logs" }\non failed => restart job'
    assert seen(lines, "worker[0] exit 1 after 1s").restarts == {"tensorboard[0]": 1, "worker[0]": 1}


def test_unknown_is_about_the_whole_job() -> None:
    assert seen(f"{PS_AND_WORKERS}on unknown => abort job", "unknown after 1s").outcome == "aborted"
    assert seen(PS_AND_WORKERS, "unknown after 1s").outcome == "succeeded"


@pytest.mark.parametrize("version", RELEASES)
def test_a_patched_manifest_decides(version: str) -> None:
    patch = 'target volcano { patch "spec.policies" = [{ event = "*", action = "AbortJob" }] }'
    end = seen(f"role worker {{ }}\n{patch}", "worker[0] exit 7 after 1s", version=version)
    assert end == Observation("aborted", {}, {"worker[0]": "failed"}, removed=False)


def test_a_task_that_a_patch_adds_is_nobodys() -> None:
    task = '{ name = "extra", replicas = 1, template = { spec = { containers = [{ name = "x", image = "x" }] } } }'
    end = seen(f'role worker {{ }}\ntarget volcano {{ patch "spec.tasks" += [{task}] }}')
    assert differences_of(end) == []


def differences_of(end: Observation) -> list[str]:
    made, _ = compile_lines("role worker { }", VOLCANO)
    assert made is not None
    return differences(predicted(made, ()), end)
