"""What is predicted is what real controllers did: every recorded run of every target."""

from __future__ import annotations

import pytest

from tests.lifecycle.recorded import Scenario, backend_of, compiled, differences, predicted, recorded, scenarios, unsaid

RUNS = [scenario for target in recorded() for scenario in scenarios(target)]
PLAYED = [scenario for scenario in RUNS if scenario.seen is not None]
OTHERS = [scenario for scenario in RUNS if scenario.seen is None]


@pytest.mark.parametrize("run", PLAYED, ids=str)
def test_the_prediction_is_what_was_seen(run: Scenario) -> None:
    made, diagnostics = compiled(run)
    assert made is not None, [one.message for one in diagnostics]
    assert run.seen is not None
    prediction = predicted(made, run.inject, finish=run.finish)
    if run.chance:
        assert prediction.others
        assert any(differences(one, run.seen) == [] for one in (prediction, *prediction.others))
    else:
        assert differences(prediction, run.seen) == []


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_what_is_reported(run: Scenario) -> None:
    _, diagnostics = compiled(run)
    reported = {one.rule.code for one in diagnostics}
    by_chance = run.loose or run.chance
    rows = {row.key for row in backend_of(run.target).support.rows}
    assert reported >= {*run.said, *([by_chance] if by_chance and by_chance not in rows else [])}
    errors = [one.rule.code for one in diagnostics if one.level == "error"]
    assert errors == ([run.refused] if run.refused else [])


@pytest.mark.parametrize("run", [run for run in OTHERS if run.loose], ids=str)
def test_what_cannot_be_foreseen_was_seen_to_end_in_different_ways(run: Scenario) -> None:
    assert set(run.outcomes) <= {"succeeded", "failed", "aborted", "running"}


@pytest.mark.parametrize("target", recorded())
def test_every_run_has_a_name_of_its_own(target: str) -> None:
    names = [run.name for run in scenarios(target)] + list(unsaid(target))
    assert len(names) == len(set(names))
