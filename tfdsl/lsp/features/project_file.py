"""``tfdsl.toml`` and ``[tool.tfdsl]`` in an editor: what is wrong, what may be written, and what the words mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tfdsl import targets
from tfdsl.compiling.front_end import project_with
from tfdsl.diagnostics import Rule
from tfdsl.lint.runner import SLUGS, load
from tfdsl.lsp.features.completion_values import Completions, Item
from tfdsl.lsp.features.hover import Hover
from tfdsl.lsp.features.problems import Problem, problem
from tfdsl.patterns import regex
from tfdsl.settings import HOME
from tfdsl.settings.finding import is_shared
from tfdsl.settings.tables import levelled_rules, read_settings, rule_called
from tfdsl.settings.words import KEYS, LEVELS, TABLES
from tfdsl.text import Source, Span

_HEADER: Final = regex(r"[ \t]*\[[ \t]*([\w.-]*)")
_ENTRY: Final = regex(r"[ \t]*([\w.-]+)[ \t]*=[ \t]*([\"']?)(\w*)")
_KEY: Final = regex(r"[ \t]*([\w.-]*)")
_ELEMENT: Final = regex(r"(?m)^[ \t]*([\w.-]+)[ \t]*=[ \t]*\[[^\]]*?(?<=[\[,\s])([\"']?)([\w@.-]*)\Z")
_NODES: Final = ("8", "4", "2", "1")
"""Numbers of GPUs that nodes often have."""


def problems(source: Source) -> dict[str, list[Problem]]:
    """What is wrong in the file, by its path."""
    found = read_settings(source, shared=is_shared(source.path))
    wrong = project_with(found).problems if found is not None else ()
    return {source.path: [problem(one) for one in wrong]}


def complete(source: Source, offset: int) -> Completions:
    """What may be written at ``offset``: a table, a key that is not there yet, a value."""
    line = _line(source, offset)
    before = source.text[line.start : offset]
    home = _home(source)
    header = _HEADER.fullmatch(before)
    if header is not None:
        names = [".".join((*home, *name)) for name in ((), *((word.name,) for word in TABLES))]
        items = (Item(name, "keyword", "table") for name in names if name)
        return Completions(Span(source, line.start + header.start(1), offset), tuple(items))
    word = re.search(r"[\w-]*\Z", before)
    assert word is not None
    span = Span(source, line.start + word.start(), offset)
    element = _ELEMENT.search(source.text, 0, offset)
    if element is not None and _inside(home, (*_line(source, element.start(1)).table, element[1])) == ("targets",):
        return Completions(Span(source, element.start(3), offset), tuple(_targets(element[2])))
    entry = _ENTRY.fullmatch(before)
    if entry is not None:
        return Completions(span, tuple(_values(_inside(home, (*line.table, *entry[1].split("."))), entry[2])))
    key = _KEY.fullmatch(before)
    table = _inside(home, (*line.table, *key[1].split(".")[:-1])) if key is not None else None
    if table == ("lint",):
        return Completions(span, tuple(_unset(source, whole="=" not in line.text[len(before) :])))
    own = _keys(source, home) if table == () and line.table == home else ()
    return Completions(span, tuple(own))


def hover(source: Source, offset: int) -> Hover | None:
    """What the setting, message, level or target at ``offset`` means."""
    line, home = _line(source, offset), _home(source)
    for match in re.finditer(r"[\w-]+", line.text):
        if match.start() <= offset - line.start <= match.end():
            about = _about(match[0], line, home)
            return Hover(Span(source, line.start + match.start(), line.start + match.end()), about) if about else None
    return None


class _Line(NamedTuple):
    """A line, where it begins, and the table that it is in."""

    start: int
    text: str
    table: tuple[str, ...]


def _home(source: Source) -> tuple[str, ...]:
    """The table that belongs to tfdsl."""
    return HOME if is_shared(source.path) else ()


def _inside(home: tuple[str, ...], path: tuple[str, ...]) -> tuple[str, ...] | None:
    """``path`` from the table of tfdsl on; ``None`` for a place that is not in it."""
    return path[len(home) :] if path[: len(home)] == home else None


def _lines(source: Source) -> Iterator[_Line]:
    start, table = 0, tuple[str, ...]()
    for text in source.text.split("\n"):
        header = _HEADER.match(text)
        if header is not None:
            table = tuple(header[1].split("."))
        yield _Line(start, text, table)
        start += len(text) + 1


def _line(source: Source, offset: int) -> _Line:
    """The line of ``offset``."""
    return [line for line in _lines(source) if line.start <= offset][-1]


# --- what may be written ---------------------------------------------------------------------------------------


def _keys(source: Source, home: tuple[str, ...]) -> Iterator[Item]:
    """The settings that the table of tfdsl does not have yet, and its tables."""
    used = {entry[1] for line in _lines(source) if line.table == home and (entry := _ENTRY.match(line.text))}
    shapes = {"targets": '["$1"]', "strict": "true", "gpus_per_node": "${1:8}"}
    for word in KEYS:
        if word.name not in used:
            yield Item(
                word.name, "attribute", word.type, word.meaning, f"{word.name} = {shapes[word.name]}", snippet=True
            )
    for word in TABLES:
        header = f"[{'.'.join((*home, word.name))}]"
        yield Item(header, "keyword", "table", word.meaning, f"{header}\n")


def _values(path: tuple[str, ...] | None, quote: str) -> Iterator[Item]:
    """The values of the key at ``path``."""
    if path is not None and path[:1] == ("lint",):
        for rank, (level, meaning) in enumerate(LEVELS.items()):
            yield Item(level, "word", meaning.replace("`", ""), "", level if quote else f'"{level}"', rank=rank)
    elif path == ("strict",) and not quote:
        yield from (Item(text, "word") for text in ("true", "false"))
    elif path == ("gpus_per_node",) and not quote:
        yield from (Item(text, "word", rank=rank) for rank, text in enumerate(_NODES))


def _targets(quote: str) -> Iterator[Item]:
    """Every target, then each of its versions, the newest first."""
    for backend in targets.every():
        for rank, version in enumerate((None, *reversed(backend.versions))):
            text = backend.name if version is None else f"{backend.name}@{version}"
            yield Item(text, "target", backend.title, "", text if quote else f'"{text}"', rank=min(rank, 1))


def _unset(source: Source, *, whole: bool) -> Iterator[Item]:
    """The messages that have no level yet, those of lint first. ``whole``: a level is to be written behind them."""
    used = {entry[1] for line in _lines(source) if (entry := _ENTRY.match(line.text)) is not None}
    for rule in levelled_rules():
        if rule.slug not in used and rule.code not in used:
            text = f'{rule.slug} = "${{1:{rule.level}}}"' if whole else rule.slug
            lint = rule.slug in SLUGS
            about = _page(rule) if lint else rule.message
            detail = f"{rule.code}, {rule.level}"
            yield Item(rule.slug, "attribute", detail, about, text, snippet=whole, rank=0 if lint else 5)


# --- what it means ---------------------------------------------------------------------------------------------


def _about(word: str, line: _Line, home: tuple[str, ...]) -> str:
    """What a word of a line means, in Markdown."""
    entry = _ENTRY.match(line.text)
    path = _inside(home, (*line.table, *(entry[1].split(".") if entry is not None else ())))
    if path is None:
        return ""
    setting = next(
        (one for one in (*KEYS, *TABLES) if one.name == word and word in (*path[:1], *line.table[-1:])), None
    )
    if setting is not None:
        return f"**{word}**: {setting.type}\n\n{setting.meaning}"
    if path[:1] == ("lint",):
        return _rule(word) or LEVELS.get(word, "")
    backend = targets.find(word) if path[:1] != ("labels",) else None
    return f"**{backend.name}**: {backend.title}, {', '.join(backend.versions)}" if backend is not None else ""


def _rule(name: str) -> str:
    rule = rule_called(name)
    if rule is None:
        return ""
    about = _page(rule) if rule.slug in SLUGS else rule.message
    return f"**{rule.slug}** ({rule.code}, {rule.level} unless set)\n\n{about}"


def _page(rule: Rule) -> str:
    """The page of a rule without its examples."""
    return load(rule.slug).page.partition("\n## Bad")[0].strip()
