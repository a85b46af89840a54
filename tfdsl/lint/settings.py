"""Levels of lint rules, from ``tfdsl.toml`` or ``[tool.tfdsl]`` of ``pyproject.toml``.

The nearest of the two files counts, searching from the folder of the source upwards. In one folder ``tfdsl.toml``
comes first; a ``pyproject.toml`` without the table is skipped::

    [tool.tfdsl.lint]            # in tfdsl.toml: [lint]
    floating-image-tag = "error" # error, warning, info or off; by slug or by code

Anything else is an error at its place: a misspelt key would have no effect, and nobody would know.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, TypeAlias, cast

from tfdsl.diagnostics.suggest import closest, listing
from tfdsl.diagnostics.waiver_rules import BAD_SETTINGS
from tfdsl.lint.toml_places import place_of
from tfdsl.record import Record
from tfdsl.source_files import contents
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tfdsl.diagnostics import Diagnostic

LEVELS = ("error", "warning", "info", "off")
LARGEST = 1 << 20
"""Bytes of a settings file."""
MOST_PROBLEMS = 50
"""Mistakes reported for one file."""
TABLES = ("lint",)
"""The tables allowed in the file, or in ``[tool.tfdsl]``."""


class Settings(Record):
    """Slug or code → level, and what is wrong with the file they come from."""

    levels: Mapping[str, str]
    problems: tuple[Diagnostic, ...] = ()


Shown: TypeAlias = "Callable[[str], str | None]"
"""The text that an editor shows for a path, saved or not; ``None`` for a file that is not open."""


def settings_for(path: str | None, shown: Shown | None = None) -> Settings:
    """The settings for a source file; for a text that is in no file (``None``), those of the current folder.

    With ``shown`` they are for an editor, which knows files by their whole path.
    """
    folder = os.path.dirname(os.path.abspath(path)) if path is not None else os.getcwd()
    while True:
        for name in ("tfdsl.toml", "pyproject.toml"):
            found = _read(os.path.join(folder, name), shown)
            if found is not None:
                return found
        parent = os.path.dirname(folder)
        if parent == folder:
            return Settings({})
        folder = parent


def settings_in(source: Source) -> Settings:
    """The settings in the text of a ``tfdsl.toml``."""
    found = _settings(source, shared=False)
    assert found is not None
    return found


def _read(path: str, shown: Shown | None) -> Settings | None:
    """The settings in the file at ``path``, or ``None`` if it has none."""
    shared = path.endswith("pyproject.toml")
    open_text = shown(path) if shown is not None else None
    if open_text is not None:
        return _settings(Source(path, open_text), shared=shared)
    if not os.path.lexists(path):
        return None
    data = contents(path, LARGEST)
    text = data if isinstance(data, str) else _decoded(data)
    name = os.path.relpath(path) if shown is None else path
    source = Source(name, text if isinstance(data, bytes) and text is not None else "")
    if isinstance(data, str) or text is None:
        reason = data if isinstance(data, str) else "it is not UTF-8"
        return None if shared else _unusable(source, f"{source.path} cannot be read: {reason}")
    return _settings(source, shared=shared)


def _settings(source: Source, *, shared: bool) -> Settings | None:
    """The settings in a text; ``shared``: one that is for other tools too, and may have none."""
    text = source.text
    if shared and "tfdsl" not in text:
        return None
    import tomllib

    try:
        table: object = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # a number of 5,000 digits, 5,000 brackets
        deep = isinstance(problem, RecursionError)
        reason = "it is nested too deeply" if deep else str(problem).partition(";")[0]
        return None if shared and "tool.tfdsl" not in text else _not_toml(source, reason)
    home = ("tool", "tfdsl") if shared else ()
    for key in home:
        table = cast("dict[str, object]", table).get(key) if isinstance(table, dict) else None
    return None if shared and table is None else _File(source, home).settings(table)


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _unusable(source: Source, problem: str) -> Settings:
    return Settings({}, (BAD_SETTINGS(Span(source, 0, 0), problem=problem),))


def _not_toml(source: Source, problem: str) -> Settings:
    """The error of ``tomllib``, at the line and column that it names."""
    match = re.search(r" \(at line (\d{1,9}), column (\d{1,9})\)$", problem)
    start = len(source.text.rstrip())
    if match is not None:
        lines = source.text.split("\n")[: int(match[1])]
        start = sum(len(line) + 1 for line in lines[:-1]) + int(match[2]) - 1
        problem = problem[: match.start()]
    at = min(start, len(source.text))
    return Settings({}, (BAD_SETTINGS(Span(source, at, at), problem=f"not TOML: {problem}"),))


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
            return Settings({}, tuple(self.problems))
        entries = cast("dict[str, object]", table)
        for key, value in entries.items():
            if key not in TABLES:
                self.unknown(key, value)
        levels = self.levels(entries.get("lint", {}))
        return Settings(levels, tuple(self.problems))

    def report(self, path: tuple[str, ...], problem: str, help: str | None = None) -> None:  # noqa: A002  (its name)
        """Report a problem at the key ``path``, relative to the table that belongs to tfdsl."""
        if len(self.problems) >= MOST_PROBLEMS:
            return  # finding a place reads the whole file
        diagnostic = BAD_SETTINGS(place_of(self.source, (*self.home, *path)), problem=problem)
        self.problems.append(diagnostic if help is None else diagnostic.help(help))

    def unknown(self, key: str, value: object) -> None:
        """Report an unknown key or table, with what was probably meant."""
        lint = "tool.tfdsl.lint" if self.home else "lint"
        what = f"[{'.'.join((*self.home, key))}]" if isinstance(value, dict) else key
        if not self.home and key == "tool":
            return self.report(
                (key,), "tfdsl.toml has no table [tool]", f"write [{lint}]; [tool.tfdsl] is for pyproject.toml"
            )
        if key in _rule_names():
            return self.report((key,), f"the level of {key} is outside [{lint}]", f"move it to [{lint}]")
        near = closest(key, TABLES)
        meant = f"did you mean [{lint}]?" if near else f"the only table is [{lint}]"
        return self.report((key,), f"there is no setting {what}", meant)

    def levels(self, table: object) -> dict[str, str]:
        """The levels of the table ``lint``, by slug."""
        if not isinstance(table, dict):
            self.report(("lint",), "lint must be a table of rules and levels")
            return {}
        known = _rule_names()
        levels: dict[str, str] = {}
        for name, level in cast("dict[str, object]", table).items():
            if name not in known:
                near = closest(name, known.values())
                self.report(("lint", name), f"there is no lint rule {name}", f"did you mean {near}?" if near else None)
            elif level not in LEVELS:
                self.report(("lint", name), f"the level of {name} must be {listing(LEVELS)}")
            elif known[name] in levels:
                self.report(("lint", name), f"the level of {known[name]} is set twice, by its name and by its code")
            else:
                levels[known[name]] = str(level)
        return levels


def _rule_names() -> dict[str, str]:
    """Slug and code of each lint rule → its slug."""
    from tfdsl.lint.runner import rules

    return {name: rule.slug for rule in rules() for name in (rule.slug, rule.code)}
