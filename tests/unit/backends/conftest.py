"""The shells in which the programs around a command are tried."""

from __future__ import annotations

import shutil

import pytest

SHELLS = {"dash": ("dash",), "busybox": ("busybox", "sh"), "bash": ("bash", "--posix")}


@pytest.fixture(params=["dash", *(pytest.param(name, marks=pytest.mark.slow) for name in ("bash", "busybox"))])
def shell(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The words that start a shell."""
    words = SHELLS[request.param]
    if shutil.which(words[0]) is None:
        pytest.skip(f"there is no {words[0]} here")
    return words
