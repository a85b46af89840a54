"""Pages of docs/guide that train with TensorFlow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from docs.screens import stale
from tests.conformance.tensorflow import NEWEST, TRIED

if TYPE_CHECKING:
    from pathlib import Path

PAGES = ["start.md", "roles.md"]
TEST = "tests/conformance/local/test_guide.py::test_a_page_that_trains"

INSTALLED = f"""#!/bin/sh
[ "$*" = "install --quiet {" ".join(TRIED[NEWEST])}" ] || exit 3
python3 -c "import importlib.util as u; exit(None in map(u.find_spec, ('tensorflow', 'tensorboard')))"
"""
"""As pip, which has installed them already."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_trains(name: str, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "2")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    shown = tmp_path / "programs"
    shown.mkdir()
    scripts = {program: f'#!/bin/sh\nexec "{programs / program}" "$@"\n' for program in ("python3", "tensorboard")}
    for program, script in {"pip": INSTALLED, **scripts}.items():
        (shown / program).write_text(script)
        (shown / program).chmod(0o755)
    difference = stale(f"docs/guide/{name}", test=TEST, programs=shown)
    if difference:
        pytest.fail(difference, pytrace=False)
