"""The installation of docs/guide/start.md, followed in a folder with a checkout in it.

Run by ``.ci/run`` with ``--packages``, as it asks the package index.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from docs.page_blocks import blocks
from docs.screens import commands
from tests.packaging.test_packages import tracked
from tfdsl import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/guide/start.md"


def lines(test: str) -> Iterator[str]:
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        if block.test.endswith(f"::{test}"):
            yield from commands(block.text)


def test_the_guide_installs_tfdsl(tmp_path: Path) -> None:
    for name in tracked():
        (tmp_path / "tfdsl" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "tfdsl" / name)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    script = "\n".join(
        ["set -e", *lines("test_the_guide_installs_tfdsl"), "mkdir empty", "cd empty", "tfdsl --version"]
    )
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=kept, capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"tfdsl {__version__}\n"), done.stderr
