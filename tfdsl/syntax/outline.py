"""The tokens of a text as the formatter sees them: elements between separators, groups between brackets, comments.

It has no line ends, except those with a comment; it only records whether a group was written over several lines and
where there were blank lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from tfdsl.syntax import lexer
from tfdsl.syntax.brackets import CLOSERS
from tfdsl.syntax.lexer import Lexed

if TYPE_CHECKING:
    from tfdsl.syntax.tree import Node, Tree

COMMA = lexer.OPERATORS[","]
CONTINUES = lexer.INFIX | {lexer.OPERATORS["?"], lexer.OPERATORS[":"]}
COLON = lexer.OPERATORS[":"]

# block: braces of any kind. list and call: elements that can be on lines of their own. closed: (…) and x[…], always
# on one line.
Kind: TypeAlias = Literal["block", "list", "call", "closed"]


class Remark(NamedTuple):
    """A comment on a line of its own, and whether a blank line precedes it."""

    blank: bool
    text: str


class Gap(NamedTuple):
    """The content of a line end: the comment after the line, the comment lines below it, a blank line at the end."""

    trailing: str
    remarks: tuple[Remark, ...]
    blank: bool


class Group:
    """What is between two brackets. ``open_lines``: it was written over several lines and stays that way."""

    __slots__ = ("close", "elements", "kind", "open", "open_lines", "opening", "remarks")

    def __init__(self, kind: Kind, open_: int) -> None:
        self.kind: Kind = kind
        self.open = open_
        self.close = open_
        self.elements: list[Element] = []
        self.open_lines = False
        self.opening = ""
        self.remarks: tuple[Remark, ...] = ()


Part: TypeAlias = "int | Group | Gap"


class Element:
    """One item, entry, element or argument with the comments that belong to it."""

    __slots__ = ("blank", "parts", "remarks", "trailing")

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.remarks: tuple[Remark, ...] = ()
        self.blank = False
        self.trailing = ""


class Marks:
    """What the tree says about tokens that look alike, by token number."""

    def __init__(self, tree: Tree) -> None:
        self.calls: set[int] = set()
        self.lists: set[int] = set()
        self.unary: set[int] = set()
        self.angles: set[int] = set()
        self.type_colons: set[int] = set()
        last = {end: i for i, end in enumerate(tree.lexed.ends[:-1])}
        numbers = {start: i for i, start in enumerate(tree.lexed.starts)}
        waiting: list[Node] = [tree.root] if tree.root else []
        while waiting:
            node = waiting.pop()
            name = next((child for child in node.children if isinstance(child, int)), 0)
            if node.name == "call":
                self.calls.add(name + 1)
            elif node.name == "list":
                self.lists.add(numbers[node.start])
            elif node.name in ("negate", "not"):
                self.unary.add(numbers[node.start])
            elif node.name == "type" and len(node.children) > 1:
                self.angles |= {name + 1, last[node.end]}
            elif node.name == "param":
                self.type_colons.add(name + 1)
            waiting.extend(child for child in node.children if not isinstance(child, int))


class Outline:
    """Reads the tokens of a tree into elements."""

    def __init__(self, tree: Tree) -> None:
        self.lexed: Lexed = tree.lexed
        self.marks = Marks(tree)
        self.at = 0

    def read(self) -> Group:
        """The whole text as a block without brackets (both are ``$END``)."""
        group = Group("block", len(self.lexed.types) - 1)
        self._fill(group, lexer.END)
        return group

    def _fill(self, group: Group, closer: int) -> None:
        """Read up to the closing bracket."""
        types = self.lexed.types
        element = Element()
        while True:
            type_ = types[self.at]
            if type_ == closer:
                break
            if type_ == lexer.NEWLINE:
                element = self._line_end(group, element, closer)
                continue
            if type_ == COMMA:
                self._finish(group, element)
                element = Element()
                if types[self.at + 1] == lexer.NEWLINE and types[self.at + 2] == closer:
                    group.open_lines = True
            elif type_ in CLOSERS:
                element.parts.append(self._group())
                continue
            else:
                element.parts.append(self.at)
            self.at += 1
        self._finish(group, element)
        group.close = self.at

    def _finish(self, group: Group, element: Element) -> None:
        if element.parts:
            group.elements.append(element)

    def _group(self) -> Group:
        type_ = self.lexed.types[self.at]
        kind: Kind = "closed"
        if type_ == lexer.LBRACE:
            kind = "block"
        elif self.at in self.marks.lists:
            kind = "list"
        elif self.at in self.marks.calls:
            kind = "call"
        group = Group(kind, self.at)
        self.at += 1
        self._fill(group, CLOSERS[type_])
        self.at += 1
        return group

    def _line_end(self, group: Group, element: Element, closer: int) -> Element:
        """Read a line end; returns the element that is read next."""
        types = self.lexed.types
        before, after = types[self.at - 1] if self.at else lexer.END, types[self.at + 1]
        gap = self._gap(self.at)
        first = self.at == group.open + 1 or (closer == lexer.END and self.at == 0)
        self.at += 1
        if group.kind == "block" and not (first and after == closer):
            group.open_lines = True
        if first and closer == lexer.END:
            gap = Gap("", (*([Remark(False, gap.trailing)] if gap.trailing else []), *gap.remarks), gap.blank)
        if first:
            group.opening = gap.trailing
        elif element.parts and after != closer and self._goes_on(before, after):
            element.parts.append(gap)
            return element
        else:
            owner = element if element.parts else (group.elements[-1] if group.elements else None)
            if owner is not None:
                owner.trailing = gap.trailing
            self._finish(group, element)
        if after == closer:
            group.remarks = gap.remarks
            return Element()
        following = Element()
        following.remarks, following.blank = gap.remarks, gap.blank
        if first and gap.remarks:
            following.remarks = (gap.remarks[0]._replace(blank=False), *gap.remarks[1:])
        elif first:
            following.blank = False
        return following

    def _goes_on(self, before: int, after: int) -> bool:
        """Whether an element continues after the line end that was just read."""
        return after == COLON or (before in CONTINUES and self.at - 2 not in self.marks.angles)

    def _gap(self, i: int) -> Gap:
        text = self.lexed.source.text[self.lexed.starts[i] : self.lexed.ends[i]]
        first, *lines = text.split("\n")
        remarks: list[Remark] = []
        blank = False
        for line in lines[:-1]:
            comment = line.strip()
            if comment:
                remarks.append(Remark(blank, comment))
            blank = not comment
        return Gap(first.rstrip(), tuple(remarks), blank)
