"""The path of a patch: ``[KIND[/NAME] or FILE, then ':'] steps`` (language.md §5)."""

from __future__ import annotations

from typing import Final, TypeAlias

from tfdsl.patterns import regex
from tfdsl.record import Record

_NAME: Final = regex(r"[A-Za-z_][A-Za-z0-9_\-]*")
_INDEX: Final = regex(r"\[([0-9]{1,9})\]")
_SELECTOR: Final = regex(r"\[\s*([A-Za-z_][A-Za-z0-9_\-]*|'(?:[^']|'')*')\s*=\s*('(?:[^']|'')*'|[^\]']*?)\s*\]")
_QUOTED: Final = regex(r"'((?:[^']|'')*)'")
_SKIPPED: Final = regex(r"'(?:[^']|'')*'|\[[^\]]*\]|[^:]")


class Problem(Record):
    """What is wrong with a patch, at the characters ``offset`` to ``end`` of its path.

    ``suggestions``: what could have been meant there, best first.
    """

    offset: int
    end: int
    message: str
    suggestions: tuple[str, ...] = ()


class Key(Record):
    """``NAME`` or ``'any key'``: a key of a map."""

    name: str
    offset: int
    end: int


class Index(Record):
    """``[n]``: an item of a list, counted from 0."""

    number: int
    offset: int
    end: int


class Selector(Record):
    """``[key=value]``: the item of a list whose ``key`` has that value, compared as text."""

    key: str
    value: str
    offset: int
    end: int


Step: TypeAlias = Key | Index | Selector


class Path(Record):
    """A patch's path. ``prefix`` names the documents (``None``: the main one); ``steps`` is never empty."""

    text: str
    prefix: str | None
    steps: tuple[Step, ...]


def parse_path(text: str) -> Path | Problem:
    """Read ``text``, or say where and why it is no path.

    In quotes ``''`` is one quote. A ``:`` in quotes or brackets is part of a step, the first other one ends the prefix.
    """
    prefix, at = _prefix(text)
    if prefix == "":
        return Problem(0, 1, "a kind or file name is missing before ':'")
    steps: list[Step] = []
    while at < len(text):
        step = _step(text, at, first=not steps)
        if isinstance(step, Problem):
            return step
        steps.append(step)
        at = step.end
    if not steps:
        return Problem(at, at, "the path has no steps")
    return Path(text, prefix, tuple(steps))


def quoted(name: str) -> str:
    """A key as a step of a path."""
    return name if _NAME.fullmatch(name) else "'" + name.replace("'", "''") + "'"


def _prefix(text: str) -> tuple[str | None, int]:
    at = 0
    while at < len(text):
        if text[at] == ":":
            return text[:at], at + 1
        skipped = _SKIPPED.match(text, at)
        at = skipped.end() if skipped else at + 1
    return None, 0


def _step(text: str, at: int, *, first: bool) -> Step | Problem:
    if text[at] == "[":
        return _bracket(text, at)
    if first:
        return _key(text, at)
    if text[at] == ".":
        return _key(text, at + 1)
    return Problem(at, at + 1, "expected '.', '[' or the end of the path")


def _key(text: str, at: int) -> Key | Problem:
    match = _NAME.match(text, at)
    if match:
        return Key(match.group(), at, match.end())
    match = _QUOTED.match(text, at)
    if match:
        return Key(_unquote(match.group()), at, match.end())
    if text.startswith("'", at):
        return Problem(at, len(text), "the quote is not closed")
    if at == len(text):
        return Problem(at, at, "a step is missing at the end of the path")
    return Problem(at, at + 1, "expected a key; put one that is not a plain name in single quotes")


def _bracket(text: str, at: int) -> Index | Selector | Problem:
    match = _INDEX.match(text, at)
    if match:
        return Index(int(match.group(1)), at, match.end())
    match = _SELECTOR.match(text, at)
    if match:
        return Selector(_unquote(match.group(1)), _unquote(match.group(2)), at, match.end())
    close = text.find("]", at)
    if close < 0:
        return Problem(at, len(text), "the bracket is not closed")
    return Problem(at, close + 1, "expected [n] or [key=value]; a key goes after a dot")


def _unquote(text: str) -> str:
    return text[1:-1].replace("''", "'") if text.startswith("'") else text
