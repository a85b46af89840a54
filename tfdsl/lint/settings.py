"""Levels of lint rules, from ``tfdsl.toml`` or ``[tool.tfdsl]`` of ``pyproject.toml``.

The nearest of the two files upwards from the source counts (of two in one folder ``tfdsl.toml``; a
``pyproject.toml`` without the table is passed over)::

    [tool.tfdsl.lint]            # in tfdsl.toml: [lint]
    floating-image-tag = "error" # error, warning, info or off; by slug or by code
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, cast

from tfdsl.diagnostics.waiver_rules import BAD_SETTINGS
from tfdsl.record import Record
from tfdsl.semantics.suggest import closest, listing
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tfdsl.diagnostics import Diagnostic

LEVELS = ("error", "warning", "info", "off")


class Settings(Record):
    """Slug or code → level, and what is wrong with the file that says so."""

    levels: Mapping[str, str]
    problems: tuple[Diagnostic, ...] = ()


def settings_for(path: str | None) -> Settings:
    """The settings for a source file, or for a text in no file (``None``: of the current folder)."""
    folder = os.path.dirname(os.path.abspath(path)) if path is not None else os.getcwd()
    while True:
        for name in ("tfdsl.toml", "pyproject.toml"):
            found = _read(os.path.join(folder, name))
            if found is not None:
                return found
        parent = os.path.dirname(folder)
        if parent == folder:
            return Settings({})
        folder = parent


def _read(path: str) -> Settings | None:
    """The settings in the file at ``path``; ``None`` when there are none."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return None
    if path.endswith("pyproject.toml") and "tool.tfdsl" not in text:
        return None
    import tomllib

    source = Source(os.path.relpath(path), text)
    try:
        table: object = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        return Settings({}, (BAD_SETTINGS(Span(source, 0, 0), problem=f"not TOML: {problem}"),))
    for key in ("tool", "tfdsl") if path.endswith("pyproject.toml") else ():
        table = _entry(table, key)
    return _checked(_entry(table, "lint"), source)


def _entry(table: object, key: str) -> object:
    return cast("dict[str, object]", table).get(key) if isinstance(table, dict) else None


def _checked(table: object, source: Source) -> Settings:
    if table is None:
        return Settings({})
    if not isinstance(table, dict):
        return Settings({}, (BAD_SETTINGS(Span(source, 0, 0), problem="lint is a table of rules and levels"),))
    from tfdsl.lint.runner import rules

    known = {name: rule for rule in rules() for name in (rule.slug, rule.code)}
    levels: dict[str, str] = {}
    problems: list[Diagnostic] = []
    for name, level in cast("dict[str, object]", table).items():
        span = _place(source, name)
        if name not in known:
            problems.append(_unknown(span, name, (rule.slug for rule in known.values())))
        elif level not in LEVELS:
            problems.append(BAD_SETTINGS(span, problem=f"the level of {name} is {listing(LEVELS)}"))
        else:
            levels[known[name].slug] = str(level)
    return Settings(levels, tuple(problems))


def _unknown(span: Span, name: str, slugs: Iterable[str]) -> Diagnostic:
    found = BAD_SETTINGS(span, problem=f"there is no lint rule {name}")
    near = closest(name, slugs)
    return found.help(f"did you mean {near}?") if near is not None else found


def _place(source: Source, name: str) -> Span:
    match = re.search(rf"^[ \t]*[\"']?({re.escape(name)})[\"']?[ \t]*=", source.text, re.M)
    return Span(source, match.start(1), match.end(1)) if match is not None else Span(source, 0, 0)
