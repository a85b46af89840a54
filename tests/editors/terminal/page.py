"""What docs/editors.md shows: its fenced blocks, and what a reader does with each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/editors.md"

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_HOME_FILE = re.compile(r"`~/([^`\s]+)`")


class Block(NamedTuple):
    """One fenced block: its section, its language, its text, and the file below home that it is the content of."""

    section: str
    language: str
    text: str
    file: str | None


def blocks() -> list[Block]:
    """All blocks of the page, in its order.

    The paragraph before a block names the file, as ``~/path`` between backticks; a block of the language ``sh`` is run.
    """
    found: list[Block] = []
    for part in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M):
        section = part.splitlines()[0]
        end = 0
        for block in _BLOCK.finditer(part):
            before = part[end : block.start()].rstrip().rpartition("\n\n")[2]
            names = _HOME_FILE.findall(before) if block[1] != "sh" else []
            found.append(Block(section, block[1], block[2], names[-1] if names else None))
            end = block.end()
    return found


def section(name: str) -> list[Block]:
    """The blocks of one section."""
    return [block for block in blocks() if block.section == name]
