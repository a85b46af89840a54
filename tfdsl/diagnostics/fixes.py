"""Which fixes can be offered and applied, and the texts that result.

A diagnostic has every fix that may be right; the code that creates a fix decides whether it is *safe*. Whether the
fixed text has a new error is decided here, for all fixes alike: each is tried by checking the changed text. Code that
creates a fix therefore does not have to know all rules of the language.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit, Fix
from tfdsl.grouping import grouped
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.text import Source, Span

Check: TypeAlias = Callable[[Mapping[str, str]], Sequence[Diagnostic]]
"""The diagnostics of the same files after those at these paths have been given these texts."""


MOST_READ = 1_000_000
"""The most characters of one file that are checked again to try fixes; fixes that would need more are not offered."""

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
    """``here``, a part of ``diagnostics``, each with only those fixes that cause no new error.

    A fix that would leave an error in its statement is not safe.
    """
    trial = _Trial(diagnostics, check)
    return [replace(diagnostic, fixes=tuple(_as_offered(diagnostic.fixes, trial))) for diagnostic in here]


def _as_offered(fixes: Iterable[Fix], trial: _Trial) -> Iterator[Fix]:
    for fix in fixes:
        problems = set(trial.problems([[fix]]).values())
        if not problems or problems == {_STILL_WRONG}:
            yield replace(fix, safe=False) if problems else fix


def fixed(diagnostics: Sequence[Diagnostic], sources: Iterable[Source], check: Check) -> dict[str, str]:
    """New texts, by path, of those ``sources`` that a safe fix changes.

    The first safe fix of each diagnostic is applied as a whole or not at all: not if it changes another file, overlaps
    an earlier fix, causes a new error, or leaves one in its statement; those of one statement are applied together.
    While a file has syntax errors only those are fixed, because the meaning of the rest is a guess. The remaining fixes
    need another round.
    """
    units = _units(_apart(_safe_fixes(diagnostics, {source.path for source in sources})))
    trial = _Trial(diagnostics, check)
    by_files = grouped((_paths_of(unit), unit) for unit in units)
    units = [unit for of_files in by_files.values() for unit in _holding(of_files, trial)]
    return texts_with(_all(units if len(by_files) == 1 else _holding(units, trial)))


def _holding(units: list[list[Fix]], trial: _Trial) -> list[list[Fix]]:
    """Those of ``units`` that can be applied together."""
    while problems := trial.problems(units):
        left = [unit for at, unit in enumerate(units) if at not in problems]
        if len(left) == len(units):
            break
        units = left
    else:
        return units
    kept: list[list[Fix]] = []  # a new error far from all of them
    for unit in units:
        if not trial.problems([*kept, unit]):
            kept.append(unit)
    return kept


def _all(units: Iterable[Iterable[Fix]]) -> list[Fix]:
    return [fix for unit in units for fix in unit]


def _paths_of(fixes: Iterable[Fix]) -> tuple[str, ...]:
    return tuple(sorted({edit.span.source.path for fix in fixes for edit in fix.edits}))


def _units(fixes: Iterable[Fix]) -> list[list[Fix]]:
    """``fixes``, those of one statement together."""
    units: list[list[Fix]] = []
    of_piece: dict[tuple[str, int], list[Fix]] = {}
    for fix in fixes:
        pieces = [(edit.span.source.path, _piece(edit.span).start) for edit in fix.edits]
        unit = next((of_piece[piece] for piece in pieces if piece in of_piece), None)
        if unit is None:
            unit = [fix]
            units.append(unit)
        else:
            unit.append(fix)
        of_piece.update(dict.fromkeys(pieces, unit))
    return units


def explained(diagnostics: Sequence[Diagnostic], sources: Iterable[Source], check: Check) -> list[Diagnostic]:
    """``diagnostics``, which :func:`fixed` leaves; those with fixes say why."""
    paths = {source.path for source in sources}
    units = _units(_safe_fixes(diagnostics, paths))
    trial = _Trial(diagnostics, check)
    reasons: dict[int, str] = {}
    for of_files in grouped((_paths_of(unit), unit) for unit in units).values():
        problems = trial.problems(of_files)
        reasons |= {id(fix): problems.get(at, _CONFLICT) for at, unit in enumerate(of_files) for fix in unit}
    return [
        diagnostic.help(f"not fixed: {_reason(fix, reasons, paths)}")
        if (fix := next((fix for fix in diagnostic.fixes if fix.safe), next(iter(diagnostic.fixes), None))) is not None
        else diagnostic
        for diagnostic in diagnostics
    ]


def _reason(fix: Fix, reasons: Mapping[int, str], paths: set[str]) -> str:
    other = next((path for path in _paths_of([fix]) if path not in paths), None)
    if not fix.safe:
        return f'"{fix.title}" is only one way to read it'
    if other is not None:
        return f"{other} is not on the command line"
    reason = reasons.get(id(fix))
    return "the syntax errors of this file come first" if reason is None else f'"{fix.title}" {reason}'


_CONFLICT = "conflicts with another fix"
_STILL_WRONG = "would leave an error in this statement"


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
    misshapen = {
        problem.span.source.path for problem in diagnostics if _is_syntax(problem) and problem.level == "error"
    }
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
        self._read: Counter[str] = Counter()

    def problems(self, units: Sequence[Sequence[Fix]]) -> dict[int, str]:
        """What is wrong with applying ``units`` together, by the index of the unit (-1: none of them is to blame).

        A problem is a new error, or one that a safe fix leaves in its statement. A safe fix restores what was meant, so
        errors that it merely uncovers do not count: those that only a complete job can have, and those that another
        safe fix removes in the next round.
        """
        fixes = _all(units)
        if not fixes:
            return {}
        texts = texts_with(fixes)
        self._read.update({path: len(text) for path, text in texts.items()})
        if any(self._read[path] > MOST_READ for path in texts):
            return dict.fromkeys(range(-1, len(units)), "is in a file that is too large to try it")
        diagnostics = self._check(texts)
        new = {key for key, count in self._errors(diagnostics).items() if count > self._before[key]}
        safe = all(fix.safe for fix in fixes)
        unit_of = {id(edit): at for at, unit in enumerate(units) for fix in unit for edit in fix.edits}
        written = _written(fixes, texts)
        problems: dict[int, str] = {}
        for diagnostic in diagnostics:
            path = diagnostic.span.source.path
            if diagnostic.level != "error" or (safe and _is_brought_to_light(diagnostic, written.get(path, ()))):
                continue
            here = [
                unit_of[id(edit)] for edit, span in written.get(path, ()) if _overlap(diagnostic.span, _piece(span))
            ]
            if _known_as(diagnostic) in new:
                problems |= dict.fromkeys(here or [-1], "would cause another error")
            elif safe:
                problems |= dict.fromkeys(here, _STILL_WRONG)
        return problems

    def _errors(self, diagnostics: Iterable[Diagnostic]) -> Counter[tuple[str, str, str]]:
        """How often each error occurs. Later stages do not run after an error, so their errors are then left out."""
        return Counter(
            _known_as(diagnostic)
            for diagnostic in diagnostics
            if diagnostic.level == "error" and (not self._is_early or diagnostic.rule.code.startswith(_LANGUAGE))
        )


def _is_brought_to_light(diagnostic: Diagnostic, written: Iterable[tuple[Edit, Span]]) -> bool:
    """Whether ``diagnostic`` existed before safe fixes wrote ``written`` in its file, but could not be reported."""
    if diagnostic.rule.code in _OF_WHOLE_JOBS:
        return True
    here = diagnostic.span.start
    return any(fix.safe for fix in diagnostic.fixes) and not any(span.start <= here < span.end for _, span in written)


def _written(fixes: Sequence[Fix], texts: Mapping[str, str]) -> dict[str, list[tuple[Edit, Span]]]:
    """Path → what each edit of ``fixes`` writes, in the new ``texts``."""
    spans: dict[str, list[tuple[Edit, Span]]] = {}
    for path, edits in _by_path(fixes).items():
        carriage = _has_carriage_returns(edits[0].span.source.text)
        source = Source(path, texts[path])
        moved = 0
        for edit in edits:
            put = _put(edit, carriage)
            start = edit.span.start + moved
            spans.setdefault(path, []).append((edit, Span(source, start, start + len(put))))
            moved += len(put) - (edit.span.end - edit.span.start)
    return spans


_QUOTED_OR_END = regex(r'"(?:[^"\\\n]|\\[^\n])*+"|#[^\n]*+|[,;{}]')


def _piece(span: Span) -> Span:
    """The part of a line around ``span`` that one item is: from one separator or brace to the next."""
    text = span.source.text
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    end = len(text) if end < 0 else end
    for match in _QUOTED_OR_END.finditer(text, start, end):
        if match[0] not in ",;{}":
            continue
        if match.end() <= span.start:
            start = match.end()
        elif match.start() >= span.end:
            end = match.start()
            break
    return Span(span.source, start, end)


def _overlap(span: Span, other: Span) -> bool:
    return span.start <= other.end and other.start <= span.end


def _known_as(diagnostic: Diagnostic) -> tuple[str, str, str]:
    return diagnostic.rule.code, diagnostic.message, diagnostic.span.source.path


class _Taken:
    """The accepted edits of one text, by place; they do not overlap."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.edits: list[Edit] = []

    def add(self, edit: Edit) -> bool:
        """Accept an edit; false if it overlaps an accepted one, or if one inserts where the other ends or begins."""
        at = bisect_left(self.starts, edit.span.start)
        if any(_collide(edit.span, other.span) for other in self.edits[max(at - 1, 0) : at + 1]):
            return False
        self.starts.insert(at, edit.span.start)
        self.edits.insert(at, edit)
        return True

    def drop(self, edit: Edit) -> None:
        """Drop an accepted edit."""
        at = bisect_left(self.starts, edit.span.start)
        del self.starts[at], self.edits[at]


def _collide(span: Span, other: Span) -> bool:
    if span.start == span.end or other.start == other.end:
        return _overlap(span, other)
    return span.start < other.end and other.start < span.end


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
