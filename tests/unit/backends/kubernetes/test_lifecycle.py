"""How Jobs live, beside the recorded runs: what a patch changes, and rules that the compiler does not write."""

from __future__ import annotations

import pytest

from tests.lifecycle.recorded import Observation, backend_of, compile_lines, observation, predicted, scenarios

WORKERS = "role worker { replicas = 3 }\n"


def seen(lines: str, *faults: str, version: str = "1.34") -> Observation:
    made, diagnostics = compile_lines(lines, backend_of("kubernetes"), version)
    assert made is not None, [one.message for one in diagnostics]
    return observation(predicted(made, faults))


def test_no_recorded_run_is_left_out() -> None:
    assert len(scenarios("kubernetes")) == 58


@pytest.mark.parametrize(
    ("rule", "parts"),
    [
        ('{ succeededIndexes = "0-1" }', "running"),
        ('{ succeededIndexes = "0,2" }', "succeeded"),
        ('{ succeededIndexes = "0,2", succeededCount = 1 }', "succeeded"),
        ("{ succeededCount = 2 }", "succeeded"),
        ("{ succeededCount = 3 }", "running"),
    ],
)
def test_a_patched_success_policy_decides(rule: str, parts: str) -> None:
    lines = f'{WORKERS}target kubernetes {{ patch "Job/seen-worker:spec.successPolicy" = {{ rules = [{rule}] }} }}'
    made, diagnostics = compile_lines(lines, backend_of("kubernetes"))
    assert made is not None, [one.message for one in diagnostics]
    faults = ("worker[0] completed after 1s", "worker[2] completed after 2s")
    end = observation(predicted(made, faults, finish=False))
    assert end.parts == {"worker": parts}
