"""The concrete syntax tree, with nothing left out, for the formatter and for tests against lark."""

from __future__ import annotations

from typing import NamedTuple

from tfdsl.syntax import _tables as tables
from tfdsl.syntax.driver import Build, Machine
from tfdsl.syntax.lexer import Lexed, lex
from tfdsl.text import Source, Span


class Node(NamedTuple):
    """One rule of the grammar; a child that is an ``int`` is a token's number. ``start`` and ``end`` are offsets."""

    name: str
    start: int
    end: int
    children: tuple[Node | int, ...]


class Tree:
    """A parsed text: its tokens, and its root unless the text is empty."""

    __slots__ = ("lexed", "root")

    def __init__(self, lexed: Lexed) -> None:
        self.lexed = lexed
        self.root: Node | None = None


def parse_tree(source: Source, *, expression: bool = False) -> Tree | None:
    """The concrete tree of a text without syntax errors, else None.

    Escapes and interpolations inside strings are not read.
    """
    lexed = lex(source)
    tree = Tree(lexed)
    if len(lexed.types) == 1 and not expression:
        return tree
    start = tables.START_EXPRESSION if expression else tables.START_FILE
    if lexed.diagnostics or not Machine(lexed, start, tree, _BUILDERS).run(len(lexed.types) - 1):
        return None
    return tree


def _maker(name: str) -> Build:
    def build(tree: Tree, span: Span, *children: Node | int) -> Node:
        tree.root = Node(name, span.start, span.end, children)
        return tree.root

    return build


# The start rule is built last, so the last node is the root.
_BUILDERS = tuple(_maker(name) for _, _, name, _, _ in tables.RULES)
