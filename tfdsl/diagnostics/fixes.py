"""Which fixes can be offered and applied, and the texts that result.

A diagnostic has every fix that may be right; the code that creates a fix decides whether it is *safe*. Whether the
fixed text has a new error is decided here, for all fixes alike: each is tried by checking the changed text. Code that
creates a fix therefore does not have to know all rules of the language.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit, Fix
from tfdsl.record import replace
from tfdsl.text import Source, Span

Check: TypeAlias = Callable[[Mapping[str, str]], Sequence[Diagnostic]]
"""The diagnostics of the same files after those at these paths have been given these texts."""


MOST_READ = 1_000_000
"""The most characters that are checked again to try fixes; fixes that would need more are not offered."""

_SYNTAX = "TFJ0"
_LANGUAGE = ("TFJ0", "TFJ1", "TFJ2")
_OF_WHOLE_JOBS = frozenset(
    rule.code
    for rule in (
        name_rules.NO_JOB,
        value_rules.NO_TRAINING_ROLE,
        value_rules.MISSING_IMAGE,
        value_rules.MISSING_LOGDIR,
    )
)
"""Reported only for a job in which everything is known and readable."""


def offered(diagnostics: Sequence[Diagnostic], here: Iterable[Diagnostic], check: Check) -> list[Diagnostic]:
    """``here``, a part of ``diagnostics``, each with only those fixes that cause no new error."""
    trial = _Trial(diagnostics, check)
    return [replace(one, fixes=tuple(fix for fix in one.fixes if trial.holds([fix]))) for one in here]


def fixed(diagnostics: Sequence[Diagnostic], sources: Iterable[Source], check: Check) -> dict[str, str]:
    """New texts, by path, of those ``sources`` that a safe fix changes.

    The first safe fix of each diagnostic is applied as a whole or not at all: not if it changes another file, overlaps
    an earlier fix, or causes a new error. While a file has syntax errors only those are fixed, because the meaning of
    the rest is a guess. The remaining fixes need another round.
    """
    fixes = _apart(_safe_fixes(diagnostics, {source.path for source in sources}))
    trial = _Trial(diagnostics, check)
    if not trial.holds(fixes):
        kept: list[Fix] = []
        for fix in fixes:
            if trial.holds([*kept, fix]):
                kept.append(fix)
        fixes = kept
    return texts_with(fixes)


def texts_with(fixes: Sequence[Fix]) -> dict[str, str]:
    """The texts, by path, after applying ``fixes``, which do not overlap."""
    return {path: _apply(edits[0].span.source.text, edits) for path, edits in _by_path(fixes).items()}


def _by_path(fixes: Iterable[Fix]) -> dict[str, list[Edit]]:
    """The edits of each file in the order of their places."""
    edits: dict[str, list[Edit]] = {}
    for fix in fixes:
        for edit in fix.edits:
            edits.setdefault(edit.span.source.path, []).append(edit)
    for edits_of_path in edits.values():
        edits_of_path.sort(key=lambda edit: edit.span.start)
    return edits


def _safe_fixes(diagnostics: Iterable[Diagnostic], paths: set[str]) -> list[Fix]:
    """The first safe fix of each diagnostic that changes only ``paths``; in a file with syntax errors, only theirs."""
    diagnostics = list(diagnostics)
    misshapen = {found.span.source.path for found in diagnostics if _is_syntax(found) and found.level == "error"}
    fixes: list[Fix] = []
    for diagnostic in diagnostics:
        fix = next((fix for fix in diagnostic.fixes if fix.safe), None)
        if fix is None or any(edit.span.source.path not in paths for edit in fix.edits):
            continue
        if _is_syntax(diagnostic) or not any(edit.span.source.path in misshapen for edit in fix.edits):
            fixes.append(fix)
    return fixes


def _is_syntax(diagnostic: Diagnostic) -> bool:
    return diagnostic.rule.code.startswith(_SYNTAX)


class _Trial:
    """Tries fixes of ``diagnostics``, as long as there is not too much to check."""

    def __init__(self, diagnostics: Sequence[Diagnostic], check: Check) -> None:
        self._check = check
        self._is_early = any(
            diagnostic.level == "error" and diagnostic.rule.code.startswith(_LANGUAGE) for diagnostic in diagnostics
        )
        self._before = self._errors(diagnostics)
        self._left = MOST_READ

    def holds(self, fixes: Sequence[Fix]) -> bool:
        """Whether ``fixes`` together cause no new error.

        A safe fix restores what was meant, so errors that it merely uncovers do not count against it: those that only a
        complete job can have, and those that another safe fix removes in the next round.
        """
        if not fixes:
            return True
        texts = texts_with(fixes)
        self._left -= sum(map(len, texts.values()))
        if self._left < 0:
            return False
        diagnostics = self._check(texts)
        new = self._errors(diagnostics) - self._before
        if new and all(fix.safe for fix in fixes):
            written = _written(fixes)
            return not any(
                _known_as(diagnostic) in new and not _is_brought_to_light(diagnostic, written)
                for diagnostic in diagnostics
            )
        return not new

    def _errors(self, diagnostics: Iterable[Diagnostic]) -> Counter[tuple[str, str, str]]:
        """How often each error occurs. Later stages do not run after an error, so their errors are then left out."""
        return Counter(
            _known_as(diagnostic)
            for diagnostic in diagnostics
            if diagnostic.level == "error" and (not self._is_early or diagnostic.rule.code.startswith(_LANGUAGE))
        )


def _is_brought_to_light(diagnostic: Diagnostic, written: Sequence[Span]) -> bool:
    """Whether ``diagnostic`` existed before a safe fix wrote ``written``, but could not be reported."""
    if diagnostic.rule.code in _OF_WHOLE_JOBS:
        return True
    here = diagnostic.span
    is_elsewhere = not any(one.source.path == here.source.path and one.start <= here.start < one.end for one in written)
    return is_elsewhere and any(fix.safe for fix in diagnostic.fixes)


def _written(fixes: Sequence[Fix]) -> list[Span]:
    """The spans that ``fixes`` write, in the new texts."""
    spans: list[Span] = []
    for edits in _by_path(fixes).values():
        source = edits[0].span.source
        moved = 0
        for edit in edits:
            put = _put(edit, _has_carriage_returns(source.text))
            start = edit.span.start + moved
            spans.append(Span(source, start, start + len(put)))
            moved += len(put) - (edit.span.end - edit.span.start)
    return spans


def _known_as(diagnostic: Diagnostic) -> tuple[str, str, str]:
    return diagnostic.rule.code, diagnostic.message, diagnostic.span.source.path


class _Taken:
    """The accepted edits of one text, by place; they do not overlap."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.edits: list[Edit] = []

    def add(self, edit: Edit) -> bool:
        """Accept an edit; false if it overlaps an accepted one."""
        at = bisect_left(self.starts, edit.span.start)
        if at and self.edits[at - 1].span.end >= edit.span.start:
            return False
        if at < len(self.edits) and self.starts[at] <= edit.span.end:
            return False
        self.starts.insert(at, edit.span.start)
        self.edits.insert(at, edit)
        return True

    def drop(self, edit: Edit) -> None:
        """Drop an accepted edit."""
        at = bisect_left(self.starts, edit.span.start)
        del self.starts[at], self.edits[at]


def _apart(fixes: Iterable[Fix]) -> list[Fix]:
    """Those ``fixes`` whose edits do not overlap each other or the edits of an earlier fix."""
    taken: dict[str, _Taken] = {}
    return [fix for fix in fixes if _take(fix.edits, taken)]


def _take(new: Sequence[Edit], taken: dict[str, _Taken]) -> bool:
    """Accept all edits of a fix, or none if one of them overlaps another edit."""
    done: list[Edit] = []
    for edit in new:
        if not taken.setdefault(edit.span.source.path, _Taken()).add(edit):
            for earlier in done:
                taken[earlier.span.source.path].drop(earlier)
            return False
        done.append(edit)
    return True


def _apply(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with ``edits``, which are in the order of their places."""
    carriage = _has_carriage_returns(text)
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += [text[at : edit.span.start], _put(edit, carriage)]
        at = edit.span.end
    return "".join([*parts, text[at:]])


def _has_carriage_returns(text: str) -> bool:
    return text.count("\r\n") == text.count("\n") > 0


def _put(edit: Edit, carriage: bool) -> str:
    """The text that an edit writes, with the line ends of its file."""
    return edit.text.replace("\r\n", "\n").replace("\n", "\r\n") if carriage else edit.text
