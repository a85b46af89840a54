"""The function whose arguments are being written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.lsp.cursor import cursor_at
from tfdsl.record import Record
from tfdsl.vocabulary import functions

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot


class Signature(Record):
    """A function. ``parameters``: each a range of ``text``; ``active``: the one being written."""

    text: str
    doc: str
    parameters: tuple[tuple[int, int], ...]
    active: int


def signature_help(snapshot: Snapshot, offset: int) -> Signature | None:
    """The innermost call around ``offset``."""
    cursor = cursor_at(snapshot, offset)
    for at in range(len(cursor.frames) - 1, -1, -1):
        frame = cursor.frames[at]
        if frame.kind != "call" or not frame.head:
            continue
        row = functions.BY_NAME.get(frame.head[-1].text)
        if row is None:
            return None
        commas = sum(token.type == "COMMA" for token in frame.statements[-1])
        parameters = _parameters(row.signature)
        last = len(parameters) - 1
        return Signature(row.signature, row.doc, parameters, min(commas, max(last, 0)))
    return None


def _parameters(signature: str) -> tuple[tuple[int, int], ...]:
    """Start and end of each parameter in ``name(a, b, …)``; a comma inside quotes does not count."""
    found: list[tuple[int, int]] = []
    start = signature.index("(") + 1
    quoted = False
    for at in range(start, len(signature)):
        char = signature[at]
        quoted ^= char == '"'
        if char in ",)" and not quoted:
            found.append((start, at))
            start = at + 2
    return tuple(found)
