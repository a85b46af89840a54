"""YAML from document data, with the IR path of every line.

Block style, two spaces, a list at the indentation of its key (what kubectl prints), keys in the order given, long lines
never folded, no aliases, tags or directives. How a scalar is spelt: :mod:`tfdsl.emit.yaml`.

The writer is on the way of every compilation and is written for speed: one walk, scalars spelt once per text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tfdsl.emit.located import Block, Data, Lines, Located, Written, unwrap, without_exponent
from tfdsl.patterns import regex
from tfdsl.vocabulary.quantities import Duration, Quantity

_INDENT: Final = "  "


def write(documents: Sequence[Data], header: Sequence[str] = ()) -> Written:
    """One stream of the documents, ``---`` between them; absent documents are left out.

    ``header`` becomes comment lines at the top. The text ends in a newline, and re-reads as
    :func:`tfdsl.emit.located.plain` of each document in PyYAML, libyaml, Go and YAML 1.2 readers.
    """
    writer = _Writer()
    for line in header:
        writer.put(comment(line), None)
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
            self.put(text(data), path)
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
                key = written_key(name)
                if len(key) <= LONGEST_SIMPLE_KEY:
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
            literal = block(value) if "\n" in value or isinstance(value, Block) else None
            if literal is not None:
                self.literal(head, indent + _INDENT, literal, path)
                if isinstance(value, Lines):
                    self.paths[-len(value.paths) :] = value.paths
                return
            written = text(value)
            if type(value) is str:
                self._texts[value] = written
        elif isinstance(value, Quantity | Duration):
            written = text(value.text)
        elif isinstance(value, bool | int | float):
            written = number(value)
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


# --- yaml scalar ---
#
# How a single value is spelt in YAML so that every reader takes it for the same value.
#
# Readers disagree: YAML 1.1 (PyYAML, older Go) takes ``y``, ``012``, ``1_000`` and ``1:30`` for a bool and numbers,
# YAML 1.2 takes ``0o14`` and ``1e3`` for numbers. A text is written plain only when it is made of harmless characters
# and nobody could take it for anything else; otherwise in double quotes, or in single quotes (as kubectl does) when it
# holds ``"`` or ``\``, so that JSON in a manifest stays readable.

_HARMLESS: Final = regex(
    r"(?:[A-Za-z_/$]|-(?=[-A-Za-z])|\.(?=[/A-Za-z])|(?=[0-9]))"  # the first character decides most
    r"(?:[A-Za-z0-9_./@%+=,~^$()\-]|:(?=[^ ])| (?=[^ ]))*\Z"  # no "x: ", no "#", no blank at the end
)
_HARMLESS_KEY: Final = regex(r"[A-Za-z_./0-9][A-Za-z0-9_./\-]*\Z")
_MAYBE_NUMBER: Final = regex(r"[-+.]?[0-9][0-9_,.:eExXoObBa-fA-F+\-TtZz ]*\Z")
_WORDS: Final = frozenset(
    ("true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity", ".nan", ".inf", "-.inf")
)
_LONGEST_WORD: Final = 8

# Patterns as texts: most files need neither, and compiling them costs a millisecond of every start.
_UNREADABLE: Final = r"\x7f-\xa0\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\uffff"
_ESCAPED: Final = rf'["\\\x00-\x1f{_UNREADABLE}]'
_NOT_IN_BLOCK: Final = rf"[\x00-\x08\x0b-\x1f{_UNREADABLE}]"
_NAMED: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0", "\x1b": "\\e"}

LONGEST_SIMPLE_KEY: Final = 1000
"""Readers look at most 1024 characters ahead for the ``:`` after a key (YAML 1.1 §9.3, 1.2 §7.4.2)."""


def text(value: str) -> str:
    """A text on one line: plain, single or double quoted. Lone surrogates are escaped, not every reader has them."""
    if _HARMLESS.match(value) and not _taken_for_else(value):
        return value
    if ('"' in value or "\\" in value) and _is_simple(value):
        return "'" + value.replace("'", "''") + "'"
    return _double_quoted(value)


def written_key(value: str) -> str:
    """The same for the key of a map; fewer characters stay plain."""
    if _HARMLESS_KEY.match(value) and not _taken_for_else(value):
        return value
    return _double_quoted(value)


def number(value: float) -> str:
    """A bool, whole number or float, which has a ``.`` and no exponent."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if value != value:
        return ".nan"
    if value in (float("inf"), float("-inf")):
        return ".inf" if value > 0 else "-.inf"
    return without_exponent(value)


def block(value: str) -> tuple[str, list[str]] | None:
    """The header (``|``, ``|-``, ``|2`` …) and the lines of the literal form, or ``None`` where that is not exact.

    Lines are without indentation; the caller indents what is not empty by two more than the collection it is in, which
    is what the indicator ``2`` means. Not exact (or not safe with every reader): characters that a block cannot
    escape, a carriage return, a first or last line of blanks only (which readers get right and people do not see).
    """
    body = value.rstrip("\n")
    lines = body.split("\n")
    if not body or (not all(map(_is_simple, lines)) and re.search(_NOT_IN_BLOCK, body)):
        return None
    if not lines[0].strip(" \t") or not lines[-1].strip(" \t"):
        return None
    # A blank in front would be taken for indentation, and libyaml refuses a tab where it looks for indentation.
    indicator = "2" if value[0] in " \t" else ""
    breaks = len(value) - len(body)
    if breaks == 1:
        return "|" + indicator, lines
    if breaks == 0:
        return f"|{indicator}-", lines
    return f"|{indicator}+", lines + [""] * (breaks - 1)


def comment(line: str) -> str:
    """One line of comment; what would end it or cannot be read is escaped."""
    return "# " + re.sub(_NOT_IN_BLOCK, _escape, line.replace("\n", "\\n")) if line else "#"


def _is_simple(value: str) -> bool:
    """Nothing but blanks and visible ASCII. (What else is printable depends on the version of Python.)"""
    return value.isascii() and value.isprintable()


def _double_quoted(value: str) -> str:
    if _is_simple(value) and '"' not in value and "\\" not in value:
        return f'"{value}"'
    return '"' + re.sub(_ESCAPED, _escape, value) + '"'


def _taken_for_else(value: str) -> bool:
    first = value[0]
    if first.isdigit() or first in "-.":
        return bool(_MAYBE_NUMBER.match(value)) or value.lower() in _WORDS or value.startswith("---")
    return len(value) <= _LONGEST_WORD and value.lower() in _WORDS


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    named = _NAMED.get(char)
    if named is not None:
        return named
    code = ord(char)
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}"
