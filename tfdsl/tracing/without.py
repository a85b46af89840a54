"""A program as it would be without one statement: what changes in the output is what the statement decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.compiling import pipeline
from tfdsl.patterns import regex
from tfdsl.semantics.project import Program
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.tracing.statements import Statement

_COMMA_AFTER = regex(r"[ \t]*,")
_COMMA_BEFORE = regex(r",[ \t]*$")
_NOT_LINE_ENDS = regex(r"[^\r\n]")


def without(program: Program, statement: Statement) -> Program | None:
    """``program`` without ``statement``, in whichever of its texts that is written; ``None`` where it breaks the text.

    Lines stay where they are, so that messages and places are those of the program.
    """
    source = statement.span.source
    changed = Source(source.path, blanked(source.text, statement.span.start, statement.span.end), source.origin)
    main = program.files[0].source

    def read(path: str) -> Source | str:
        found = program.read(path)
        return changed if isinstance(found, Source) and found.origin == source.origin else found

    other = pipeline.load(changed if source is main else main, read if source is not main else program.read)
    return None if other.syntax_errors else other


def blanked(text: str, start: int, end: int) -> str:
    """``text`` with blanks from ``start`` to ``end``, and the comma between the item there and the next one."""
    after = _COMMA_AFTER.match(text, end)
    if after is not None:
        end = after.end()
    else:
        before = _COMMA_BEFORE.search(text[text.rfind("\n", 0, start) + 1 : start])
        start -= len(before[0]) if before is not None else 0
    return text[:start] + _NOT_LINE_ENDS.sub(" ", text[start:end]) + text[end:]
