"""Gangs of containers, and a Hadoop of stand-ins."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.pythons import pythons
from tests.unit.backends.yarn.cluster import Cluster
from tests.unit.backends.yarn.gang import Gang, reaped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def gang(tmp_path: Path) -> Iterator[Gang]:
    """A gang under the Python that runs the tests."""
    yield from reaped(Gang(tmp_path, sys.executable))


@pytest.fixture(params=pythons())
def each(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Gang]:
    """A gang under every Python there is to try."""
    yield from reaped(Gang(tmp_path, request.param))


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    """Hadoop 3.4."""
    return Cluster(tmp_path)
