"""Goes on after an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.syntax.driver import Machine
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.syntax.build import Builder
    from tfdsl.syntax.lexer import Lexed


def recover(lexed: Lexed, start: int, builder: Builder) -> None:
    machine = Machine(lexed, start, builder.builders())
    machine.run(len(lexed.types) - 1)
    span = Span(lexed.source, lexed.starts[machine.at], lexed.ends[machine.at])
    builder.diagnostics.append(rules.UNEXPECTED(span, expected="something else", found=repr(span.text)))
