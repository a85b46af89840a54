"""JobSets as people publish them: each compiles to the same again, with no more patches than its shape needs."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from tfdsl.importing.manifests import Imported, import_manifests
from tfdsl.text import Source

TEXTS = Path(__file__).with_name("jobset_shapes.yaml").read_text("utf-8").split("\n---\n")
SHAPES: dict[str, tuple[str, str]] = {
    name: (allowed, text)
    for text in TEXTS
    for name, _, allowed in [
        [line for line in text.splitlines() if line.startswith("# ")][-1].removeprefix("# ").partition(": ")
    ]
}
"""Name → the patches that it may need, or ``refused``, and the manifest."""


def imported(text: str) -> Imported:
    [result] = import_manifests([Source("job.yaml", text)])
    return result


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_comes_back(name: str) -> None:
    allowed, text = SHAPES[name]
    result = imported(text)
    if allowed == "refused":
        [error] = [one for one in result.diagnostics if one.level == "error"]
        assert not result.jobs
        assert "--role " in error.helps[-1]
        return
    assert [job.kept for job in result.jobs] == [True], result.diagnostics
    assert result.jobs[0].patches <= int(allowed), result.text


def test_most_shapes_need_no_patch() -> None:
    allowed = [number for number, _ in SHAPES.values()]
    assert len(allowed) >= 40
    proved = [int(number) for number in allowed if number != "refused"]
    assert len(proved) >= 0.65 * len(allowed)
    assert median(proved) == 0


def test_what_runs_before_the_training_can_be_a_role() -> None:
    """The options that the error names give a job that waits until the others have completed."""
    _, text = SHAPES["initializers before the nodes"]
    named = {"dataset-initializer": "evaluator", "model-initializer": "ps"}
    [result] = import_manifests([Source("job.yaml", text)], named)
    assert [job.kept for job in result.jobs] == [True]
    assert 'dependsOn[name=dataset-initializer].status" = "Complete"' in result.text
