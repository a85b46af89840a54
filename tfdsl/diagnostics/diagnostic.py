"""The messages of the compiler about a text. They are values, never exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

from tfdsl.record import Record, replace
from tfdsl.text import Span

Level: TypeAlias = Literal["error", "warning", "info", "off"]
"""``off``, of a rule only: what is true of every job is reported when a project sets a level for it."""


LONGEST_WORD = 400
"""The most characters of one text that a message quotes; a name or value can be as long as its file."""
LONGEST_ADVICE = 2000


class Rule(Record):
    """One row of a registry: a message and its code.

    ``message`` is a ``str.format`` template. ``slug`` names the page that ``tfdsl explain`` prints, and is used in
    ``# tfdsl: allow[...]`` and in the lint settings.
    """

    code: str
    slug: str
    level: Level
    message: str

    def __call__(self, span: Span, /, **values: object) -> Diagnostic:
        """A diagnostic of this rule at ``span`` with the template's fields filled in."""
        return Diagnostic(self, self.level, self.words(**values), span)

    def words(self, **values: object) -> str:
        """The template with its fields filled in."""
        if not values:
            return self.message
        return self.message.format_map({key: shortened(value) for key, value in values.items()})


def shortened(value: object, longest: int = LONGEST_WORD) -> object:
    """``value``, or the beginning of a text that is too long to be part of a message."""
    return f"{value[:longest]}…" if isinstance(value, str) and len(value) > longest else value


class Label(Record):
    """A second place that explains the first."""

    span: Span
    message: str


class Edit(Record):
    """Replace what ``span`` covers with ``text``; an empty span inserts."""

    span: Span
    text: str


class Fix(Record):
    """A change that resolves a diagnostic. ``safe``: it keeps or restores the meaning, so ``--fix`` applies it."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False


class Diagnostic(Record):
    """One message at one place. ``target`` names the target that refuses or changes something, if any.

    ``approximation`` is set for a warning that ``--strict`` turns into an error. ``mark`` is shown next to the mark
    under the place, e.g. "mounted again here" where a label at another place says "first mounted here".
    """

    rule: Rule
    level: Level
    message: str
    span: Span
    labels: tuple[Label, ...] = ()
    helps: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    target: str | None = None
    approximation: bool = False
    mark: str = ""

    def marked(self, text: str) -> Diagnostic:
        """The same with ``text`` next to the mark under its place."""
        return replace(self, mark=text)

    def note(self, span: Span, message: str) -> Diagnostic:
        """The same with one more labelled place."""
        return replace(self, labels=(*self.labels, Label(span, str(shortened(message)))))

    def help(self, text: str) -> Diagnostic:
        """The same with one more line of advice."""
        return replace(self, helps=(*self.helps, str(shortened(text, LONGEST_ADVICE))))

    def fix(self, title: str, *edits: Edit, safe: bool = False) -> Diagnostic:
        """The same with one more fix."""
        return replace(self, fixes=(*self.fixes, Fix(title, edits, safe)))

    def replacing(self, title: str, text: str, *, safe: bool = False) -> Diagnostic:
        """The same with a fix that replaces the marked text with ``text``."""
        return self.fix(title, Edit(self.span, text), safe=safe)


Report: TypeAlias = Callable[[Diagnostic], None]
"""Takes what is wrong."""


def repeated(diagnostic: Diagnostic, first: Span, verb: str = "") -> Diagnostic:
    """``diagnostic``, about what is here (set, used …) once more, with the place of the ``first`` time."""
    return diagnostic.note(first, f"first {verb} here" if verb else "first here").marked(f"{verb} again here".lstrip())


# --- order ---
#
# The order in which diagnostics are shown, without duplicates.

_RANK = {"error": 0, "warning": 1, "info": 2}


def in_file_order(diagnostics: Iterable[Diagnostic], paths: Iterable[str] = ()) -> list[Diagnostic]:
    """Sorted by file, then by place, then by level; the same message at the same place only once.

    Files are in the order of ``paths``; other files follow in the order in which they first appear.
    """
    order = {path: index for index, path in enumerate(dict.fromkeys(paths))}
    once: dict[tuple[str, int, int, str, str], Diagnostic] = {}
    for diagnostic in diagnostics:
        span = diagnostic.span
        order.setdefault(span.source.path, len(order))
        once.setdefault((span.source.path, span.start, span.end, diagnostic.rule.code, diagnostic.message), diagnostic)
    return sorted(
        once.values(),
        key=lambda each: (order[each.span.source.path], each.span.start, _RANK[each.level], each.span.end),
    )


def worst(diagnostics: Sequence[Diagnostic], most: int) -> Sequence[Diagnostic]:
    """At most ``most`` of ``diagnostics``, preferring errors to warnings to infos, in their order."""
    if len(diagnostics) <= most:
        return diagnostics
    by_rank = sorted(range(len(diagnostics)), key=lambda at: _RANK[diagnostics[at].level])
    return [diagnostics[at] for at in sorted(by_rank[:most])]


def at_first_sight(diagnostics: Sequence[Diagnostic], *, notes: bool = False) -> list[Diagnostic]:
    """The errors and warnings, and if asked for the ``notes``, each once for all targets; none beside an error."""
    found = [each for each in diagnostics if each.level != "info"]
    wanted = notes and not count(found)[0]
    return [*found, *once_for_all_targets(each for each in diagnostics if each.level == "info")] if wanted else found


def once_for_all_targets(notes: Iterable[Diagnostic]) -> list[Diagnostic]:
    """``notes``; those that several targets have at one place are one, which has the codes of all."""
    groups: dict[tuple[Span, str], list[Diagnostic]] = {}
    for note in notes:
        groups.setdefault((note.span, note.message.removeprefix(f"{note.target}: ")), []).append(note)
    return [alike[0] if len(alike) == 1 else _joined(alike, words) for (_, words), alike in groups.items()]


def _joined(alike: Sequence[Diagnostic], words: str) -> Diagnostic:
    first = alike[0]
    rule = replace(first.rule, code=", ".join(note.rule.code for note in alike))
    helps = dict.fromkeys(
        text if all(text in note.helps for note in alike) else f"on {one.target}: {text}"
        for one in alike
        for text in one.helps
    )
    named = ", ".join(str(note.target) for note in alike)
    return replace(first, rule=rule, message=f"on {named}: {words}", helps=tuple(helps))


def count(diagnostics: Iterable[Diagnostic]) -> tuple[int, int]:
    """The number of errors and of warnings."""
    levels = [diagnostic.level for diagnostic in diagnostics]
    return levels.count("error"), levels.count("warning")


def count_infos(diagnostics: Iterable[Diagnostic]) -> int:
    """The number of infos."""
    return sum(diagnostic.level == "info" for diagnostic in diagnostics)
