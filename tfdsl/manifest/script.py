"""What a command line or a shell script consists of: commands and their words, with places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.text import Span

Place: TypeAlias = "Callable[[int, int], Span]"
"""From a start and an end in the text to the place in the source."""


class Unknown(Record):
    """An expansion. ``name``: of the variable, empty for a command. ``written``: as it is written.

    ``quoted``: within ``"…"``, so its value is not split. ``default``: the word after ``:-`` or ``-``. ``every``: it is
    ``${name[@]}``.
    """

    name: str
    written: str
    span: Span
    quoted: bool = False
    default: str | None = None
    every: bool = False


class Word(Record):
    """One word: texts, and expansions without a value."""

    parts: tuple[str | Unknown, ...]
    span: Span

    @property
    def text(self) -> str:
        """What the command gets; an expansion as it is written."""
        return "".join(part if isinstance(part, str) else part.written for part in self.parts)

    @property
    def unknown(self) -> tuple[Unknown, ...]:
        """The expansions of which the text does not say the value."""
        return tuple(part for part in self.parts if isinstance(part, Unknown))


class Assignment(Record):
    """``NAME=word`` or ``NAME=(words)``; ``more``: it is ``+=``."""

    name: str
    words: tuple[Word, ...]
    array: bool = False
    more: bool = False


class HereDocument(Record):
    """The lines after ``<<WORD``, without the last."""

    text: str
    span: Span


class Command(Record):
    """A simple command: its words, without assignments before them and without redirections.

    ``end``: the operator after it (``;``, a line end, ``|``, ``&&``, ``)``); of a pattern of ``case`` it is ``)``, and
    of the name of a function that is defined here ``(``.
    """

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...]
    span: Span
    end: str = ""
    documents: tuple[HereDocument, ...] = ()


class Problem(Record):
    """Why a shell could not read the text to its end."""

    message: str
    span: Span


class Script(Record):
    """What a text consists of, as far as it could be read."""

    commands: tuple[Command, ...]
    problem: Problem | None = None


def joined(parts: Sequence[str | Unknown]) -> tuple[str | Unknown, ...]:
    """``parts`` with neighbouring texts as one."""
    joined: list[str | Unknown] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, str) and isinstance(last, str):
            joined[-1] = last + part
        elif part != "":
            joined.append(part)
    return tuple(joined)
