"""What is predicted of a job's life is what YARN does with it: every recorded scenario, run again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.conformance.yarn.lives import culprit, job, observed
from tests.lifecycle.recorded import Observation, Scenario, compiled, differences, observation, predicted, scenarios

if TYPE_CHECKING:
    from tests.conformance.yarn.jobs import Run
    from tfdsl.lifecycle.scenario import Prediction


def prediction(scenario: Scenario) -> Prediction:
    made, diagnostics = compiled(scenario)
    assert made is not None, diagnostics
    return predicted(made, scenario.inject, finish=scenario.finish)


def marks(number: int, scenario: Scenario) -> list[pytest.MarkDecorator]:
    """One of four is run every time; the others take long."""
    return [pytest.mark.job(job(scenario)), *([pytest.mark.long] if number % 4 else [])]


LIVES = [
    pytest.param(one, prediction(one), marks=marks(number, one), id=one.name.replace(" ", "-"))
    for number, one in enumerate(one for one in scenarios("yarn") if one.source.startswith("seen"))
]


@pytest.mark.parametrize(("scenario", "expected"), LIVES)
def test_a_job_lives_and_ends_as_predicted(scenario: Scenario, expected: Prediction, run: Run) -> None:
    seen = observed(run)
    assert scenario.seen is not None
    looked_at = Observation(seen.outcome, seen.restarts, seen.left if scenario.seen.left is not None else None, None)
    assert differences(expected, looked_at) == [], run.story
    assert looked_at == scenario.seen, f"recorded: {scenario.seen}; predicted: {observation(expected)}"
    assert run.status == {"succeeded": 0, "failed": 2}[str(expected.outcome)]
    if run.status and not expected.retries:  # after a restart the client may show what an earlier try has written
        assert re.search(culprit(expected.cause), run.output), "submit.sh says who has failed"
