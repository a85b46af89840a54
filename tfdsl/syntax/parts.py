"""A text read in parts: each declaration at the left edge is read separately, and unchanged parts are reused.

Declarations share nothing but the file, so the tree of one does not change when another does. A part is read from a
text of its own, at offset 0; its tree is moved to the position of the part in the whole text, that of a job only when
it is needed. Adjacent parts that are not complete are read together, because the content of a block can be at the left
edge.

Used when a text has errors, which then stay in their part, and when a text changes repeatedly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple, TypeVar, cast

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Rule
from tfdsl.gc_pause import without_gc
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.syntax import ast, lexer
from tfdsl.syntax.lexer import DECLARATIONS, Lexed
from tfdsl.syntax.parser import Parsed, comments_of, in_order, plain, recovered
from tfdsl.text import Source, Span

T = TypeVar("T")

_HEAD = regex(r"^(?:edition|include|param|let|template|profile|job)\b", re.M)

# What can begin something that continues over many lines.
_LONG = regex(r'"""|' + r"'''|/\*|<<")

MOST_JOINED = 16
"""The most parts that are joined to find the end of a text block that contains a declaration at the left edge."""


class Part:
    """A part of a text that was read separately; spans are relative to it.

    ``whole``: it is a sequence of declarations. ``open``: something in it may continue after its end.
    """

    __slots__ = ("_recovered", "comments", "lexed", "open", "read", "text", "whole")

    def __init__(self, source: Source) -> None:
        lexed, builder, self.whole = plain(source)
        self.text = source.text
        self.lexed = lexed
        self.comments = comments_of(lexed)
        self.open = bool(lexed.diagnostics) and _LONG.search(source.text) is not None
        self.read = Read(builder.declarations, builder.diagnostics, 0)
        self._recovered: Read | None = None

    def recovered(self, source: Source, errors: int) -> Read:
        """An incomplete part of ``source``, read with recovery, after ``errors`` in the parts before."""
        from tfdsl.syntax.recovery import MANY_ERRORS

        known = self._recovered
        if known is not None and errors + known.errors < MANY_ERRORS:
            return known
        builder, total = recovered(Source(source.path, self.text, source.origin), errors)
        made = Read(builder.declarations, builder.diagnostics, total - errors)
        if total < MANY_ERRORS:
            self._recovered = made
        return made


class Read(NamedTuple):
    """The content of a part. ``errors``: how often recovery was needed."""

    declarations: tuple[ast.Declaration, ...]
    diagnostics: list[Diagnostic]
    errors: int


class Parts:
    """Reads texts; remembers the parts of the last text of each path."""

    def __init__(self) -> None:
        self._cuts: dict[str, _Cut] = {}

    def tokens(self, source: Source) -> Lexed:
        """The result of :func:`tfdsl.syntax.lexer.lex`, without diagnostics."""
        lexed = lexer.Lexed(source)
        for start, part in self._cut(source).parts:
            known = part.lexed
            lexed.types += known.types[:-1]
            lexed.starts += [start + at for at in known.starts[:-1]]
            lexed.ends += [start + at for at in known.ends[:-1]]
            lexed.remarks += [(start + begin, start + end) for begin, end in known.remarks]
            lexed.unclosed |= {start + at for at in known.unclosed}
            lexed.meant |= {start + at: word for at, word in known.meant.items()}
        lexed.add(lexer.END, len(source.text), len(source.text))
        return lexed

    def _cut(self, source: Source) -> _Cut:
        known = self._cuts.get(source.path)
        if known is None or known.source is not source:
            known = self._cuts[source.path] = _Cut(source, known.used if known is not None else {})
        return known

    @without_gc
    def read(self, source: Source) -> Parsed:
        """The result of :func:`tfdsl.syntax.parse`."""
        declarations: list[ast.Declaration] = []
        comments: list[ast.Comment] = []
        diagnostics: list[Diagnostic] = []
        errors = 0
        for start, part in self._cut(source).parts:
            read = part.read
            if not part.whole:
                read = part.recovered(source, errors)
                errors += read.errors
            move = _Move(source, start)
            declarations += map(move.declaration, read.declarations)
            comments += map(move.of, part.comments)
            diagnostics += map(move.of, read.diagnostics)
        return Parsed(ast.File(source, tuple(declarations), tuple(comments)), in_order(_once(diagnostics)))


class _Cut:
    """One text and its ``parts`` with where they begin. ``used``: all that was read for it, by its text."""

    def __init__(self, source: Source, known: dict[str, Part]) -> None:
        self.source = source
        self.used: dict[str, Part] = {}
        self._known = known
        self.parts = tuple(self._parts())
        self._known = {}

    def _parts(self) -> Iterator[tuple[int, Part]]:
        """Neighbours that are not whole are one."""
        joined: list[tuple[int, int]] = []
        for start, stop in self._pieces():
            part = self._part(start, stop)
            if not part.whole:
                joined.append((start, stop))
                continue
            yield from self._joined(joined)
            joined.clear()
            yield start, part
        yield from self._joined(joined)

    def _joined(self, pieces: list[tuple[int, int]]) -> Iterator[tuple[int, Part]]:
        if pieces:
            yield pieces[0][0], self._part(pieces[0][0], pieces[-1][1])

    def _pieces(self) -> Iterator[tuple[int, int]]:
        """From each declaration at the left edge to the next one."""
        text = self.source.text
        bounds = sorted({0, *(match.start() for match in _HEAD.finditer(text)), len(text)})
        at = 0
        while at < len(bounds) - 1:
            following = at + 1
            if self._part(bounds[at], bounds[following]).open:
                following = self._end(bounds, at)
                if not following:
                    bounds = [bounds[at], *_heads_behind(self.source, bounds[at]), len(text)]
                    yield from pairwise(bounds)
                    return
            yield bounds[at], bounds[following]
            at = following

    def _end(self, bounds: list[int], at: int) -> int:
        """The number of the bound where an open part is known to end, or 0."""
        text = self.source.text
        for following in range(at + 2, min(at + MOST_JOINED, len(bounds))):
            known = self._known.get(text[bounds[at] : bounds[following]])
            if known is not None and known.whole and not known.open:
                return following
        return 0

    def _part(self, start: int, stop: int) -> Part:
        source = self.source
        text = source.text[start:stop]
        part = self.used.get(text)
        if part is None:
            part = self.used[text] = self._known.get(text) or Part(Source(source.path, text, source.origin))
        return part


def _heads_behind(source: Source, start: int) -> Iterator[int]:
    """The declarations at the left edge after ``start``, as the lexer sees them from there."""
    lexed = lexer.lex(source, start)
    text, types, starts = source.text, lexed.types, lexed.starts
    for i in range(1, len(types) - 1):
        if types[i] in DECLARATIONS and types[i - 1] == lexer.NEWLINE and text[starts[i] - 1] == "\n":
            yield starts[i]


def _once(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Keep only the first report about line ends of old systems."""
    old = [one for one in diagnostics if one.rule is rules.FORBIDDEN_CHARACTER and one.span.text == "\r"]
    again = set(map(id, old[1:]))
    return [one for one in diagnostics if id(one) not in again] if again else diagnostics


# --- moving ----------------------------------------------------------------------------------------------------


class _Move:
    """Moves the content of a part to the position of the part."""

    def __init__(self, source: Source, by: int) -> None:
        self.source = source
        self.by = by

    def declaration(self, node: ast.Declaration) -> ast.Declaration:
        if not isinstance(node, ast.Job):
            return self.of(node)
        return ast.Job.later(node, self.of((node.name, node.span, node.condition, node.pattern)), self.of)

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
