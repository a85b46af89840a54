"""The installation as README.md, docs/guide/start.md and the site's first page say it, each followed to the letter.

Run by ``.ci/run`` with ``--packages FOLDER``, as it asks the package index.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from docs.page_blocks import blocks
from docs.screens import commands
from site_builder.home import installation
from tests.packaging.test_packages import folder_option, tracked
from tfdsl import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "README.md": (ROOT / "README.md").read_text(encoding="utf-8"),
    "start.md": (ROOT / "docs/guide/start.md").read_text(encoding="utf-8"),
    "index.md": installation(),
}
PLACEHOLDER = "https://git.example.com/tools/tfdsl"
"""What a page says to replace with the address of one's copy. git does it here."""

PROOF = "tfdsl new --from profiles && tfdsl compile profiles/main.tfjob -t tfjob"
"""The one line by which every page proves the installation."""


def lines(page: str, first: str) -> Iterator[str]:
    """The commands of the block in which a line is, from the block's begin on."""
    for block in blocks(PAGES[page]):
        told = commands(block.text) if block.kind == "screen" else block.text.splitlines()
        if any(line.startswith(first) for line in told):
            yield from told
            return


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the files of this one."""
    folder = tmp_path_factory.mktemp("copies") / "tfdsl"
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    for words in (["init", "--quiet"], ["add", "--all", "--force"], [*who, "commit", "--quiet", "-m", "all"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


def followed(script: list[str], folder: Path, **more: str) -> str:
    """What the last line prints when a reader types them all in a fresh shell."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    text = "\n".join(["set -e", *(f"{line} >&2" for line in script[:-1]), script[-1]])
    done = subprocess.run(
        ["bash", "-c", text], cwd=folder, env=kept | more, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("page", PAGES)
def test_a_page_installs_tfdsl(page: str, address: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    folder_option(request, "--packages")
    assert PLACEHOLDER in re.sub(r"^```.*?^```$", "", PAGES[page], flags=re.S | re.M), "nothing says that it is one"
    replaced = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{address}.insteadOf",
        "GIT_CONFIG_VALUE_0": PLACEHOLDER,
    }
    script = [*lines(page, "git clone"), *lines(page, "tfdsl new")]
    assert script[0].startswith("python3 -m venv ")
    assert "\nkind: TFJob\n" in followed(script[: script.index(PROOF) + 1], tmp_path, **replaced)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_installs_the_wheel(page: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    (wheel,) = folder_option(request, "--packages").glob("*.whl")
    assert wheel.name == f"tfdsl-{__version__}-py3-none-any.whl"
    shutil.copy(wheel, tmp_path)
    before = list(lines(page, "git clone"))
    script = [*before[: before.index(f"git clone {PLACEHOLDER}")], *lines(page, f"pip install {wheel.name}"), PROOF]
    assert "\nkind: TFJob\n" in followed(script, tmp_path)
