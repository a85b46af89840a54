"""Pages of docs/guide that train with TensorFlow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from docs.screens import stale
from tests.conformance import tensorflow

if TYPE_CHECKING:
    from pathlib import Path

PAGES = ["start.md", "roles.md"]
TEST = "tests/conformance/local/test_guide.py::test_a_page_that_trains"

INSTALLED = """#!/bin/sh
[ "$*" = "install --quiet tensorflow" ] && python3 -c "import tensorflow" 2>/dev/null || exit 3
"""
"""As pip, which has installed it already."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_trains(name: str, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "2")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    programs = tmp_path / "programs"
    programs.mkdir()
    real = tensorflow.programs(work)
    scripts = {program: f'#!/bin/sh\nexec "{real / program}" "$@"\n' for program in ("python3", "tensorboard")}
    for program, script in {"pip": INSTALLED, **scripts}.items():
        (programs / program).write_text(script)
        (programs / program).chmod(0o755)
    difference = stale(f"docs/guide/{name}", test=TEST, programs=programs)
    if difference:
        pytest.fail(difference, pytrace=False)
