"""Run the commands of README.md, in order, and write below each what it prints.

A block ``console`` holds lines ``$ tfdsl …``, each followed by what it writes to standard output and standard error, in
a folder with ``examples/`` in it; a last line ``…`` leaves out the rest. ``python docs/readme_page.py`` rewrites the
page, and the diff is reviewed like code; ``--check`` fails when what it shows is stale.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "README.md"
sys.path[:0] = [str(ROOT), str(ROOT / "backends")]

from tfdsl.cli.main import main as tfdsl  # noqa: E402

_SCREEN = re.compile(r"^```console\n(.*?)^```\n", re.M | re.S)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
_REST = "…\n"


def rewritten(text: str) -> str:
    """``text`` with every screen made anew."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"NO_COLOR": "1"}):
        shutil.copytree(ROOT / "examples", Path(folder, "examples"), ignore=shutil.ignore_patterns("expected"))
        os.chdir(folder)
        try:
            return _SCREEN.sub(lambda screen: f"```console\n{_COMMAND.sub(_replayed, screen[1])}```\n", text)
        finally:
            os.chdir(before)


def _replayed(command: re.Match[str]) -> str:
    output = run(command[1])
    if command[2].endswith(_REST):
        lines = output.splitlines(keepends=True)
        output = "".join(lines[: command[2].count("\n") - 1]) + _REST
    return f"$ {command[1]}\n{output}"


def run(line: str) -> str:
    """What a command line prints; one that is used wrongly is a mistake of the page."""
    program, *words = shlex.split(line)
    assert program == "tfdsl", line
    written = io.StringIO()
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(written):
        status = tfdsl(words)
    assert status in (0, 1), f"{line} ends with {status}: {written.getvalue()}"
    return written.getvalue()


def main() -> int:
    """Rewrite, or with ``--check`` compare."""
    text = PAGE.read_text(encoding="utf-8")
    fresh = rewritten(text)
    if fresh == text:
        return 0
    if "--check" in sys.argv:
        print("stale: README.md; run make generate")
        return 1
    PAGE.write_text(fresh, encoding="utf-8")
    print("wrote README.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
