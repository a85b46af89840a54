"""YAML from document data, with the IR path of every line.

Block style, two spaces, a list at the indentation of its key (what kubectl prints), keys in the order given, long lines
never folded, no aliases, tags or directives. How a scalar is spelt: :mod:`tfdsl.emit.yaml_scalar`.

The writer is on the way of every compilation and is written for speed: one walk, scalars spelt once per text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tfdsl.emit import yaml_scalar
from tfdsl.emit.located import Block, Data, Located, unwrap
from tfdsl.emit.written import Written
from tfdsl.vocabulary.quantities import Duration, Quantity

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
    """The lines so far, with the path of each.

    Everywhere, ``lead`` is what stands before the first line of a collection (``- `` for one that is in a list),
    ``indent`` before its other lines, and ``path`` is inherited by what has no place of its own.
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
                value, place = value
            if value is None:
                continue
            key = keys.get(name)
            if key is None:
                key = yaml_scalar.key(name)
                if len(key) <= yaml_scalar.LONGEST_SIMPLE_KEY:
                    keys[name] = key
                else:
                    self.put(f"{lead}? {key}", place)
                    key, lead = "", indent
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
                value, place = value
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

    def value(self, head: str, indent: str, value: Data, path: str | None) -> None:
        """The value of a key; ``head`` is the line up to and with the colon, ``indent`` that of the map."""
        if _is_scalar(value):
            self.scalar(head + " ", indent, value, path)
            return
        self.put(head, path)
        inner = indent if isinstance(value, list | tuple) else indent + _INDENT
        if not self.collection(value, inner, inner, path):
            self.lines[-1] += " " + _empty(value)

    def scalar(self, head: str, indent: str, value: Data, path: str | None) -> None:
        """A scalar after ``head``, in the collection that is indented by ``indent``."""
        if isinstance(value, str):
            literal = yaml_scalar.block(value) if "\n" in value or isinstance(value, Block) else None
            if literal is not None:
                self.literal(head, indent + _INDENT, literal, path)
                return
            written = yaml_scalar.text(value)
            if type(value) is str:
                self._texts[value] = written
        elif isinstance(value, Quantity | Duration):
            written = yaml_scalar.text(value.text)
        elif isinstance(value, bool | int | float):
            written = yaml_scalar.number(value)
        else:
            raise TypeError(f"no document data: {type(value).__name__}")
        self.put(head + written, path)

    def literal(self, head: str, inner: str, literal: tuple[str, list[str]], path: str | None) -> None:
        header, lines = literal
        self.put(head + header, path)
        self.lines.extend([inner + line if line else "" for line in lines])
        self.paths.extend([path] * len(lines))


def _is_scalar(data: Data) -> bool:
    return isinstance(data, str | bool | int | float | Quantity | Duration)


def _empty(data: Data) -> str:
    return "{}" if isinstance(data, Mapping) else "[]"
