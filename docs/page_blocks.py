"""The blocks of a page: what each of them is, as the line above it says.

==============================================  =======================================================================
above the block                                 the block
==============================================  =======================================================================
nothing, and it is ``console``                  commands (``$ …``), each followed by what it prints
a line that ends with `` `hello.py`: ``         that file
``<!-- below "role ps" in job.tfjob -->``       lines to insert in that file, below the one line with this text in it
``<!-- instead of "cpu" in job.tfjob -->``      lines to write in that file in the place of the one line with this text
``<!-- written: job.tfjob -->``                 a file that a command has written
``<!-- part of: job.tfjob -->``                 lines of a file as it is by then
``<!-- run by: tests/test_x.py::test_y -->``    a file or commands that only this test can use; above any other line
==============================================  =======================================================================
"""

from __future__ import annotations

import re
from typing import NamedTuple

_BLOCK = re.compile(
    r"(?:^<!-- run by: (?P<test>\S+) -->\n\n?)?"
    r"(?:^[^\n]*`(?P<file>[\w/-]*[./][\w./-]*)`:\n\n"
    r"|^<!-- written: (?P<written>\S+) -->\n"
    r"|^<!-- part of: (?P<part>\S+) -->\n"
    r'|^<!-- (?P<edit>below|instead of) "(?P<mark>[^\n]+)" in (?P<edited>\S+) -->\n)?'
    r"^```(?P<language>[\w-]*)\n(?P<text>.*?)^```$",
    re.M | re.S,
)


class Block(NamedTuple):
    """A block of a page.

    ``kind``: ``screen``, ``file``, ``written``, ``part``, ``below``, ``instead of``, or nothing where nothing says it.
    ``path``: the file it speaks of. ``mark``: the text in the line at which an edit is made. ``test``: the one test
    that can run it. ``start`` and ``end`` are the place of the text in the page, which is at ``line``.
    """

    kind: str
    language: str
    path: str
    mark: str
    test: str
    text: str
    start: int
    end: int
    line: int


def blocks(page: str) -> list[Block]:
    """All blocks of the text of a page, in order."""
    return [_block(found, page) for found in _BLOCK.finditer(page)]


def _block(found: re.Match[str], page: str) -> Block:
    if found["language"] == "console":
        kind, path = "screen", ""
    elif found["edit"]:
        kind, path = found["edit"], found["edited"]
    else:
        kind = next((name for name in ("file", "written", "part") if found[name]), "")
        path = found[kind] if kind else ""
    start, end = found.span("text")
    line = page.count("\n", 0, start)
    return Block(
        kind, found["language"], path, found["mark"] or "", found["test"] or "", found["text"], start, end, line
    )


def fences(page: str) -> int:
    """How many lines begin or end a block, of whatever form: two for each that :func:`blocks` gives."""
    return len(re.findall(r"^\s*(?:>\s*)?(?:```|~~~)", page, re.M))
