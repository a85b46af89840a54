"""The Pythons under which the programs for clusters are tried: the one that runs the tests, and Python 2.7."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

NEW = sys.executable


@cache
def old() -> str:
    """Python 2.7: ``$PYTHON2``, ``python2.7``, or one that pyenv has; an empty text if this machine has none."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv"))
    places = [os.environ.get("PYTHON2"), shutil.which("python2.7")]
    places += map(str, pyenv.glob("versions/2.7*/bin/python2.7")) if os.access(pyenv, os.R_OK) else []
    works = (path for path in places if path and not subprocess.run([path, "-c", ""], capture_output=True).returncode)
    return next(works, "")


def interpreters() -> list[str]:
    """Both, as far as they are there."""
    return [NEW, old()] if old() else [NEW]


def pythons() -> list[ParameterSet]:
    """Both as parameters of tests; those with the old one are slow, and are skipped without it."""
    missing = pytest.mark.skipif(not old(), reason="there is no Python 2.7 here")
    return [pytest.param(NEW, id="python3"), pytest.param(old(), id="python2", marks=[pytest.mark.slow, missing])]


if __name__ == "__main__":
    print(old())
