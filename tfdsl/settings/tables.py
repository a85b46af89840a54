"""What is in the text of a settings file. Anything without a meaning is an error at its place.

A misspelt key would have no effect, and nobody would know::

    targets = ["TARGET@VERSION"]   # in pyproject.toml: in [tool.tfdsl]

    [lint]                         # in pyproject.toml: [tool.tfdsl.lint]
    floating-image-tag = "error"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, Rule, repeated
from tfdsl.diagnostics.command_rules import BAD_SETTINGS
from tfdsl.diagnostics.registry import by_name, rules
from tfdsl.diagnostics.suggest import closest, listing
from tfdsl.lint.runner import rules as lint_rules
from tfdsl.patterns import regex
from tfdsl.rules import values
from tfdsl.settings import HOME, Settings, words
from tfdsl.text import Argument, Source, Span

if TYPE_CHECKING:
    from tfdsl.backend import Backend


LEVELS: Final = tuple(words.LEVELS)


@lru_cache(maxsize=1)
def of_lint() -> Mapping[str, Rule]:
    """The lint rules, by slug and by code."""
    return by_name(lint_rules())


def rule_called(name: str) -> Rule | None:
    """The rule of lint, of the language or of a target that is called ``name``, by slug or by code."""
    found = of_lint().get(name)
    if found is not None:
        return found
    return _first(rules(), name) or _first(_of(targets.known()), name) or _first(_of(targets.every()), name)


def levelled_rules() -> tuple[Rule, ...]:
    """The rules that may have a level, those of lint first, each name once."""
    found: dict[str, Rule] = {}
    for rule in (*lint_rules(), *rules(), *_of(targets.every())):
        if why_fixed(rule) is None:
            found.setdefault(rule.slug, rule)
    return tuple(found.values())


def why_fixed(rule: Rule) -> str | None:
    """Why ``rule`` always has its own level; ``None`` if it may have another."""
    if rule.slug in of_lint():
        return None
    if rule.level == "error":
        return "it is an error, and there is no output to accept"
    if rule.code.startswith("TFJ") and not _is_about_a_text(rule):
        return "only messages of the language, of lint and of targets can have another"
    return None


def _is_about_a_text(rule: Rule) -> bool:
    """Whether a message of the core is about what a text says, not about a command, a manifest or a waiver."""
    return rule.code[:4] in ("TFJ0", "TFJ1", "TFJ2") and not rule.code.startswith("TFJ09")


def _of(backends: Iterable[Backend]) -> list[Rule]:
    return [rule for backend in backends for rule in backend.all_rules()]


def _first(known: Iterable[Rule], name: str) -> Rule | None:
    """The rule called ``name``; of several, which can be warnings and errors, one that is not an error."""
    called = [rule for rule in known if name in (rule.slug, rule.code)]
    return min(called, key=lambda rule: rule.level == "error") if called else None


_PART: Final = r"[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*'"
_KEY: Final = regex(rf"(?:{_PART})(?:[ \t]*\.[ \t]*(?:{_PART}))*")
_HEADER: Final = regex(r"[ \t]*\[\[?[ \t]*")
_LINE: Final = regex(r"^.*$", re.MULTILINE)


def place_of(source: Source, path: tuple[str, ...]) -> Span:
    """The first occurrence of the key at ``path``, else its table, else the beginning of the file."""
    table: tuple[str, ...] = ()
    nearest = Span(source, 0, 0)
    reached = 0
    for line in _LINE.finditer(source.text):
        header = _HEADER.match(source.text, line.start(), line.end())
        start = header.end() if header else line.end() - len(line[0].lstrip(" \t"))
        key = _KEY.match(source.text, start, line.end())
        if key is None:
            continue
        parts = [(part[0].strip("\"'"), part.start(), part.end()) for part in re.finditer(_PART, key[0])]
        names = (*(() if header else table), *(name for name, _, _ in parts))
        table = names if header else table
        common = _common(names, path)
        if common > reached and common > len(names) - len(parts):
            _, at, end = parts[common - 1 - len(names)]
            nearest, reached = Span(source, key.start() + at, key.start() + end), common
            inner = None if header or common != len(names) else _inside(source, key.end(), line.end(), path[common:])
            nearest = inner or nearest
        if reached == len(path):
            break
    return nearest


def _common(names: tuple[str, ...], path: tuple[str, ...]) -> int:
    """How many parts ``names`` and ``path`` have in common at their beginning."""
    same = [one == other for one, other in zip(names, path, strict=False)]
    return same.index(False) if False in same else len(same)


def _inside(source: Source, start: int, end: int, rest: tuple[str, ...]) -> Span | None:
    """The last of ``rest`` in the inline table between ``start`` and ``end``."""
    if not rest:
        return None
    match = re.compile(rf"[{{,.][ \t]*[\"']?({re.escape(rest[-1])})[\"']?[ \t]*=").search(source.text, start, end)
    return Span(source, match.start(1), match.end(1)) if match is not None else None


def element_place(key: Span, text: str) -> Span:
    """Where the element ``text`` of the array of strings behind ``key`` is, without its quotes; else the key."""
    if not text:
        return key
    match = re.compile(rf"[\"']({re.escape(text)})[\"']").search(key.source.text, key.end)
    return Span(key.source, match.start(1), match.end(1)) if match is not None else key


MOST_PROBLEMS: Final = 50
"""Mistakes reported for one file."""
MOST_TARGETS: Final = 100
MOST_LABELS: Final = 50
MOST_GPUS: Final = 1000
"""Of one node; more is a mistake."""
TABLES: Final = tuple(word.name for word in words.TABLES)
"""The tables allowed in the file, or in ``[tool.tfdsl]``."""
KEYS: Final = tuple(word.name for word in words.KEYS)
"""The keys allowed there."""


def read_settings(source: Source, *, shared: bool) -> Settings | None:
    """The settings in a text; ``shared``: one that is for other tools too, and may have none."""
    import tomllib

    text = source.text
    try:
        table: object = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # a number of 5,000 digits, 5,000 brackets
        deep = isinstance(problem, RecursionError)
        reason = "it is nested too deeply" if deep else str(problem).partition(";")[0]
        return None if shared and "tool.tfdsl" not in text else _not_toml(source, reason)
    home = HOME if shared else ()
    for key in home:
        table = cast("dict[str, object]", table).get(key) if isinstance(table, dict) else None
    return None if shared and table is None else _File(source, home).settings(table)


_TOML = (
    ("Cannot overwrite", "a key is set twice"),
    ("Cannot declare", "a table is there twice"),
    ("Expected '='", "expected = between a key and its value"),
    ("Expected ']'", "a table has no closing ]"),
    ("Expected newline", "expected the end of the line after the value"),
    ("Invalid value", "a value is a text in quotes, a number, true, false, or a list in brackets"),
    ("Invalid statement", "each line is KEY = VALUE, or [TABLE]"),
    ("Unclosed array", "a list has no closing ]"),
    ("Unclosed inline table", "a table has no closing }"),
    ("Unterminated string", "a text has no closing quote"),
    ("Illegal character", "a text ends with its quote on the same line"),
    ('Expected "\'"', "a text has no closing quote"),
    ("Unescaped", "a backslash in a text is written twice, or the text between single quotes"),
)
"""How a message of ``tomllib`` begins, and what it means."""

_TABLE = re.compile(r"[ \t]*\[\[?[ \t]*([^\]#]+?)[ \t]*\]")
_SET = re.compile(r"[ \t]*([A-Za-z0-9_.\"'-]+?)[ \t]*=")


def _not_toml(source: Source, problem: str) -> Settings:
    """The error of ``tomllib``, at the line and column that it names, or at the key that is set again."""
    match = re.search(r" \(at (?:line (\d{1,9}), column (\d{1,9})|end of document)\)$", problem)
    words = next((words for begin, words in _TOML if problem.startswith(begin)), problem[: match and match.start()])
    start = len(source.text.rstrip())
    if match is not None and match[1]:
        lines = source.text.split("\n")[: int(match[1])]
        start = sum(len(line) + 1 for line in lines[:-1]) + int(match[2]) - 1
    at = min(start, len(source.text))
    place, first = Span(source, at, at), None
    if problem.startswith(("Cannot overwrite", "Cannot declare")) and (twice := _set_twice(source)) is not None:
        first, place = twice
        words = f"{place.text} is set twice"
    diagnostic = BAD_SETTINGS(place, problem=f"not TOML: {words}")
    return Settings(problems=(diagnostic if first is None else repeated(diagnostic, first, "set"),))


def _set_twice(source: Source) -> tuple[Span, Span] | None:
    """The two places of the first key or table of a text that is there twice."""
    known: dict[str, Span] = {}
    table = ""
    for start in source.line_starts:
        match = _TABLE.match(source.text, start) or _SET.match(source.text, start)
        if match is None:
            continue
        is_table = match.re is _TABLE
        table = match[1] if is_table else table
        name = table if is_table else f"{table}.{match[1]}".removeprefix(".")
        span = Span(source, match.start(1), match.end(1))
        if name in known:
            return known[name], span
        known[name] = span
    return None


class _File:
    """The checks of one file. ``home``: the table that belongs to tfdsl."""

    def __init__(self, source: Source, home: tuple[str, ...]) -> None:
        self.source = source
        self.home = home
        self.problems: list[Diagnostic] = []

    def settings(self, table: object) -> Settings:
        """The settings of the file, and everything that is wrong with it."""
        if not isinstance(table, dict):
            self.report((), f"{'.'.join(self.home)} must be a table")
            return Settings(problems=tuple(self.problems))
        entries = cast("dict[str, object]", table)
        for key, value in entries.items():
            if key not in (*KEYS, *TABLES):
                self.unknown(key, value)
        levels = self.levels(entries.get("lint", {}))
        targets = self.targets(entries.get("targets", []))
        strict = self.strict(entries.get("strict", False))
        gpus = self.gpus(entries.get("gpus_per_node"))
        labels = self.labels(entries.get("labels", {}))
        return Settings(levels, tuple(self.problems), targets, strict, gpus, labels, self.source)

    def report(self, path: tuple[str, ...], problem: str, help: str | None = None) -> None:  # noqa: A002  (its name)
        """Report a problem at the key ``path``, relative to the table that belongs to tfdsl."""
        if len(self.problems) >= MOST_PROBLEMS:
            return  # finding a place reads the whole file
        diagnostic = BAD_SETTINGS(self.place(*path), problem=problem)
        self.problems.append(diagnostic if help is None else diagnostic.help(help))

    def place(self, *path: str) -> Span:
        """Where the key ``path`` is, relative to the table that belongs to tfdsl."""
        return place_of(self.source, (*self.home, *path))

    def unknown(self, key: str, value: object) -> None:
        """Report an unknown key or table, with what was probably meant."""
        if len(self.problems) >= MOST_PROBLEMS:
            return None  # nobody would be told, and to look for what was meant is dear
        what = self.shown(key) if isinstance(value, dict) else key
        if not self.home and key == "tool":
            return self.report(
                (key,), "tfdsl.toml has no table [tool]", "write [lint]; [tool.tfdsl] is for pyproject.toml"
            )
        if rule_called(key) is not None:
            lint = self.shown("lint")
            return self.report((key,), f"the level of {key} is outside {lint}", f"move it to {lint}")
        near = closest(key, (*KEYS, *TABLES))
        known = ", ".join((*KEYS, *map(self.shown, TABLES)))
        meant = f"did you mean {self.shown(near) if near in TABLES else near}?" if near else f"the settings are {known}"
        return self.report((key,), f"there is no setting {what}", meant)

    def shown(self, table: str) -> str:
        """The header of a table."""
        return f"[{'.'.join((*self.home, table))}]"

    # --- levels ---

    def levels(self, table: object) -> dict[str, str]:
        """The levels of the table ``lint``, by slug."""
        if not isinstance(table, dict):
            self.report(("lint",), "lint must be a table of rules and levels")
            return {}
        levels: dict[str, str] = {}
        for name, level in cast("dict[str, object]", table).items():
            slug = self.slug(name)
            if slug is None:
                continue
            if level not in LEVELS:
                self.report(("lint", name), f"the level of {name} must be {listing(LEVELS)}")
            elif slug in levels:
                self.report(("lint", name), f"the level of {slug} is set twice, by its name and by its code")
            else:
                levels[slug] = str(level)
        return levels

    def slug(self, name: str) -> str | None:
        """The slug of the message called ``name``; ``None`` with a report if it cannot have a level."""
        if name in of_lint():
            return of_lint()[name].slug
        if len(self.problems) >= MOST_PROBLEMS:
            return None  # nobody would be told, and to look for it is dear
        rule = rule_called(name)
        if rule is None:
            near = closest(name, [levelled_rule.slug for levelled_rule in levelled_rules()])
            self.report(("lint", name), f"there is no message {name}", f"did you mean {near}?" if near else None)
            return None
        fixed = why_fixed(rule)
        if fixed is not None:
            self.report(("lint", name), f"{name} always has its own level: {fixed}", "remove this line")
            return None
        return rule.slug

    # --- labels ---

    def labels(self, table: object) -> dict[str, Argument]:
        """The labels of the table ``labels``, each at its key."""
        if not isinstance(table, dict):
            self.report(("labels",), "labels must be a table of labels and values")
            return {}
        entries = cast("dict[str, object]", table)
        if len(entries) > MOST_LABELS:
            self.report(("labels",), f"there can be at most {MOST_LABELS} labels")
            return {}
        wrong = {key for key, value in entries.items() if not self.is_label(key, value)}
        texts = {key: str(value) for key, value in entries.items() if key not in wrong}
        for broken in values.labels(texts):
            key = str(broken.place[0])
            wrong.add(key)
            if len(self.problems) < MOST_PROBLEMS:
                self.problems.append(broken.at(self.place("labels", key)))
        return {key: Argument(text, self.place("labels", key)) for key, text in texts.items() if key not in wrong}

    def is_label(self, key: str, value: object) -> bool:
        """Whether a value is a text, and its key may be set."""
        if isinstance(value, dict):
            self.report(("labels", key), f"the label {key} must be a string", "put a key with dots in quotes")
        elif not isinstance(value, str):
            self.report(("labels", key), f"the label {key} must be a string", f'write "{str(value)[:63].lower()}"')
        else:
            return True
        return False

    # --- keys ---

    def targets(self, value: object) -> tuple[Argument, ...]:
        """The elements of ``targets``, each at its place."""
        if isinstance(value, str):
            self.report(("targets",), "targets must be a list", f'write targets = ["{value}"]')
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) for one in cast("list[object]", value)):
            self.report(("targets",), "targets must be a list of targets", 'write each as "TARGET" or "TARGET@VERSION"')
            return ()
        texts = dict.fromkeys(cast("list[str]", value))
        if len(texts) > MOST_TARGETS:
            self.report(("targets",), f"targets can have at most {MOST_TARGETS} elements")
            return ()
        key = self.place("targets") if texts else Span(self.source, 0, 0)
        return tuple(Argument(text, element_place(key, text)) for text in texts)

    def strict(self, value: object) -> bool:
        """Whether ``strict`` is set."""
        if not isinstance(value, bool):
            self.report(("strict",), "strict must be true or false")
            return False
        return value

    def gpus(self, value: object) -> int | None:
        """The value of ``gpus_per_node``, if it is set."""
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_GPUS:
            self.report(("gpus_per_node",), f"gpus_per_node must be a whole number from 1 to {MOST_GPUS:,}")
            return None
        return value
