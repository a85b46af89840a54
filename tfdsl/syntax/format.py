"""``tfdsl fmt``: a text in the canonical layout, with the same meaning and all its comments."""

from __future__ import annotations

from itertools import pairwise

from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.syntax import lexer
from tfdsl.syntax.brackets import DECLARATIONS
from tfdsl.syntax.layout import Layout
from tfdsl.syntax.lexer import lex
from tfdsl.syntax.outline import Outline
from tfdsl.syntax.parser import parse
from tfdsl.syntax.tree import parse_tree
from tfdsl.text import Source


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
