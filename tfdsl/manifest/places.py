"""Documents inside a string of another document: read from the string, with their places in the file around it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from tfdsl.diagnostics.diagnostic import Diagnostic, Label
from tfdsl.manifest.nodes import Comment, Entry, Mapping, Node, Scalar, Sequence
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.text import Span

_ESCAPE = regex(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")
_HIGH_HALF = regex(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..")


class Places:
    """Where each character of a string's value is in the file that has the string, ``span``.

    Where that cannot be told (a folded text, quotes over several lines) everything is at ``span``.
    """

    def __init__(self, span: Span, value: str) -> None:
        self._span = span
        pieces = list(_pieces(span, value))
        self._values = [value for value, _ in pieces]
        self._offsets = [offset for _, offset in pieces]

    def span(self, inner: Span) -> Span:
        """``inner``, a place in the value, in the file."""
        if not self._values:
            return self._span
        start = self._offset(inner.start)
        # The end is after the last character, not before the first one of the next piece.
        end = self._offset(inner.end - 1) + 1 if inner.end > inner.start else start
        return Span(self._span.source, start, max(start, end))

    def _offset(self, at: int) -> int:
        piece = max(0, bisect_right(self._values, at) - 1)
        offset = self._offsets[piece] + at - self._values[piece]
        return min(max(offset, self._span.start), max(self._span.end - 1, self._span.start))

    def node(self, inner: Node) -> Node:
        """``inner`` with places in the file."""
        span = self.span(inner.span)
        if isinstance(inner, Scalar):
            return Scalar(inner.value, span)
        if isinstance(inner, Sequence):
            return Sequence(tuple(map(self.node, inner.items)), span)
        entries = {
            key: Entry(key, self.span(entry.key_span), self.node(entry.value)) for key, entry in inner.entries.items()
        }
        return Mapping(entries, span)

    def comment(self, inner: Comment) -> Comment:
        """``inner`` with its place in the file."""
        return replace(inner, span=self.span(inner.span))

    def diagnostic(self, inner: Diagnostic) -> Diagnostic:
        """``inner`` with places in the file, and without fixes: those are made for the value."""
        labels = tuple(Label(self.span(label.span), label.message) for label in inner.labels)
        return replace(inner, span=self.span(inner.span), labels=labels, fixes=())


def _pieces(span: Span, value: str) -> Iterator[tuple[int, int]]:
    """Offsets in the value and in the file from which on both go on alike."""
    written = span.text
    if written.startswith("|"):
        yield from _of_literal(span, value)
    elif "\n" in written:
        return
    elif written.startswith('"'):
        yield from _of_double_quoted(span)
    elif written.startswith("'"):
        if "''" not in written[1:-1]:
            yield 0, span.start + 1
    else:
        yield 0, span.start


def _of_literal(span: Span, value: str) -> Iterator[tuple[int, int]]:
    text, at = span.source.text, span.start
    at = text.find("\n", at) + 1
    lines = value.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if not at or first is None:
        return
    starts = [at]
    for _ in lines[1:]:
        at = text.find("\n", at) + 1
        if not at:
            break
        starts.append(at)
    if first >= len(starts):
        return
    end = text.find("\n", starts[first])
    written = text[starts[first] : end if end >= 0 else len(text)].removesuffix("\r")
    indent = max(0, len(written) - len(lines[first]))
    inner = 0
    for start, line in zip(starts, lines, strict=False):
        yield inner, start + indent
        inner += len(line) + 1


def _of_double_quoted(span: Span) -> Iterator[tuple[int, int]]:
    text, at = span.source.text, span.start + 1
    inner = 0
    yield inner, at
    for escape in _ESCAPE.finditer(text, at, span.end - 1):
        inner += escape.start() - at
        at = escape.end()
        halves = _HIGH_HALF.match(text, escape.start() - 6) is not None and escape[0][:2] == "\\u"
        inner += 0 if halves else 1  # the second half of a character
        yield inner, at
