"""The texts that are open in the editor, and reading files as the editor shows them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from tfdsl import source_files
from tfdsl.lsp.positions import DEFAULT, Encoding, Lines
from tfdsl.lsp.uris import path_of, uri_of
from tfdsl.record import Record
from tfdsl.text import Source


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
        """All open texts."""
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
