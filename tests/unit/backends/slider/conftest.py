"""The cluster of a test, under every Python that an agent may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pythons import NEW, pythons
from tests.unit.backends.slider.agents import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=pythons())
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cluster]:
    """A cluster whose agents run under that Python."""
    made = Cluster(tmp_path, request.param)
    yield made
    made.close()


@pytest.fixture
def quick_cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster under the newest Python only, for what does not depend on it."""
    made = Cluster(tmp_path, NEW)
    yield made
    made.close()
