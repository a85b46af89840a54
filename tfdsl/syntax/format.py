"""``tfdsl fmt``: a text in the canonical layout, with the same meaning and all its comments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.syntax import _tables as tables, lexer
from tfdsl.syntax.driver import Build, Machine
from tfdsl.syntax.lexer import (
    CLOSERS,
    COLON,
    COMMA,
    DECLARATIONS,
    DOT,
    EQUAL,
    LESS,
    RAW,
    ROLE,
    TEXT,
    UPTO,
    Lexed,
    is_job_name,
    lex,
)
from tfdsl.syntax.parser import parse
from tfdsl.text import Source, Span

# --- tree ---
#
# The concrete syntax tree, with nothing left out, for the formatter and for tests against lark.


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


# --- outline ---
#
# The tokens of a text as the formatter sees them: elements between separators, groups between brackets, comments.
#
# It has no line ends, except those with a comment; it only records whether a group was written over several lines and
# where there were blank lines.

CONTINUES = lexer.INFIX | {lexer.OPERATORS["?"], lexer.OPERATORS[":"]}

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
        self.joined: set[int] = set()  # behind the first token of a name such as train-large
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
            elif node.name == "flow_run":
                for child in _jobs_named(node, tree.lexed):
                    self.joined.update(range(numbers[child.start] + 1, last[child.end] + 1))
            waiting.extend(child for child in node.children if not isinstance(child, int))


def _jobs_named(run: Node, lexed: Lexed) -> Iterator[Node]:
    """The names of jobs in a statement of a flow that look like subtractions."""
    waiting = [*run.children]
    while waiting:
        child = waiting.pop()
        if isinstance(child, int) or child.name == "condition":
            continue
        if child.name == "subtract" and is_job_name(lexed.source.text[child.start : child.end]):
            yield child
        elif child.name == "list":
            waiting.extend(child.children)


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
        first, *lines = self.lexed.source.text[self.lexed.starts[i] : self.lexed.ends[i]].split("\n")
        remarks: list[Remark] = []
        blank = False
        for line in lines[:-1]:
            comment = line.strip()
            if comment:
                remarks.append(Remark(blank, comment))
            blank = not comment
        return Gap(first.rstrip(), tuple(remarks), blank)


# --- layout ---
#
# Writes an outline in the canonical layout.
#
# Two spaces for each level, one item per line, ``=`` aligned in runs of neighbouring lines. Braces and lists stay on
# one line if they were written that way and fit; a list that ends in a comma and a line end stays open, as in Black.

WIDTH = 110
STEP = 2

# Roles with longer names are not aligned: `tensorboard` would push the braces of all others to the right.
ALIGNED_ROLE_NAME = 6


class Layout:
    """Writes the elements of one text."""

    def __init__(self, lexed: Lexed, marks: Marks) -> None:
        self.lexed = lexed
        self.marks = marks

    def file(self, group: Group) -> str:
        """The whole text, with a line end at the end unless it is empty."""
        lines = self._elements(group, 0)
        return "\n".join(lines) + "\n" if lines else ""

    # --- lines ---

    def _elements(self, group: Group, indent: int) -> list[str]:
        """The lines of all elements of a group, with all comments."""
        blanks = " " * indent
        comma = "," if group.kind in ("list", "call") else ""
        texts = self._aligned(group.elements, indent)
        lines: list[str] = []
        for element, text in zip(group.elements, texts, strict=True):
            for remark in element.remarks:
                lines.extend([""] if remark.blank and lines else [])
                lines.append(blanks + remark.text)
            lines.extend([""] if element.blank and lines else [])
            comment = f"  {element.trailing}" if element.trailing else ""
            lines.append(blanks + text + comma + comment)
        for remark in group.remarks:
            lines.extend([""] if remark.blank and lines else [])
            lines.append(blanks + remark.text)
        return lines

    def _aligned(self, elements: Sequence[Element], indent: int) -> list[str]:
        """The text of each element; in a run of neighbouring lines the keys are padded to the same width.

        A padded line may become too long and be broken, which ends its run, so this repeats until no line changes.
        """
        keys = [self._key(element) for element in elements]
        texts = [self._element(element, indent, 0) for element in elements]
        while True:
            widths = self._widths(elements, keys, ["\n" in text for text in texts])
            padded = [
                text if width == 0 else self._element(element, indent, width)
                for element, text, width in zip(elements, texts, widths, strict=True)
            ]
            single = [i for i, text in enumerate(texts) if "\n" not in text]
            if all("\n" not in padded[i] for i in single):
                return padded
            texts = [new if "\n" in new else old for new, old in zip(padded, texts, strict=True)]

    def _widths(self, elements: Sequence[Element], keys: list[tuple[int, int]], broken: list[bool]) -> list[int]:
        """The width that each key is padded to, or 0. A broken line is the last of its run."""
        widths = [0] * len(elements)
        runs: list[list[int]] = [[]]
        for i, element in enumerate(elements):
            kind, length = keys[i]
            run = runs[-1]
            apart = element.blank or bool(element.remarks)
            if run and (not length or apart or keys[run[-1]][0] != kind or broken[run[-1]]):
                runs.append([])
            if length:
                runs[-1].append(i)
        for run in runs:
            widest = max((keys[i][1] for i in run), default=0)
            for i in run:
                widths[i] = widest
        return widths

    def _key(self, element: Element) -> tuple[int, int]:
        """What is aligned (1: an attribute's ``=``, 2: a role's ``{``, 0: nothing) and how long its key is."""
        parts, types = element.parts, self.lexed.types
        first, second = parts[0], parts[1] if len(parts) > 1 else None
        if isinstance(first, int) and isinstance(second, int):
            if types[second] == EQUAL:
                return 1, len(self.lexed.text(first))
            plain = len(parts) > 2 and isinstance(parts[2], Group)  # a condition would come between name and brace
            if types[first] == ROLE and plain and len(self.lexed.text(second)) <= ALIGNED_ROLE_NAME:
                return 2, len(self.lexed.text(second))
        return 0, 0

    # --- one element ---

    def _element(self, element: Element, indent: int, width: int) -> str:
        """The element's text; all lines but the first are indented."""
        kind, length = self._key(element)
        pad = max(0, width - length)
        split = 0 if not pad else kind
        text = self._parts(element.parts, indent, set(), split, pad)
        if text is not None and self._fits(text, indent):
            return text
        groups = [part for part in element.parts if isinstance(part, Group) and part.elements]
        openable = [group for group in groups if group.kind != "closed"]
        for opened in ([openable[-1]] if openable else [], openable):
            text = self._parts(element.parts, indent, {id(group) for group in opened}, split, pad)
            if text is not None and self._fits(text, indent):
                return text
        text = self._parts(element.parts, indent, {id(group) for group in openable}, split, pad, as_written=True)
        assert text is not None
        return text

    def _fits(self, text: str, indent: int) -> bool:
        """Whether the lines are short enough. The content of a text block cannot be changed and does not count."""
        first, *others = text.split("\n")
        return indent + len(first) <= WIDTH and (not others or len(others[-1]) <= WIDTH)

    def _parts(
        self,
        parts: Sequence[Part],
        indent: int,
        opened: set[int],
        split: int = 0,
        pad: int = 0,
        *,
        as_written: bool = False,
    ) -> str | None:
        """The parts on one line except for the groups in ``opened``.

        None when a group that is not in ``opened`` cannot be on one line. ``as_written`` opens those too, and keeps
        line ends after operators.
        """
        out: list[str] = []
        before: Part | None = None
        for number, part in enumerate(parts):
            if isinstance(part, Gap):
                if as_written or part.trailing or part.remarks:
                    out.append(self._line_break(part, indent))
                    before = part
                continue
            if before is not None and not isinstance(before, Gap) and self._spaced(before, part):
                out.append(" ")
            text = self._part(part, indent, opened, as_written=as_written)
            if text is None:
                return None
            out.append(text)
            if number + 1 == split:
                out.append(" " * pad)
            before = part
        return "".join(out)

    def _line_break(self, gap: Gap, indent: int) -> str:
        blanks = " " * (indent + STEP)
        comment = f"  {gap.trailing}" if gap.trailing else ""
        return f"{comment}\n" + "".join(f"{blanks}{remark.text}\n" for remark in gap.remarks) + blanks

    def _part(self, part: int | Group, indent: int, opened: set[int], *, as_written: bool) -> str | None:
        if isinstance(part, int):
            return self._token(part, indent)
        if id(part) not in opened:
            flat = self._flat(part, indent)
            if flat is not None or not as_written:
                return flat
        return self._open(part, indent)

    def _flat(self, group: Group, indent: int) -> str | None:
        """The group on one line; None if it has comments or was written over several lines."""
        if group.open_lines or group.opening or group.remarks:
            return None
        texts: list[str] = []
        for element in group.elements:
            text = None if element.trailing or element.remarks else self._parts(element.parts, indent, set())
            if text is None or ("\n" in text and group.kind == "block"):
                return None
            texts.append(text)
        inner = ", ".join(texts)
        if group.kind == "block":
            return f"{{ {inner} }}" if inner else "{ }"
        return f"{self.lexed.text(group.open)}{inner}{self.lexed.text(group.close)}"

    def _open(self, group: Group, indent: int) -> str:
        """The group with one element per line."""
        opening = self.lexed.text(group.open) + (f"  {group.opening}" if group.opening else "")
        lines = self._elements(group, indent + STEP)
        return "\n".join([opening, *lines, " " * indent + self.lexed.text(group.close)])

    # --- tokens ---

    def _token(self, i: int, indent: int) -> str:
        text = self.lexed.text(i)
        return reindent(text, indent + STEP) if self.lexed.types[i] in (TEXT, RAW) else text

    def _spaced(self, before: int | Group, part: int | Group) -> bool:
        """Whether a space separates two parts."""
        types, marks = self.lexed.types, self.marks
        if isinstance(part, Group):
            if part.kind == "call" or (part.kind == "closed" and types[part.open] == lexer.LSQB):
                return False
        elif types[part] in (DOT, UPTO) or part in marks.angles or part in marks.type_colons:
            return False
        if isinstance(before, Group):
            return True
        if part in marks.joined:
            return False
        opens_type = before in marks.angles and types[before] == LESS
        return types[before] not in (DOT, UPTO) and before not in marks.unary and not opens_type


def reindent(text: str, indent: int) -> str:
    """A text or raw block with its lines moved so that the closing mark is indented by ``indent``."""
    first, *lines = text.replace("\r\n", "\n").split("\n")
    last = lines[-1]
    old = last[: len(last) - len(last.lstrip(" \t"))]
    new = " " * indent
    moved = [new + line[len(old) :] if line.startswith(old) and line != old else "" for line in lines[:-1]]
    return "\n".join([first.rstrip(), *moved, new + last[len(old) :]])


def format_source(source: Source) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text of ``source`` in canonical layout, and its syntax errors.

    Formatting twice gives the same as once. In a text with errors, declarations without errors are formatted and the
    others are kept byte for byte.
    """
    diagnostics = parse(source).diagnostics
    if diagnostics:
        return _format_parts(source, diagnostics), diagnostics
    return _format(source.text), diagnostics


def _format(text: str) -> str:
    """A text without errors in canonical layout."""
    text = text.removeprefix("\ufeff")
    tree = parse_tree(Source("", text if text.endswith("\n") else text + "\n"))
    if tree is None:
        return text
    outline = Outline(tree)
    return Layout(tree.lexed, outline.marks).file(outline.read())


def _format_parts(source: Source, diagnostics: tuple[Diagnostic, ...]) -> str:
    """Format each part between declarations at the left edge that has no errors."""
    text = source.text
    starts = [0, *_declarations(source), len(text)]
    parts: list[str] = []
    for start, end in pairwise(starts):
        part = text[start:end]
        touched = any(diagnostic.span.start < end and diagnostic.span.end >= start for diagnostic in diagnostics)
        if touched or not part.strip() or parse(Source("", part)).diagnostics:
            parts.append(part)
        else:
            parts.append(_keep_ends(part, _format(part)))
    return "".join(parts)


def _keep_ends(old: str, new: str) -> str:
    """``new`` with as many blank lines before and after it as ``old`` has, at most one."""
    before = "\n" if old.lstrip(" \t\r").startswith("\n") else ""
    behind = old[len(old.rstrip()) :].count("\n")
    return before + new.rstrip("\n") + "\n" * min(behind, 2)


def _declarations(source: Source) -> list[int]:
    """The offsets of the lines where declarations begin, including the comments right above them."""
    lexed = lex(source)
    text = source.text
    offsets: list[int] = []
    for i, type_ in enumerate(lexed.types):
        start = lexed.starts[i]
        if type_ in DECLARATIONS and i and lexed.types[i - 1] == lexer.NEWLINE and text[start - 1] == "\n":
            while (line := text.rfind("\n", 0, start - 1) + 1) < start and text.startswith("#", line):
                start = line
            offsets.append(start)
    return [offset for offset in offsets if offset]
