"""A Python with TensorFlow, for the jobs that really train."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.conformance import tensorflow
from tests.conformance.yarn.jars import NotBuiltError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.yarn.work import Work


def environment(work: Work) -> Path:
    """The virtual environment that has it."""
    return tensorflow.environment(work.folder)


def python(work: Work) -> Path:
    """Its Python."""
    return tensorflow.programs(work.folder) / "python"


def install(work: Work) -> None:
    """Make an environment with TensorFlow in the work folder; raise when it cannot be had."""
    try:
        tensorflow.install(work.folder)
    except tensorflow.NotInstalledError as problem:
        raise NotBuiltError(str(problem)) from problem
