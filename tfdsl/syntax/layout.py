"""Writes an outline in the canonical layout.

Two spaces for each level, one item per line, ``=`` aligned in runs of neighbouring lines. Braces and lists stay on one
line if they were written that way and fit; a list that ends in a comma and a line end stays open, as in Black.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.syntax import _tables as tables
from tfdsl.syntax import lexer
from tfdsl.syntax.lexer import Lexed
from tfdsl.syntax.outline import Element, Gap, Group, Marks, Part

WIDTH = 110
STEP = 2

# Roles with longer names are not aligned: `tensorboard` would push the braces of all others to the right.
ALIGNED_ROLE_NAME = 6

_index = tables.TERMINALS.index
TEXT, RAW = _index("TEXT"), _index("RAW")
EQUAL, DOT, UPTO, LESS = (lexer.OPERATORS[text] for text in ("=", ".", "..", "<"))
ROLE = lexer.KEYWORDS["role"]


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
        if self.lexed.types[i] in (TEXT, RAW):
            return reindent(text, indent + STEP)
        return text

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
