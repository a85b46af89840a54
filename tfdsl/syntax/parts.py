"""A text with errors, read in parts: each declaration at the left edge separately, so an error stays in its part.

Declarations share nothing but the file. A part is read as a text of its own, and its tree is moved to the position of
the part in the whole text. Adjacent parts that are not complete are read together, because the content of a block can
be at the left edge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from operator import attrgetter
from typing import TypeVar, cast

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Rule
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.syntax import ast, lexer
from tfdsl.syntax.lexer import DECLARATIONS
from tfdsl.syntax.parser import Parsed, comments_of, in_order, plain, recovered
from tfdsl.text import Source, Span

T = TypeVar("T")

_HEAD = regex(rf"^(?:{'|'.join(lexer.DECLARATION_WORDS)})\b", re.M)

# What can begin something that continues over many lines.
_LONG = regex(r'"""|' + r"'''|/\*|<<")


class _Part:
    """The text from ``start`` to ``stop``, read by itself; spans are relative to ``start``.

    ``whole``: it is a sequence of declarations. ``open``: something in it may continue after its end.
    """

    def __init__(self, source: Source, start: int, stop: int) -> None:
        self.start, self.stop = start, stop
        self.source = Source(source.path, source.text[start:stop], source.origin)
        self.lexed, self.builder, self.whole = plain(self.source)
        self.open = bool(self.lexed.diagnostics) and _LONG.search(self.source.text) is not None


def read(source: Source) -> Parsed:
    """What :func:`tfdsl.syntax.parse` returns for a text with errors."""
    declarations: list[ast.Declaration] = []
    comments: list[ast.Comment] = []
    diagnostics: list[Diagnostic] = []
    errors = 0
    for part in _parts(source):
        builder = part.builder
        if not part.whole:
            builder, errors = recovered(part.source, errors)
        move = _Move(source, part.start)
        declarations += map(move.of, builder.declarations)
        comments += map(move.of, comments_of(part.lexed))
        diagnostics += map(move.of, builder.diagnostics)
    return Parsed(ast.File(source, tuple(declarations), tuple(comments)), in_order(_once(diagnostics)))


def _parts(source: Source) -> Iterator[_Part]:
    """The parts of a text; neighbours that are not whole are one."""
    broken: list[_Part] = []
    for part in _pieces(source):
        if not part.whole:
            broken.append(part)
            continue
        yield from _joined(source, broken)
        broken.clear()
        yield part
    yield from _joined(source, broken)


def _joined(source: Source, parts: list[_Part]) -> Iterator[_Part]:
    if parts:
        yield parts[0] if len(parts) == 1 else _Part(source, parts[0].start, parts[-1].stop)


def _pieces(source: Source) -> Iterator[_Part]:
    """From each declaration at the left edge to the next one."""
    text = source.text
    for start, stop in pairwise(sorted({0, *(match.start() for match in _HEAD.finditer(text)), len(text)})):
        part = _Part(source, start, stop)
        if part.open:
            for bounds in pairwise((start, *_heads_behind(source, start), len(text))):
                yield _Part(source, *bounds)
            return
        yield part


def _heads_behind(source: Source, start: int) -> Iterator[int]:
    """The declarations at the left edge after ``start``, as the lexer sees them from there."""
    lexed = lexer.lex(source, start)
    text, types, starts = source.text, lexed.types, lexed.starts
    for i in range(1, len(types) - 1):
        if types[i] in DECLARATIONS and types[i - 1] == lexer.NEWLINE and text[starts[i] - 1] == "\n":
            yield starts[i]


def _once(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Keep only the first report about line ends of old systems."""
    old = [
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.rule is rules.FORBIDDEN_CHARACTER and diagnostic.span.text == "\r"
    ]
    again = set(map(id, old[1:]))
    return [diagnostic for diagnostic in diagnostics if id(diagnostic) not in again] if again else diagnostics


# --- moving ----------------------------------------------------------------------------------------------------


class _Move:
    """Moves the content of a part to the position of the part."""

    def __init__(self, source: Source, by: int) -> None:
        self.source = source
        self.by = by

    def of(self, value: T) -> T:
        """A node, a diagnostic or anything in one, with its spans in the whole text."""
        kind = type(value)
        if kind is Span:
            _, start, end = cast("Span", value)
            return cast("T", Span(self.source, start + self.by, end + self.by))
        if kind is tuple:
            return cast("T", tuple([self.of(each) for each in cast("tuple[object, ...]", value)]))
        if not isinstance(value, Record) or kind is Rule:
            return value
        values = (_VALUES.get(kind) or _values(type(value)))(value)
        return kind(*[self.of(each) for each in values])


_VALUES: dict[type, Callable[[Record], Iterable[object]]] = {}


def _values(kind: type[Record]) -> Callable[[Record], Iterable[object]]:
    """A function that returns the values of all fields of a record."""
    names = kind.__fields__
    get = attrgetter(*names)
    _VALUES[kind] = get if len(names) > 1 else lambda record: (get(record),)
    return _VALUES[kind]
