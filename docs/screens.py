"""Run the commands of README.md, of some pages and of the guide, in order, and write below each what it prints.

A block ``console`` holds lines ``$ tfdsl …``, each followed by what it writes to standard output and standard error.
A line ``…`` leaves out some lines. What other blocks are is said in ``docs/page_blocks.py``. A page of the guide begins
in an empty folder, the others in one with ``examples/`` in it.

``python docs/screens.py`` rewrites the pages, and the diff is reviewed like code; ``--check`` fails when what they show
is stale. If pages are named, it looks at no others. Pages that mount folders of this machine are left out where that is
denied.
"""

from __future__ import annotations

import difflib
import functools
import multiprocessing
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "backends")]

from docs.page_blocks import Block, blocks  # noqa: E402
from docs.page_output import shown  # noqa: E402
from docs.page_session import Session, mounts_denied  # noqa: E402

PAGES = (
    "README.md",
    "docs/commands.md",
    "docs/migrate.md",
    "docs/settings.md",
    "docs/simulate.md",
    "site/pages/index.md",
)
GUIDE = "docs/guide"

UNSETTLED = ("tfdsl run ", "kubectl ")
"""Beginnings of commands that print something else each time."""

_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.M)


class MistakeError(Exception):
    """A page that cannot be followed; the message says where."""


def pages() -> list[str]:
    """The pages that are run, from the root of the repository."""
    return [*PAGES, *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / GUIDE).rglob("*.md")))]


def commands(screen: str) -> list[str]:
    """The command lines of a block."""
    return [found[1] for found in _COMMAND.finditer(screen)]


def rewritten(text: str, *, examples: bool = True, test: str = "", programs: Path | None = None) -> str:
    """``text`` with every screen and every written file made anew.

    Args:
        text: The page.
        examples: Whether it begins in a folder like a checkout, with ``examples/`` in it.
        test: The test for which it is followed, which runs the blocks that name it too.
        programs: A folder with more programs for its commands, which come before all others.
    """
    fresh: list[str] = []
    end = 0
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Path(folder), programs)
        if examples:
            ignored = shutil.ignore_patterns("expected")
            shutil.copytree(ROOT / "examples", session.top / "examples", ignore=ignored)
            (session.top / ".git").mkdir()  # as in a checkout: it is the root below which outputs name their sources
        with session.entered():
            for block in blocks(text):
                if block.test and block.test != test and block.kind == "screen":
                    continue
                fresh += [text[end : block.start], _followed(block, session)]
                end = block.end
    return "".join([*fresh, text[end:]])


def stale(name: str, *, test: str = "", programs: Path | None = None) -> str:
    """What is not true any more in a page, as a diff. ``test`` and ``programs`` as of :func:`rewritten`."""
    text = (ROOT / name).read_text(encoding="utf-8")
    fresh = rewritten(text, examples=not name.startswith(GUIDE), test=test, programs=programs)
    before, now = text.splitlines(keepends=True), fresh.splitlines(keepends=True)
    return "".join(difflib.unified_diff(before, now, name, "what is printed"))


def _followed(block: Block, session: Session) -> str:
    """What the page shows in the block from now on, when the reader has done what it says."""
    path = Path(block.path)
    match block.kind:
        case "screen":
            return _COMMAND.sub(lambda command: _replayed(command, session), block.text)
        case "written":
            return shown(block.text, path.read_text(encoding="utf-8"))
        case "file":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        case "part":
            if "\n" + block.text not in "\n" + path.read_text(encoding="utf-8"):
                raise MistakeError(f"line {block.line}: these lines are not in {path}")
        case "below" | "instead of":
            _edit(block, path)
        case _:
            pass  # the pages outside of the guide have blocks that only are read
    return block.text


def _edit(block: Block, path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    places = [number for number, line in enumerate(lines) if block.mark in line]
    if len(places) != 1:
        raise MistakeError(f"line {block.line}: {len(places)} lines of {path} have {block.mark} in them")
    (place,) = places
    lines[place + (block.kind == "below") : place + 1] = [block.text]
    path.write_text("".join(lines), encoding="utf-8")


def _replayed(command: re.Match[str], session: Session) -> str:
    printed = session.run(command[1])
    if printed and not printed.endswith("\n"):
        printed += "\n"
    return f"$ {command[1]}\n{shown(command[2], printed, unsettled=command[1].startswith(UNSETTLED))}"


def main(words: list[str]) -> int:
    """Rewrite, or with ``--check`` compare."""
    follow = functools.partial(_told, check="--check" in words)
    names = [word for word in words if word != "--check"] or pages()
    status = 0
    # Each page in a process of its own: it must not depend on another one.
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        for told, failed in pool.imap(follow, names):
            if told:
                print(told)
            status = status or int(failed)
    return status


def _told(name: str, *, check: bool) -> tuple[str, bool]:
    """What is said of a page, and whether that is a failure."""
    denied = _left_out(name)
    if denied:
        return f"left out: {name}: {denied}", False
    try:
        told = _checked(name) if check else _renewed(name)
    except (AssertionError, MistakeError) as mistake:
        return f"{name}: {mistake}", True
    return told, check and bool(told)


def _left_out(name: str) -> str:
    text = (ROOT / name).read_text(encoding="utf-8")
    mounts = any(" --mount " in line for block in blocks(text) for line in commands(block.text))
    return mounts_denied() if mounts else ""


def _checked(name: str) -> str:
    difference = stale(name)
    return f"stale: {name}; run make generate\n{difference}" if difference else ""


def _renewed(name: str) -> str:
    page = ROOT / name
    text = page.read_text(encoding="utf-8")
    fresh = rewritten(text, examples=not name.startswith(GUIDE))
    if fresh == text:
        return ""
    page.write_text(fresh, encoding="utf-8")
    return f"wrote {name}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
