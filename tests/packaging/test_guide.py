"""The installation as README.md and docs/guide/start.md say it, followed to the letter; the site shows the README's.

Run by ``.ci/run`` with ``--packages FOLDER``, as it asks the package index.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from docs.page_blocks import blocks
from docs.screens import commands
from tests.packaging.test_packages import folder_option, tracked
from tfdsl import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", ROOT / "docs/guide/start.md")
PLACEHOLDER = "https://git.example.com/tools/tfdsl"
"""What a page says to replace with the address of one's copy. git does it here."""

PROOF = "tfdsl new --from profiles && tfdsl compile profiles/main.tfjob -t tfjob"
"""The one line by which every page proves the installation."""


def lines(first: str) -> list[str]:
    """The commands of the block that has a line which begins so: the same on both pages."""
    readme, start = ([*_lines(page.read_text(encoding="utf-8"), first)] for page in PAGES)
    assert readme == start
    return readme


def _lines(page: str, first: str) -> Iterator[str]:
    for block in blocks(page):
        told = commands(block.text) if block.kind == "screen" else block.text.splitlines()
        if any(line.startswith(first) for line in told):
            yield from told
            return


def copy(folder: Path) -> Path:
    """A repository with the files of this one."""
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    for words in (["init", "--quiet"], ["add", "--all", "--force"], [*who, "commit", "--quiet", "-m", "all"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


def followed(script: list[str], folder: Path, **more: str) -> str:
    """What the proof prints when a reader types these lines before it, in a fresh shell."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    text = "\n".join(["set -e", *(f"{line} >&2" for line in script), "mkdir first", "cd first", PROOF])
    done = subprocess.run(
        ["bash", "-c", text], cwd=folder, env=kept | more, capture_output=True, text=True, timeout=550, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_page_installs_tfdsl(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    folder_option(request, "--packages")
    key = f"url.{copy(tmp_path / 'copies/tfdsl')}.insteadOf"
    replaced = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": key, "GIT_CONFIG_VALUE_0": PLACEHOLDER}
    assert "\nkind: TFJob\n" in followed(lines("git clone"), tmp_path, **replaced)


def test_a_page_installs_the_wheel(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    (wheel,) = folder_option(request, "--packages").glob("*.whl")
    assert wheel.name == f"tfdsl-{__version__}-py3-none-any.whl"
    shutil.copy(wheel, tmp_path)
    before = lines("git clone")
    before = before[: before.index(f"git clone {PLACEHOLDER}")]
    assert "\nkind: TFJob\n" in followed([*before, *lines(f"pip install {wheel.name}")], tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_says_what_its_address_stands_for_and_proves_the_installation(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert f"no public repository yet: replace `{PLACEHOLDER}` with" in text
    assert f"$ {PROOF}\n" in text
