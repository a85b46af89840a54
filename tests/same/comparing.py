"""Compares what two revisions gave, and shows each change once, however many results have it."""

from __future__ import annotations

import json
from difflib import unified_diff
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MISSING = "nothing: this command line was not run\n"
CHANGES = 25
LINES = 30
"""So many changes are shown, and so many lines of each."""
WIDTH = 300


class Result(NamedTuple):
    """What came of a command of a case with one revision."""

    kind: str
    case: str
    command: str
    text: str


class Change(NamedTuple):
    """The difference between two results. ``key``: the changed lines, by which equal changes are known."""

    title: str
    lines: list[str]
    key: tuple[str, ...]


class Compared(NamedTuple):
    """``counts``: for each kind how many results there are, and how many differ. ``changes``: each with its number."""

    counts: dict[str, tuple[int, int]]
    changes: dict[tuple[str, ...], tuple[Change, int]]

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.changes


def results(path: Path) -> Iterator[Result]:
    """The results in a file of the driver."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield Result(**json.loads(line))


def compare(pairs: Iterable[tuple[Iterable[Result], Iterable[Result]]]) -> Compared:
    """Compare results, of the base and of this revision, case by case."""
    counts: dict[str, tuple[int, int]] = {}
    changes: dict[tuple[str, ...], tuple[Change, int]] = {}
    for base, here in pairs:
        for old, new in _side_by_side(base, here):
            number, differing = counts.get(new.kind, (0, 0))
            counts[new.kind] = number + 1, differing + (old.text != new.text)
            if old.text != new.text:
                change = _change(old, new)
                first, times = changes.get(change.key, (change, 0))
                changes[change.key] = first, times + 1
    return Compared(counts, changes)


def _side_by_side(base: Iterable[Result], here: Iterable[Result]) -> Iterator[tuple[Result, Result]]:
    """The same command of both. Cases are in the same order; their commands depend on what the revision does."""
    for old, new in zip_longest(*(groupby(side, key=lambda one: (one.kind, one.case)) for side in (base, here))):
        assert old is not None
        assert new is not None
        assert old[0] == new[0], "the cases are not the same"
        olds, news = ({one.command: one for one in group} for group in (old[1], new[1]))
        for command in {**olds, **news}:
            known = olds.get(command) or news[command]
            nothing = known._replace(text=MISSING)
            yield olds.get(command, nothing), news.get(command, nothing)


def _change(old: Result, new: Result) -> Change:
    before, after = _readable(old.text), _readable(new.text)
    lines = list(unified_diff(before, after, "base", "here", lineterm="", n=2))[2:]
    if not lines:  # blanks in JSON, or line ends
        lines = list(unified_diff([repr(old.text)], [repr(new.text)], "base", "here", lineterm=""))[2:]
    key = tuple(line for line in lines if line[0] in "+-")
    return Change(f"{new.kind}, {new.case}: {new.command}", lines, key)


def _readable(text: str) -> list[str]:
    """The lines of a result, those that are JSON spread out."""
    return [part for line in _parts(text) for part in line.splitlines()]


def _parts(text: str) -> Iterator[str]:
    begin = 0
    decoder = json.JSONDecoder()
    while begin < len(text):
        end = text.find("\n", begin) + 1 or len(text)
        if text[begin] in "{[":
            try:
                value, end = decoder.raw_decode(text, begin)
            except ValueError:
                pass
            else:
                yield from _spread(value)
                begin = end
                continue
        yield text[begin:end]
        begin = end


def _spread(value: object) -> Iterator[str]:
    """JSON line by line; a text of several lines in its lines."""
    for line in json.dumps(value, indent=1, ensure_ascii=False).splitlines():
        yield from line.replace("\\n", "\n").splitlines() or [line]


def shown(compared: Compared) -> str:
    """The counts of each kind, and the changes, the most frequent first."""
    lines = [f"{'':<20}{'results':>9}{'differ':>9}"]
    lines += [f"{kind:<20}{number:>9,}{differing:>9,}" for kind, (number, differing) in compared.counts.items()]
    changes = sorted(compared.changes.values(), key=lambda change: -change[1])
    for change, times in changes[:CHANGES]:
        more = f" (and {times - 1:,} more)" if times > 1 else ""
        lines += ["", f"== {change.title}{more}"]
        lines += [line if len(line) <= WIDTH else f"{line[:WIDTH]} …" for line in change.lines[:LINES]]
        if len(change.lines) > LINES:
            lines.append(f"… {len(change.lines) - LINES:,} more lines")
    if len(changes) > CHANGES:
        lines += ["", f"… {len(changes) - CHANGES:,} more changes"]
    return "\n".join(lines)
