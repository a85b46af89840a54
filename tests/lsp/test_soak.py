"""A thousand edits: in the end the server has the client's text, says what a fresh check says, and is no fatter."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.lsp.long_text import long_text, random_edit
from tests.lsp.wire import Wire
from tfdsl.lsp.documents import Lines
from tfdsl.lsp.features.problems import problems
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

URI, PATH = "file:///nowhere/job.tfjob", "/nowhere/job.tfjob"
EDITS = 1000
GROWTH = 24 * 1024
"""KiB that the second half of the edits may add: far less than a leaked tree for each edit would."""


@pytest.fixture
def wire() -> Iterator[Wire]:
    made = Wire()
    made.begin()
    yield made
    made.close()


def memory(process: int) -> int:
    """Resident memory in KiB."""
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def test_a_thousand_edits(wire: Wire) -> None:
    chance = random.Random(20260101)
    text = long_text(500)
    wire.open(URI, text)
    wire.until("textDocument/publishDiagnostics")
    halfway = 0
    for version in range(2, EDITS + 2):
        start, end, piece = random_edit(text, chance)
        if text[start - 1 : start + 1] == "\r\n" or text[end - 1 : end + 1] == "\r\n":
            continue  # no editor puts a cursor between the two
        lines = Lines(text, "utf-16")
        wire.change(URI, version, lines.position(start), lines.position(end), piece)
        text = text[:start] + piece + text[end:]
        if version % 100 == 0:
            text = _back_to_sense(wire, version, text)
        if version % 10 == 0:
            line, character = Lines(text, "utf-16").position(chance.randrange(len(text) + 1))
            at = {"textDocument": {"uri": URI}, "position": {"line": line, "character": character}}
            for method in ("completion", "hover", "documentHighlight"):
                assert "result" in wire.request(f"textDocument/{method}", at)
        if version == EDITS // 2:
            halfway = memory(wire.process.pid)
    wire.change(URI, EDITS + 2, (0, 0), (0, 0), "# the end\n")
    assert _told(wire, EDITS + 2) == _fresh(f"# the end\n{text}")
    assert memory(wire.process.pid) - halfway < GROWTH
    assert wire.end() == 0


def _back_to_sense(wire: Wire, version: int, text: str) -> str:
    """Replace the whole by a sound text now and then: a ruin is checked in no time."""
    whole = long_text(500).replace("retries = 2", f"retries = {version}", 1)
    lines = Lines(text, "utf-16")
    wire.change(URI, version, (0, 0), lines.position(len(text)), whole)
    return whole


def _told(wire: Wire, version: int) -> list[tuple[object, ...]]:
    """What the server says of a version of the text."""
    return [
        (
            one["code"],
            one["message"],
            one["severity"],
            *(one["range"][end][axis] for end in ("start", "end") for axis in ("line", "character")),
        )
        for one in wire.published(version)["diagnostics"]  # type: ignore[attr-defined]
    ]


def _fresh(text: str) -> list[tuple[object, ...]]:
    """What is said about a text that was never anything else."""
    made = Snapshot(Source(PATH, text, PATH), lambda path, roots: "there is no such file")
    lines = Lines(text, "utf-16")
    severity = {"error": 1, "warning": 2}
    return [
        (
            one.diagnostic.rule.code,
            one.text,
            severity[one.diagnostic.level],
            *lines.position(one.diagnostic.span.start),
            *lines.position(one.diagnostic.span.end),
        )
        for one in problems(made)[PATH]
        if not one.quiet
    ]
