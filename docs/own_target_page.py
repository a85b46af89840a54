"""Write the files of docs/own-target.md, install the package, and write below each command what it prints.

A line with the name of a file in code and a colon, and the block below it, are that file. ``pip install .`` installs
the package as a user does, into a folder of its own. ``python docs/own_target_page.py`` rewrites the page, and the diff
is reviewed like code; ``--check`` fails when what it shows is stale.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/own-target.md"
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps")

_FILE = re.compile(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```\n", re.M | re.S)
_SCREEN = re.compile(r"^```console\n(.*?)^```\n", re.M | re.S)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


def write_files(text: str, folder: Path) -> None:
    """Write the files of the page into ``folder``."""
    for name, content in _FILE.findall(text):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def environment(folder: Path) -> dict[str, str]:
    """The environment in which this tfdsl is found, and what was installed from ``folder``."""
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "backends", folder / "site")))
    return os.environ | {"PYTHONPATH": paths, "NO_COLOR": "1"}


def run(line: str, folder: Path) -> str:
    """What a command of the page prints."""
    program, *words = shlex.split(line)
    if program == "pip":
        assert words == ["install", "."], line
        command = [*PIP, "--no-build-isolation", "--target", "site", "."]
    else:
        assert program == "tfdsl", line
        command = ["-m", "tfdsl.cli.main", *words]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode in ((0,) if program == "pip" else (0, 1)), f"{line}: {done.stdout}"
    return done.stdout


def rewritten(text: str, folder: Path) -> str:
    """``text`` with every screen made anew, in ``folder``."""
    write_files(text, folder)

    def replayed(command: re.Match[str]) -> str:
        return f"$ {command[1]}\n{run(command[1], folder)}"

    return _SCREEN.sub(lambda screen: f"```console\n{_COMMAND.sub(replayed, screen[1])}```\n", text)


def main() -> int:
    """Rewrite, or with ``--check`` compare."""
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        fresh = rewritten(text, Path(folder))
    if fresh == text:
        return 0
    if "--check" in sys.argv:
        print("stale: docs/own-target.md; run make generate")
        return 1
    PAGE.write_text(fresh, encoding="utf-8")
    print("wrote docs/own-target.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
