"""Volcano jobs that the real API server takes come back from the language: the law of import, judged by the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance.kubernetes.coming_back import come_back
from tests.conformance.kubernetes.verdicts import Judge
from tests.importing.generated_volcano_jobs import COUNT, manifest

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api

COUNTS = (100, pytest.param(COUNT, marks=pytest.mark.long))
TAKEN = 0.88
"""This part of the generated Volcano jobs the server takes, at least."""


@pytest.fixture(scope="module")
def judge(api: Api) -> Judge:
    return Judge(api)


@pytest.mark.parametrize("count", COUNTS)
def test_generated_jobs_of_volcano_come_back(judge: Judge, count: int) -> None:
    """The manifest, what the server makes of it, and what import makes of both are one job to the server."""
    assert come_back(judge, "volcano", manifest, count) >= TAKEN * count
