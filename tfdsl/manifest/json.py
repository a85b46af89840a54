"""Reading JSON: the same trees as those of YAML, with what is particular to JSON.

Escapes of two halves, keys longer than YAML allows, objects that follow each other. Numbers are read as the server
does: a whole number of 64 bits, or a float.
"""

from __future__ import annotations

import math
from json import JSONDecodeError, loads

from tfdsl.diagnostics import Diagnostic, Report, command_rules
from tfdsl.manifest import scalars
from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence
from tfdsl.patterns import regex
from tfdsl.text import Source, Span

_FIRST = regex(r"\s*[{\[]")
_BLANK = regex(r"[ \t\r\n]*")
_STRING = regex(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_NUMBER = regex(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = regex(r"true|false|null")
_VALUES = {"true": True, "false": False, "null": None}
_HALF = regex("[\ud800-\udfff]")
"""Half of a character: what an escape of such a half without the other one gives."""


DEEPEST = 100
"""The most maps and lists in each other. No object of Kubernetes has more than 40."""


def set_twice(key: str, span: Span, first: Span) -> Diagnostic:
    """The message about a key that is already there."""
    diagnostic = command_rules.MANIFEST_DUPLICATE_KEY(span, key=key)
    return diagnostic.marked("set again here").note(first, "first set here")


class _NotJsonError(Exception):
    """The text is not JSON; the arguments are the offset and the reason."""


class _TooDeepError(Exception):
    """The nesting is too deep, which has been reported."""


def is_likely(text: str) -> bool:
    """Whether ``text`` begins as JSON does."""
    return _FIRST.match(text) is not None


def read(source: Source, report: Report) -> list[Node] | None:
    """The values of ``source``, one after the other; ``None`` where it is not JSON, and ``report`` has the reason."""
    reader = _Reader(source, report)
    nodes: list[Node] = []
    try:
        while not reader.at_end():
            nodes.append(reader.value())
    except _NotJsonError as error:
        at, reason = error.args
        report(
            command_rules.MANIFEST_SYNTAX(Span(source, at, min(at + 1, len(source.text))), form="JSON", reason=reason)
        )
        return None
    except _TooDeepError:
        pass
    return nodes


class _Open:
    """An object or an array that is being read; ``keys``: those of an object with their places."""

    def __init__(self, start: int, closing: str) -> None:
        self.start = start
        self.closing = closing
        self.key: tuple[str, Span] | None = None
        self.entries: dict[str, Entry] = {}
        self.items: list[Node] = []


class _Reader:
    def __init__(self, source: Source, report: Report) -> None:
        self._source = source
        self._text = source.text
        self._report = report
        self._at = 0

    def at_end(self) -> bool:
        """Whether only blanks follow."""
        self._skip()
        return self._at == len(self._text)

    def value(self) -> Node:
        """The value that begins here, whatever is in it."""
        opened: list[_Open] = []
        while True:
            node = self._simple_or_start(opened)
            while node is not None:
                if not opened:
                    return node
                node = self._placed(opened, node)

    def _simple_or_start(self, opened: list[_Open]) -> Node | None:
        """The scalar here, or the empty object or array; ``None`` after the begin of one that is not empty."""
        character = self._peek()
        if character in ("{", "["):
            if len(opened) == DEEPEST:
                self._report(command_rules.MANIFEST_TOO_DEEP(self._span(self._at, self._at + 1), limit=DEEPEST))
                raise _TooDeepError
            opened.append(_Open(self._at, "}" if character == "{" else "]"))
            self._at += 1
            if self._peek() == opened[-1].closing:
                return self._closed(opened.pop())
            if character == "{":
                self._key(opened[-1])
            return None
        start = self._at
        if character == '"':
            return Scalar(self._string(), self._span(start, self._at))
        word = _WORD.match(self._text, start)
        if word is not None:
            self._at = word.end()
            return Scalar(_VALUES[word[0]], self._span(start, self._at))
        return self._number()

    def _placed(self, opened: list[_Open], node: Node) -> Node | None:
        """Put ``node`` into the innermost object or array; that itself, when it ends after it."""
        top = opened[-1]
        if top.key is None:
            top.items.append(node)
        else:
            key, span = top.key
            if key in top.entries:
                self._report(set_twice(key, span, top.entries[key].key_span))
            top.entries[key] = Entry(key, span, node)
        character = self._peek()
        if character == top.closing:
            return self._closed(opened.pop())
        if character != ",":
            raise _NotJsonError(self._at, f"expected a comma or {top.closing}")
        self._at += 1
        if top.closing == "}":
            self._key(top)
        elif self._peek() == "]":
            raise _NotJsonError(self._at, "a comma is followed by another value")
        return None

    def _key(self, top: _Open) -> None:
        if self._peek() != '"':
            raise _NotJsonError(self._at, "expected a key in double quotes")
        start = self._at
        top.key = self._string(), self._span(start, self._at)
        if self._peek() != ":":
            raise _NotJsonError(self._at, "expected a colon after the key")
        self._at += 1

    def _closed(self, top: _Open) -> Node:
        self._at += 1
        span = self._span(top.start, self._at)
        return Mapping(top.entries, span) if top.closing == "}" else Sequence(tuple(top.items), span)

    def _string(self) -> str:
        start = self._at
        match = _STRING.match(self._text, start)
        if match is None:
            raise _NotJsonError(start, "this string has no closing quote on its line")
        self._at = match.end()
        text = match[0][1:-1]
        if "\\" in text:
            try:
                text = str(loads(match[0]))
            except JSONDecodeError as error:
                raise _NotJsonError(start + error.pos, "this is not an escape of a string") from None
        return text if text.isascii() else _HALF.sub("\ufffd", text)

    def _number(self) -> Scalar:
        start = self._at
        match = _NUMBER.match(self._text, start)
        if match is None:
            raise _NotJsonError(start, "expected a value" if start < len(self._text) else "it ends before its last }")
        self._at = match.end()
        span = self._span(start, self._at)
        is_whole = match[1] is None and match[2] is None and len(match[0]) < 21
        number = int(match[0]) if is_whole else float(match[0])
        if isinstance(number, float) and math.isinf(number):
            self._report(command_rules.MANIFEST_VALUE(span, what=match[0], reason="it is too large for a number"))
            return Scalar(None, span)
        return Scalar(scalars.sent(number), span)

    def _peek(self) -> str:
        self._skip()
        return self._text[self._at : self._at + 1]

    def _skip(self) -> None:
        match = _BLANK.match(self._text, self._at)
        if match is not None:
            self._at = match.end()

    def _span(self, start: int, end: int) -> Span:
        return Span(self._source, start, end)
