"""The stand-ins of Slurm, and jobs compiled for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.slurm.stand_in import Slurm

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def slurm(tmp_path: Path) -> Slurm:
    """A Slurm of stand-ins."""
    return Slurm(tmp_path)
