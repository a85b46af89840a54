"""The texts that are open in the editor, and reading files as the editor shows them."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Literal, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from tfdsl import source_files
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.settings.finding import is_settings_file
from tfdsl.text import Source


def path_of(uri: str) -> str | None:
    """The path of a ``file:`` URI, with ``/``; ``None`` for any other (a text that is in no file)."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file":
        return None
    path = unquote(parts.path)
    if os.name == "nt" and len(path) > 2 and path[2] == ":":
        path = path[1:]
    elif parts.netloc and parts.netloc != "localhost":
        path = f"//{parts.netloc}{path}"
    return path if path and "\0" not in path else None


def uri_of(path: str) -> str:
    """The ``file:`` URI of an absolute path."""
    path = path.replace(os.sep, "/")
    return "file://" + quote(path if path.startswith("/") else f"/{path}", safe="/~!$&'()*+,;=@")


PARAMS = ".params"
"""How the name of a file of values for params ends; the command line takes any name."""


def is_beside(path: str) -> bool:
    """Whether a path or URI is that of a file that has no jobs, but settings or values for them."""
    return is_settings_file(path) or path.endswith(PARAMS)


Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
DEFAULT: Encoding = "utf-16"

_LINE_END = regex(r"\r\n|\n|\r")


def negotiated(offered: Iterable[str] | None) -> Encoding:
    """The first encoding that a client offers and that is known; UTF-16 if it offers no known one."""
    known: dict[str, Encoding] = {encoding: encoding for encoding in ENCODINGS}
    for one in offered or ():
        if one in known:
            return known[one]
    return DEFAULT


def _line_starts(text: str) -> list[int]:
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        return [0, *(match.end() for match in _LINE_END.finditer(text))]
    starts = list(accumulate([len(line) + 1 for line in text.split("\n")], initial=0))
    starts.pop()  # the end of the last line is not the start of another
    return starts


class Lines:
    r"""The lines of one text, from 0, and within a line the units of an encoding.

    Source: Language Server Protocol 3.17, "Position": lines end in ``\n``, ``\r\n`` or ``\r``; a character beyond the
    end of its line counts as the end.
    """

    __slots__ = ("_ascii", "_starts", "encoding", "text")

    def __init__(self, text: str, encoding: Encoding) -> None:
        self.text = text
        self.encoding = encoding
        self._ascii = encoding == "utf-32" or text.isascii()
        self._starts = _line_starts(text)

    def _end(self, line: int) -> int:
        """Offset of the line end, or of the end of the text."""
        if line + 1 == len(self._starts):
            return len(self.text)
        end = self._starts[line + 1] - 1
        return end - 1 if self.text.startswith("\r\n", end - 1) and end > self._starts[line] else end

    def offset(self, line: int, character: int) -> int:
        """Offset in characters of a position."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[line], self._end(line)
        units = max(character, 0)
        if self._ascii:
            return min(start + units, end)
        for at in range(start, end):
            units -= self._units(self.text[at])
            if units < 0:
                return at
        return end

    def position(self, offset: int) -> tuple[int, int]:
        """Line and character of an offset; inside a line end that is the end of the line."""
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        end = min(offset, self._end(line))
        if self._ascii:
            return line, end - start
        return line, sum(self._units(char) for char in self.text[start:end])

    def line_start(self, line: int) -> int:
        """Offset of the first character of a line."""
        return self._starts[min(max(line, 0), len(self._starts) - 1)]

    def units(self, start: int, end: int) -> int:
        """Length of a piece of one line."""
        return end - start if self._ascii else sum(self._units(char) for char in self.text[start:end])

    def _units(self, char: str) -> int:
        code = ord(char)
        if self.encoding == "utf-16":
            return 2 if code > 0xFFFF else 1
        if code < 0x80:
            return 1
        return 2 if code < 0x800 else 3 if code < 0x10000 else 4


class Change(Record):
    """One change of a text: ``range`` is start line and character, end line and character; ``None``: all of it."""

    range: tuple[int, int, int, int] | None
    text: str


class Document:
    """An open text. ``source`` is a new one after every change."""

    __slots__ = ("source", "uri", "version")

    def __init__(self, uri: str, text: str, version: int) -> None:
        path = path_of(uri)
        self.uri = uri
        self.version = version
        self.source = Source(path or uri, text, path)

    def change(self, changes: Iterable[Change], version: int, encoding: Encoding) -> None:
        """Apply changes, one after the other."""
        text = self.source.text
        for change in changes:
            if change.range is None:
                text = change.text
                continue
            lines = Lines(text, encoding)
            start = lines.offset(*change.range[:2])
            end = max(start, lines.offset(*change.range[2:]))
            text = text[:start] + change.text + text[end:]
        self.version = version
        self.source = Source(self.source.path, text, self.source.origin)


class Documents:
    """All open texts, by URI and by path."""

    def __init__(self) -> None:
        self.encoding: Encoding = DEFAULT
        self._by_uri: dict[str, Document] = {}
        self._by_path: dict[str, Document] = {}

    def open(self, uri: str, text: str, version: int) -> Document:
        """Take over a text."""
        document = Document(uri, text, version)
        self._by_uri[uri] = document
        self._by_path[_normal(document.source.path)] = document
        return document

    def close(self, uri: str) -> None:
        """Forget a text; from now on the file counts."""
        document = self._by_uri.pop(uri, None)
        if document is not None:
            self._by_path.pop(_normal(document.source.path), None)

    def get(self, uri: str) -> Document | None:
        """The open text of ``uri``."""
        return self._by_uri.get(uri)

    def at(self, path: str) -> Document | None:
        """The open text of the file at ``path``."""
        return self._by_path.get(_normal(path))

    def all(self) -> tuple[Document, ...]:
        """All texts that are open in the editor."""
        return tuple(self._by_uri.values())

    def read(self, path: str, roots: Sequence[str]) -> Source | str:
        """The text at ``path``, open or not, or why it cannot be read; a file must be below one of ``roots``."""
        document = self._by_path.get(_normal(path))
        if document is not None:
            return Source(path, document.source.text, path)
        return source_files.read(path, roots) if os.path.isabs(path) else "there is no such file"

    def shown(self, path: str) -> str | None:
        """The text at ``path`` as the editor shows it; ``None`` for a file that is not open."""
        document = self._by_path.get(_normal(path))
        return None if document is None else document.source.text

    def uri(self, path: str) -> str:
        """The URI of what messages call ``path``: as the editor wrote it, if it is open."""
        document = self._by_path.get(_normal(path))
        if document is not None:
            return document.uri
        return uri_of(path) if os.path.isabs(path) else path


def _normal(path: str) -> str:
    return os.path.normpath(path) if os.path.isabs(path) else path
