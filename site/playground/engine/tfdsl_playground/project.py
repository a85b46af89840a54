"""The files of an input, as if they were in a folder."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from tfdsl.text import Source
from tfdsl_playground.units import Units, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tfdsl.text import Span

ROOT: Final = "/playground"
"""The folder of the project. Nothing is written there: the files are only in memory."""


class Project:
    """The files by their names. A file that is not changed keeps its :class:`Source`, which others remember."""

    def __init__(self) -> None:
        self._sources: dict[str, Source] = {}
        self._units: dict[str, tuple[Source, Units]] = {}

    def change(self, files: Mapping[str, str]) -> bool:
        """Take over the texts of ``files``, and forget all other files; whether anything is different."""
        sources: dict[str, Source] = {}
        for name, text in files.items():
            path = posixpath.join(ROOT, posixpath.normpath(name))
            known = self._sources.get(path)
            clean = whole(text)
            sources[path] = known if known is not None and known.text == clean else Source(path, clean, path)
        same = sources.keys() == self._sources.keys() and all(self._sources[path] is sources[path] for path in sources)
        self._sources = sources
        return not same

    def source(self, name: str) -> Source | None:
        """The text of the file called ``name``."""
        return self._sources.get(posixpath.join(ROOT, posixpath.normpath(name)))

    def programs(self) -> list[Source]:
        """The files in the language."""
        return [source for path, source in self._sources.items() if path.endswith(".tfjob")]

    def read(self, path: str, roots: Sequence[str]) -> Source | str:
        """The text at ``path``, or why it cannot be read."""
        return self._sources.get(posixpath.normpath(path), "there is no such file")

    def shown(self, path: str) -> str | None:
        """The text at ``path``; ``None`` if there is no such file."""
        source = self._sources.get(path)
        return None if source is None else source.text

    def units(self, source: Source) -> Units:
        """How the units of ``source`` are counted."""
        known = self._units.get(source.path)
        if known is None or known[0] is not source:
            known = self._units[source.path] = source, Units(source.text)
        return known[1]

    def place(self, span: Span) -> dict[str, object]:
        """``Place`` of the protocol."""
        source = span.source
        units = self.units(source)
        start = units.of(span.start)
        line, _ = source.position(span.start)
        column = start - units.of(source.line_starts[line - 1]) + 1
        return {
            "file": name_of(source.path),
            "from": start,
            "to": units.of(span.end),
            "line": line,
            "column": column,
        }


def name_of(path: str) -> str:
    """The name of the file at ``path``."""
    return path.removeprefix(ROOT + "/")
