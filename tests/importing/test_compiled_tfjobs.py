"""What compile wrote comes back: a TFJob with its claims and TensorBoard gives the same documents again."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfdsl
from tests import flows
from tests.conformance.kubernetes.generated import job
from tests.headers import without_header
from tests.sampled import sampled
from tfdsl.importing.manifests import import_manifests
from tfdsl.text import Source

PATHS = sorted((Path(__file__).parents[2] / "examples").glob("*/expected/tfjob/*.yaml"))
EXAMPLES = [path for path in PATHS if path.parts[-4] not in flows.EXAMPLES]
ORDER = ("everything",)
"""What is said once for all roles comes before what only some have: these have their volumes in another order."""


QUICK = ("everything", "evaluator", "mnist", "spot")


@pytest.mark.parametrize(
    "path",
    [path if path.parts[-4] in QUICK else pytest.param(path, marks=pytest.mark.slow) for path in EXAMPLES],
    ids=[path.parts[-4] for path in EXAMPLES],
)
def test_examples_come_back(path: Path) -> None:
    text = path.read_text("utf-8")
    [result] = import_manifests([Source(path.name, text)])
    assert [one.message for one in result.diagnostics if one.level != "info"] == []
    assert [one.kept for one in result.jobs] == [True] * len(result.jobs)
    if path.parts[-4] not in ORDER:
        assert all(one.patches == 0 for one in result.jobs)
        assert without_header(tfdsl.compile(text=result.text, target="tfjob").text) == without_header(text)


@pytest.mark.parametrize("number", sampled(range(250), 10))
def test_generated_jobs_come_back(number: int) -> None:
    try:
        text = tfdsl.compile(text=job("tfjob", number), target="tfjob").text
    except tfdsl.CompileError:
        return
    [result] = import_manifests([Source("job.yaml", text)])
    assert [one.kept for one in result.jobs] == [True]
