"""YAML from document data, with the IR path of every line.

Block style, two spaces, a list at the indentation of its key (what kubectl prints), keys in the order given, long lines
never folded, no aliases, tags or directives. How a scalar is spelt: :mod:`tfdsl.emit.yaml_scalar`.

The writer is on the way of every compilation and is written for speed: one walk, scalars spelt once per text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tfdsl.emit import yaml_scalar
from tfdsl.emit.located import Block, Located, unwrap
from tfdsl.emit.written import Written
from tfdsl.vocabulary.quantities import Duration, Quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.emit.located import Data

_INDENT: Final = "  "


def write(documents: Sequence[Data], header: Sequence[str] = ()) -> Written:
    """One stream of the documents, ``---`` between them; absent documents are left out.

    ``header`` becomes comment lines at the top. The text ends in a newline, and re-reads as
    :func:`tfdsl.emit.located.plain` of each document in PyYAML, libyaml, Go and YAML 1.2 readers.
    """
    writer = _Writer()
    for line in header:
        writer.put(yaml_scalar.comment(line), None)
    present = [document for document in documents if unwrap(document) is not None]
    for index, document in enumerate(present):
        if index:
            writer.put("---", None)
        writer.document(document)
    writer.lines.append("")
    return Written("\n".join(writer.lines), tuple(writer.paths))


class _Writer:
    """The lines so far. ``lead`` is what stands before the first line of a collection (``- `` for one in a list),
    ``indent`` before the others; ``path`` is inherited by what has no place of its own.
    """

    __slots__ = ("_keys", "_texts", "lines", "paths")

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.paths: list[str | None] = []
        self._keys: dict[str, str] = {}
        self._texts: dict[str, str] = {}

    def put(self, line: str, path: str | None) -> None:
        self.lines.append(line)
        self.paths.append(path)

    def document(self, data: Data) -> None:
        path: str | None = None
        while isinstance(data, Located):
            data, path = data
        if isinstance(data, str):  # a block at the root would have no indentation to count from
            self.put(yaml_scalar.text(data), path)
        elif _is_scalar(data):
            self.scalar("", "", data, path)
        elif not self.collection(data, "", "", path):
            self.put(_empty(data), path)

    def collection(self, data: Data, lead: str, indent: str, path: str | None) -> bool:
        """Write a map or list; false when nothing was in it."""
        if isinstance(data, Mapping):
            return self.mapping(data, lead, indent, path)
        if isinstance(data, list | tuple):
            return self.sequence(data, lead, indent, path)
        raise TypeError(f"no document data: {type(data).__name__}")

    def mapping(self, data: Mapping[str, Data], lead: str, indent: str, path: str | None) -> bool:
        keys, texts = self._keys, self._texts
        add_line, add_path = self.lines.append, self.paths.append
        start = len(self.lines)
        for name, value in data.items():
            place = path
            while type(value) is Located:
                value, place = value  # noqa: PLW2901 - unwrapping, on the hot way
            if value is None:
                continue
            key = keys.get(name)
            if key is None:
                key = keys[name] = self.key(name, indent)
            text = texts.get(value) if type(value) is str else None
            if text is not None:
                add_line(f"{lead}{key}: {text}")
                add_path(place)
            else:
                self.value(f"{lead}{key}:", indent, value, place)
            lead = indent
        return len(self.lines) > start

    def sequence(self, data: Sequence[Data], lead: str, indent: str, path: str | None) -> bool:
        texts = self._texts
        start = len(self.lines)
        inner = indent + _INDENT
        for value in data:
            place = path
            while type(value) is Located:
                value, place = value  # noqa: PLW2901 - unwrapping, on the hot way
            if value is None:
                continue
            text = texts.get(value) if type(value) is str else None
            if text is not None:
                self.put(f"{lead}- {text}", place)
            elif _is_scalar(value):
                self.scalar(f"{lead}- ", indent, value, place)
            elif not self.collection(value, f"{lead}- ", inner, place):
                self.put(f"{lead}- {_empty(value)}", place)
            lead = indent
        return len(self.lines) > start
