"""What is predicted of a job's life on Slider is what the task program does there: every scenario, played."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lifecycle.recorded import Scenario, compiled, differences, predicted, scenarios
from tests.unit.backends.slider.lives import Life

if TYPE_CHECKING:
    from tests.unit.backends.slider.agents import Cluster

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("scenario", scenarios("slider"), ids=str)
def test_a_job_lives_and_ends_as_predicted(scenario: Scenario, quick_cluster: Cluster) -> None:
    made, _ = compiled(scenario)
    assert made is not None
    prediction = predicted(made, scenario.inject, finish=scenario.finish)
    seen = Life(quick_cluster, made.unit.job, scenario).live()
    assert differences(prediction, seen) == []
    assert seen == scenario.seen
