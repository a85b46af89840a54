"""``# tfdsl: allow[slug or code] reason``: a comment that waives a warning or an info.

It is at the end of the message's line, or on a line of its own above it (several can be stacked). An error cannot be
waived, because there is no output to accept. A waiver that is not needed is reported, so that none outlives its reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from tfdsl.diagnostics.command_rules import BAD_WAIVER, STALE_WAIVER, UNKNOWN_WAIVER
from tfdsl.diagnostics.diagnostic import Diagnostic, Rule
from tfdsl.diagnostics.suggest import closest, proposing
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.text import Source, Span

_MARK = regex(r"#\s*tfdsl\s*:")
_FORM = regex(r"#\s*tfdsl\s*:\s*allow\s*\[([^\]]*)\]\s*(.*)", re.DOTALL)
_GUESSES = 20  # unknown names for which a suggestion is made; there are hundreds of names to compare with
_NAME = regex(r"[^\s,]+")


class Waiver(Record):
    """One name in one comment. ``lines``: the lines of the source whose messages it waives."""

    name: str
    span: Span
    lines: tuple[int, ...]


def apply(
    diagnostics: Iterable[Diagnostic],
    comments: Iterable[Span],
    rules: Callable[[Collection[str]], Mapping[str, Rule]],
    looked_at: Callable[[Rule, str, Iterable[int]], bool],
) -> list[Diagnostic]:
    """``diagnostics`` without the waived ones, and with those about the waivers themselves.

    ``rules`` returns every rule by code and slug, including those that the waivers name. ``looked_at`` says
    whether a rule could have been reported in this run for lines of the file at a path; only then is a waiver for it
    stale.
    """
    diagnostics = list(diagnostics)
    waivers, problems = _waivers(comments)
    if not waivers:
        return diagnostics + problems
    known = rules({waiver.name for waiver in waivers})
    by_place: dict[tuple[str, int], list[Waiver]] = {}
    for waiver in waivers:
        for line in waiver.lines:
            by_place.setdefault((waiver.span.source.path, line), []).append(waiver)
    used: set[Span] = set()
    guesses = 0
    left = [
        diagnostic
        for diagnostic in diagnostics
        if not _waived(diagnostic, by_place.get(diagnostic.span.path_and_line, ()), used)
    ]
    errors = (
        {(*diagnostic.span.path_and_line, diagnostic.rule.code): diagnostic.span for diagnostic in reversed(left)}
        if waivers
        else {}
    )
    for waiver in waivers:
        rule = known.get(waiver.name)
        if rule is None:
            guesses += 1
            problems.append(_unknown(waiver, closest(waiver.name, known) if guesses <= _GUESSES else None))
        elif waiver.span not in used and looked_at(rule, waiver.span.source.path, waiver.lines):
            problems.append(_stale(waiver, rule, errors))
    return left + problems


def _unknown(waiver: Waiver, near: str | None) -> Diagnostic:
    diagnostic = UNKNOWN_WAIVER(waiver.span, name=waiver.name)
    return diagnostic if near is None else proposing(diagnostic, near)


def _stale(waiver: Waiver, rule: Rule, errors: Mapping[tuple[str, int, str], Span]) -> Diagnostic:
    diagnostic = STALE_WAIVER(waiver.span, name=waiver.name)
    path = waiver.span.source.path
    error = next((errors[path, line, rule.code] for line in waiver.lines if (path, line, rule.code) in errors), None)
    return diagnostic.help("remove it") if error is None else diagnostic.note(error, "an error cannot be waived")


def _waived(diagnostic: Diagnostic, waivers: Iterable[Waiver], used: set[Span]) -> bool:
    if diagnostic.level == "error":
        return False
    matching = [waiver for waiver in waivers if waiver.name in (diagnostic.rule.code, diagnostic.rule.slug)]
    used.update(waiver.span for waiver in matching)
    return bool(matching)


def _waivers(comments: Iterable[Span]) -> tuple[list[Waiver], list[Diagnostic]]:
    waivers: list[Waiver] = []
    problems: list[Diagnostic] = []
    below: dict[Source, list[int]] = {}
    for comment in comments:
        text = comment.text
        if _MARK.match(text) is None:
            continue
        form = _FORM.match(text)
        names = [] if form is None else list(_NAME.finditer(form.group(1)))
        if form is None or not names:
            problems.append(BAD_WAIVER(comment, problem="a waiver is written # tfdsl: allow[slug or code] reason"))
            continue
        if not form.group(2).strip():
            problems.append(BAD_WAIVER(comment, problem="a waiver needs a reason: # tfdsl: allow[slug or code] reason"))
        at = comment.start + form.start(1)
        lines = _covered(comment, below)
        waivers.extend(
            Waiver(name.group(), Span(comment.source, at + name.start(), at + name.end()), lines) for name in names
        )
    return waivers, problems


def _covered(comment: Span, below: dict[Source, list[int]]) -> tuple[int, ...]:
    """The line of a comment after something; for a comment alone on its line, the next line that is not a comment.

    ``below`` caches the latter for all lines of a source.
    """
    source = comment.source
    line, column = source.position(comment.start)
    if source.line(line)[: column - 1].strip():
        return (line,)
    if source not in below:
        below[source] = _next_lines(source)
    line_below = below[source][line]
    return (line_below,) if line_below else ()


def _next_lines(source: Source) -> list[int]:
    """For each line number, the next line below that has more than a comment, or 0."""
    last = len(source.line_starts)
    lines = [0] * (last + 1)
    for line in range(last - 1, 0, -1):
        text = source.line(line + 1).strip()
        lines[line] = line + 1 if text and not text.startswith("#") else lines[line + 1]
    return lines
