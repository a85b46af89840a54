"""The training of docs/guide/start.md, with TensorFlow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from docs.screens import stale
from tests.conformance import tensorflow

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "docs/guide/start.md"
TEST = "tests/conformance/local/test_guide.py::test_the_guide_trains"

INSTALLED = """#!/bin/sh
[ "$*" = "install --quiet tensorflow" ] && python3 -c "import tensorflow" 2>/dev/null || exit 3
"""
"""As pip, which has installed it already."""


def test_the_guide_trains(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "2")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    programs = tmp_path / "programs"
    programs.mkdir()
    scripts = {
        name: f'#!/bin/sh\nexec "{tensorflow.programs(work) / name}" "$@"\n' for name in ("python3", "tensorboard")
    }
    for name, script in {"pip": INSTALLED, **scripts}.items():
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    difference = stale(PAGE, test=TEST, programs=programs)
    if difference:
        pytest.fail(difference, pytrace=False)
