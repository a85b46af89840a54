"""A folder with a job in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import JOB

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with ``mnist.tfjob``, which compiles for every target of the Kubernetes family."""
    (tmp_path / "mnist.tfjob").write_text(JOB)
    return tmp_path
