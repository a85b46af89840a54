"""A broken rule, independent of where the value is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from tfdsl.record import Record, replace

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic, Rule
    from tfdsl.text import Span

Place: TypeAlias = tuple[str | int, ...]
"""Fields, positions and keys below what was checked: ``("roles", 1, "after", 0)``; empty is the thing itself."""

KEY = "[key]"
"""After the key of a map: the key itself, not its value (pydantic uses the same word)."""


class Broken(Record):
    """A broken ``rule`` and the ``values`` for its message. ``notes``: other places, each with its text.

    ``mark``: the text next to the mark under the place itself. ``instead``: the literals that
    were probably meant there.
    """

    rule: Rule
    place: Place
    values: Mapping[str, object] = {}
    helps: tuple[str, ...] = ()
    notes: tuple[tuple[Place, str], ...] = ()
    mark: str = ""
    instead: tuple[str, ...] = ()

    def help(self, text: str) -> Broken:
        """The same with one more line of advice."""
        return replace(self, helps=(*self.helps, text))

    def meaning(self, literal: str, words: str = "write {}") -> Broken:
        """The same with the literal that was probably meant, and ``words`` of advice about it."""
        return replace(self.help(words.format(literal)), instead=(*self.instead, literal))

    def note(self, place: Place, words: str) -> Broken:
        """The same with one more place."""
        return replace(self, notes=(*self.notes, (place, words)))

    def marked(self, words: str) -> Broken:
        """The same with ``words`` next to the mark under its place."""
        return replace(self, mark=words)

    def below(self, *place: str | int) -> Broken:
        """The same, relative to what contains the checked value at ``place``."""
        notes = tuple(((*place, *at), words) for at, words in self.notes)
        return replace(self, place=(*place, *self.place), notes=notes)

    @property
    def message(self) -> str:
        """The message of the rule, filled in."""
        return self.rule.words(**self.values)

    def at(self, span: Span) -> Diagnostic:
        """The diagnostic at ``span``."""
        return self.diagnostic(lambda _: span)

    def among(self, spans: Mapping[str, Span]) -> Diagnostic:
        """The diagnostic, with the spans of its places by their first step."""
        return self.diagnostic(lambda place: spans[str(place[0])])

    def diagnostic(self, span: Callable[[Place], Span]) -> Diagnostic:
        """The diagnostic at the span of its place."""
        diagnostic = self.rule(span(self.place), **self.values)
        for place, words in self.notes:
            diagnostic = diagnostic.note(span(place), words)
        for text in self.helps:
            diagnostic = diagnostic.help(text)
        for literal in self.instead:
            diagnostic = diagnostic.replacing(f"write {literal}", literal)
        return diagnostic.marked(self.mark) if self.mark else diagnostic
