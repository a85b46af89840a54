"""A rule that a value breaks, before anybody knows where the value is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tfdsl.record import Record, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tfdsl.diagnostics import Diagnostic, Rule
    from tfdsl.text import Span

Place: TypeAlias = tuple[str | int, ...]
"""Fields, positions and keys below what was checked: ``("roles", 1, "after", 0)``; empty is the thing itself."""

KEY = "[key]"
"""Behind the key of a map: the key itself, not its value (pydantic's own word for it)."""


class Broken(Record):
    """``values`` fill the words of ``rule``; ``notes`` are places that explain ``place``, each with its words.

    ``mark``: words beside the mark of the place itself.
    """

    rule: Rule
    place: Place
    values: Mapping[str, object] = {}
    helps: tuple[str, ...] = ()
    notes: tuple[tuple[Place, str], ...] = ()
    mark: str = ""

    def help(self, text: str) -> Broken:
        """The same with one more line of advice."""
        return replace(self, helps=(*self.helps, text))

    def note(self, place: Place, words: str) -> Broken:
        """The same with one more place."""
        return replace(self, notes=(*self.notes, (place, words)))

    def marked(self, words: str) -> Broken:
        """The same with words beside the mark of its place."""
        return replace(self, mark=words)

    def below(self, *place: str | int) -> Broken:
        """The same, seen from what holds the thing that was checked at ``place``."""
        notes = tuple(((*place, *at), words) for at, words in self.notes)
        return replace(self, place=(*place, *self.place), notes=notes)

    @property
    def message(self) -> str:
        """The words of the rule, filled in."""
        return self.rule.words(**self.values)

    def at(self, span: Span) -> Diagnostic:
        """The rule broken at ``span``."""
        return self.diagnostic(lambda _: span)

    def among(self, spans: Mapping[str, Span]) -> Diagnostic:
        """The rule broken, with the spans of its places by their first word."""
        return self.diagnostic(lambda place: spans[str(place[0])])

    def diagnostic(self, span: Callable[[Place], Span]) -> Diagnostic:
        """The rule broken at the span of its place."""
        diagnostic = self.rule(span(self.place), **self.values)
        for place, words in self.notes:
            diagnostic = diagnostic.note(span(place), words)
        for text in self.helps:
            diagnostic = diagnostic.help(text)
        return diagnostic.marked(self.mark) if self.mark else diagnostic
