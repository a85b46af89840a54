"""Run the commands of README.md and of some pages, in order, and write below each what it prints.

A block ``console`` holds lines ``$ tfdsl …``, each followed by what it writes to standard output and standard error, in
a folder with ``examples/`` in it; a last line ``…`` leaves out the rest. A block below `` `job.yaml`: `` is a file that
is there; one below ``<!-- written: job.tfjob -->`` shows a file that a command has written. ``python docs/screens.py``
rewrites the pages, and the diff is reviewed like code; ``--check`` fails when what they show is stale.
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
PAGES = ("README.md", "docs/migrate.md", "docs/simulate.md")
sys.path[:0] = [str(ROOT), str(ROOT / "backends")]

from tfdsl.cli.main import main as tfdsl  # noqa: E402

_BLOCK = re.compile(
    r"^```console\n(?P<screen>.*?)^```\n"
    r"|^`(?P<file>[\w./-]+)`:\n\n```\w*\n(?P<text>.*?)^```\n"
    r"|^<!-- written: (?P<written>[\w./-]+) -->\n```(?P<language>\w*)\n.*?^```\n",
    re.M | re.S,
)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
_REST = "…\n"


def rewritten(text: str) -> str:
    """``text`` with every screen made anew."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"NO_COLOR": "1"}):
        shutil.copytree(ROOT / "examples", Path(folder, "examples"), ignore=shutil.ignore_patterns("expected"))
        os.chdir(folder)
        try:
            return _BLOCK.sub(_block, text)
        finally:
            os.chdir(before)


def _block(block: re.Match[str]) -> str:
    if block["screen"] is not None:
        return f"```console\n{_COMMAND.sub(_replayed, block['screen'])}```\n"
    if block["written"] is not None:
        text = Path(block["written"]).read_text(encoding="utf-8")
        return f"<!-- written: {block['written']} -->\n```{block['language']}\n{text}```\n"
    path = Path(block["file"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block["text"], encoding="utf-8")
    return block[0]


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
    stale = 0
    for name in PAGES:
        page = ROOT / name
        text = page.read_text(encoding="utf-8")
        fresh = rewritten(text)
        if fresh == text:
            continue
        if "--check" in sys.argv:
            print(f"stale: {name}; run make generate")
            stale = 1
        else:
            page.write_text(fresh, encoding="utf-8")
            print(f"wrote {name}")
    return stale


if __name__ == "__main__":
    sys.exit(main())
