"""What compile wrote comes back: a Volcano job with its claims and TensorBoard's Service gives the same documents."""

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

ANOTHER_WAY = ("everything", "spot")
"""What is said once for all roles comes before what only some have, and what a policy says twice is said once."""

PATHS = sorted((Path(__file__).parents[2] / "examples").glob("*/expected/volcano/*.yaml"))
EXAMPLES = [path for path in PATHS if path.parts[-4] not in flows.EXAMPLES]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parts[-4])
def test_examples_come_back(path: Path) -> None:
    text = path.read_text("utf-8")
    [result] = import_manifests([Source(path.name, text)])
    assert [one.message for one in result.diagnostics if one.level != "info"] == []
    assert [one.kept for one in result.jobs] == [True] * len(result.jobs)
    if path.parts[-4] not in ANOTHER_WAY:
        assert all(one.patches == 0 for one in result.jobs), result.text
        assert without_header(tfdsl.compile(text=result.text, target="volcano").text) == without_header(text)


@pytest.mark.parametrize("number", sampled(range(250), 10))
def test_generated_jobs_come_back(number: int) -> None:
    try:
        text = tfdsl.compile(text=job("volcano", number), target="volcano").text
    except tfdsl.CompileError:
        return
    [result] = import_manifests([Source("job.yaml", text)])
    assert [one.kept for one in result.jobs] == [True]
