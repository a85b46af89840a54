"""The law of import for TFJobs that are made up: compiling what came of each gives the same TFJob again."""

from __future__ import annotations

import pytest

from tests.importing.generated_tfjobs import COUNT, manifest
from tests.sampled import sampled
from tfdsl.importing.manifests import import_manifests
from tfdsl.text import Source

QUICK = 15


def check(number: int) -> None:
    [result] = import_manifests([Source(f"{number}.json", manifest(number))])
    said = [one.message for one in result.diagnostics if one.level != "info"]
    assert [(job.target, job.kept) for job in result.jobs] == [("tfjob", True)], said


@pytest.mark.parametrize("number", range(QUICK))
def test_the_law(number: int) -> None:
    check(number)


@pytest.mark.parametrize("number", sampled(range(QUICK, COUNT), 10))
def test_the_law_of_many(number: int) -> None:
    check(number)
