"""Bringing a text, or a part of it, into the one layout, with as few edits as do it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.lsp.names import Node, path_at, span_of, walk
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.record import Record
from tfdsl.semantics.project import Program
from tfdsl.syntax import _tables as tables, ast, lexer
from tfdsl.syntax.format import format_source
from tfdsl.syntax.lexer import CLOSERS, Lexed, comment_places
from tfdsl.text import Source, Span

TRIGGERS = ("}", "\n")
"""Characters that format what they end."""


def format_all(snapshot: Snapshot) -> list[Edit]:
    """The edits that format the whole text; declarations with syntax errors are left alone."""
    source = snapshot.source
    text, _ = format_source(source)
    if text == source.text:
        return []
    edits = _by_tokens(source, text)
    return edits if edits is not None else [Edit(Span(source, 0, len(source.text)), text)]


def _by_tokens(source: Source, text: str) -> list[Edit] | None:
    """One edit for each gap between tokens that differs, so that each can be applied alone.

    A layout has the tokens of the text; commas and line ends belong to the gaps.
    """
    old, new = _solid(source), _solid(Source("", text))
    if [kind for kind, _, _ in old] != [kind for kind, _, _ in new]:
        return None
    edits: list[Edit] = []
    before = after = 0
    for (_, start, end), (_, start_after, end_after) in zip(old, new, strict=True):
        for (first, last), (first_after, last_after) in (
            ((before, start), (after, start_after)),
            ((start, end), (start_after, end_after)),
        ):
            if source.text[first:last] != text[first_after:last_after]:
                edits.append(Edit(Span(source, first, last), text[first_after:last_after]))
        before, after = end, end_after
    return edits


def _solid(source: Source) -> list[tuple[int, int, int]]:
    """Kind, start and end of all tokens but commas and line ends; the end of the text is one."""
    lexed = lexer.lex(source)
    tokens = zip(lexed.types, lexed.starts, lexed.ends, strict=True)
    return [token for token in tokens if token[0] not in (lexer.NEWLINE, _COMMA)]


_COMMA = lexer.OPERATORS[","]


def format_range(snapshot: Snapshot, start: int, end: int) -> list[Edit]:
    """The edits of :func:`format_all` on the lines of the characters from ``start`` to ``end``."""
    text = snapshot.source.text
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", max(end - 1, start))
    return _within(format_all(snapshot), max(first - 1, 0), len(text) if last < 0 else last)


def format_typed(snapshot: Snapshot, offset: int, typed: str) -> list[Edit]:
    """The edits for what the character before ``offset`` ends: the block, or the line before.

    What is behind the character is left alone, so that nothing jumps under the fingers.
    """
    text = snapshot.source.text
    if typed == "}":
        start = _opening(snapshot, offset)
        if start is None:
            return []
        return _within(format_all(snapshot), max(text.rfind("\n", 0, start), 0), offset)
    end = text.rfind("\n", 0, offset)
    return _within(format_all(snapshot), max(text.rfind("\n", 0, max(end, 0)), 0), end)


def _within(edits: list[Edit], start: int, end: int) -> list[Edit]:
    return [edit for edit in edits if start <= edit.span.start and edit.span.end <= end]


def _opening(snapshot: Snapshot, offset: int) -> int | None:
    """Where the bracket opens that the character before ``offset`` closes."""
    lexed = snapshot.lexed
    return next((lexed.starts[open_] for open_, close in _pairs(lexed) if lexed.ends[close] == offset), None)


def _pairs(lexed: Lexed) -> Iterator[tuple[int, int]]:
    """The tokens that open and close each bracket, in the order of the latter."""
    opened: list[int] = []
    for at, type_ in enumerate(lexed.types):
        if type_ in CLOSERS:
            opened.append(at)
        elif type_ in (lexer.RBRACE, lexer.RSQB, lexer.RPAR) and opened:
            yield opened.pop(), at


Kind: TypeAlias = Literal["region", "comment", "imports"]


class Fold(Record):
    """Lines from 0; the first one stays."""

    first: int
    last: int
    kind: Kind = "region"


def folding(snapshot: Snapshot) -> list[Fold]:
    """The folds of a text, by their first line."""
    return sorted([*_brackets(snapshot), *_comments(snapshot)], key=lambda fold: (fold.first, -fold.last))


def _brackets(snapshot: Snapshot) -> Iterator[Fold]:
    lexed = snapshot.lexed
    for open_, close in _pairs(lexed):
        yield from _fold(snapshot.source, lexed.starts[open_], lexed.starts[close], 1)
    for type_, start, end in zip(lexed.types, lexed.starts, lexed.ends, strict=True):
        if tables.TERMINALS[type_] in ("TEXT", "RAW"):
            yield from _fold(snapshot.source, start, end, 0)


def _fold(source: Source, start: int, end: int, left: int) -> Iterator[Fold]:
    """The lines between two offsets, but so many at the end are ``left``; nothing if they are on one line."""
    first, last = source.position(start)[0] - 1, source.position(end)[0] - 1 - left
    if last > first:
        yield Fold(first, last)


def _comments(snapshot: Snapshot) -> Iterator[Fold]:
    """Comments on lines of their own, one below the other."""
    source = snapshot.source
    lines: list[int] = []
    for start, _ in comment_places(snapshot.lexed):
        line, column = source.position(start)
        if source.text[start - column + 1 : start].strip():
            continue
        if lines and line - 1 != lines[-1] + 1:
            yield from _run(lines)
            lines = []
        lines.append(line - 1)
    yield from _run(lines)


def _run(lines: list[int]) -> Iterator[Fold]:
    if len(lines) > 1:
        yield Fold(lines[0], lines[-1], "comment")


def selection(snapshot: Snapshot, offset: int) -> list[Span]:
    """The ranges around ``offset``, innermost first, each within the next."""
    found = [Span(snapshot.source, 0, len(snapshot.source.text))]
    for node in path_at(snapshot.file, offset):
        span = span_of(node)
        if found[-1].start <= span.start and span.end <= found[-1].end and span != found[-1]:
            found.append(span)
    return found[::-1]


class Token(Record):
    """A name of one line; ``type`` and ``modifiers`` in the words of the protocol."""

    span: Span
    type: str
    modifiers: tuple[str, ...] = ()


def semantic_tokens(snapshot: Snapshot) -> list[Token]:
    """The names of a text in its order."""
    program = snapshot.program
    found = {
        token.span.start: token
        for declaration in snapshot.file.declarations
        for node, _ in walk(declaration)
        for token in _tokens(node, program)
        if token.span.end > token.span.start and "\n" not in token.span.text
    }
    ordered: list[Token] = []
    for start in sorted(found):
        if not ordered or ordered[-1].span.end <= start:
            ordered.append(found[start])
    return ordered


_NAMES: dict[type[Record], tuple[str, str, tuple[str, ...]]] = {
    ast.Param: ("name", "parameter", ("declaration",)),
    ast.Let: ("name", "variable", ("declaration", "readonly")),
    ast.Template: ("name", "struct", ("declaration",)),
    ast.Use: ("name", "struct", ()),
    ast.Job: ("name", "class", ("declaration",)),
    ast.Flow: ("name", "class", ("declaration",)),
    ast.FlowRun: ("job", "class", ()),
    ast.Role: ("name", "class", ("declaration",)),
    ast.Step: ("name", "class", ("declaration",)),
    ast.UnsetStep: ("name", "class", ()),
    ast.UnsetAttribute: ("name", "property", ()),
    ast.Subject: ("role", "class", ()),
    ast.Target: ("name", "namespace", ()),
    ast.Profile: ("name", "namespace", ()),
    ast.TypeRef: ("name", "type", ()),
    ast.Mount: ("kind", "type", ()),
    ast.Event: ("name", "event", ()),
    ast.Policy: ("action", "enumMember", ()),
    ast.Output: ("when", "enumMember", ()),
    ast.Assign: ("key", "property", ()),
    ast.Call: ("name", "function", ()),
    ast.Member: ("name", "property", ()),
}
"""Which field of a node is a name, and what it is."""


def _tokens(node: Node, program: Program) -> Iterator[Token]:
    if isinstance(node, ast.Ref):
        if node.name in program.params:
            yield Token(node.span, "parameter")
        elif node.name in program.lets:
            yield Token(node.span, "variable", ("readonly",))
    elif type(node) in _NAMES:
        field, kind, modifiers = _NAMES[type(node)]
        name: object = getattr(node, field)
        if isinstance(name, ast.Name) and getattr(node, "pattern", None) is None:
            yield Token(name.span, kind, modifiers)
