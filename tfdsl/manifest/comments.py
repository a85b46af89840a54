"""The comments of a YAML text: every ``#`` outside of its values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from tfdsl.manifest.documents import Comment
from tfdsl.patterns import regex
from tfdsl.text import Source, Span

_COMMENT = regex("#[^\r\n\x85\u2028\u2029]*")
_BEFORE = frozenset(" \t\r\n\x85\u2028\u2029,[]{}\"'")
"""After these, a ``#`` is no part of an anchor or a tag."""


def comments(source: Source, values: Sequence[tuple[int, int]], end: int) -> Iterator[Comment]:
    """The comments of ``source`` up to ``end``.

    ``values``: where those values begin and end that may have a ``#`` in them, in order.
    """
    text = source.text
    starts = [start for start, _ in values]
    last = 0  # where the last comment ends: nothing before it is looked at again
    at = text.find("#", 0, end)
    while at >= 0:
        before = bisect_right(starts, at) - 1
        if before >= 0 and at < values[before][1]:
            at = text.find("#", values[before][1], end)
            continue
        if at and text[at - 1] not in _BEFORE:
            at = text.find("#", at + 1, end)
            continue
        match = _COMMENT.match(text, at, end)
        stop = match.end() if match is not None else end
        line = text.rfind("\n", last, at) + 1 or last
        line = text.rfind("\r", line, at) + 1 or line
        yield Comment(text[at:stop].lstrip("#").strip(), Span(source, at, stop), not text[line:at].strip())
        last = stop
        at = text.find("#", stop, end)
