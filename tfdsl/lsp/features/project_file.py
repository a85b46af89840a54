"""``tfdsl.toml`` in an editor: what is wrong in it, what may be written in it, and what its words mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from tfdsl.front_end import project_with
from tfdsl.lint.runner import load, rules
from tfdsl.lsp.features.completion.item import Completions, Item
from tfdsl.lsp.features.diagnostics import problem
from tfdsl.lsp.features.hover import Hover
from tfdsl.patterns import regex
from tfdsl.settings.levels import LEVELS
from tfdsl.settings.tables import TABLES, settings_in
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Rule
    from tfdsl.lsp.features.diagnostics import Problem

_MEANINGS: Final = {
    "error": "`tfdsl check` fails",
    "warning": "reported; `tfdsl check` does not fail",
    "info": "reported as a note",
    "off": "not checked",
}
_HEADER: Final = regex(r"[ \t]*\[[ \t]*([\w.-]*)")
_ENTRY: Final = regex(r"[ \t]*([\w.-]+)[ \t]*=[ \t]*([\"']?)(\w*)")
_KEY: Final = regex(r"[ \t]*([\w.-]*)")


def problems(source: Source) -> dict[str, list[Problem]]:
    """What is wrong in the file, by its path."""
    return {source.path: [problem(one) for one in project_with(settings_in(source)).problems]}


def complete(source: Source, offset: int) -> Completions:
    """What may be written at ``offset``: the table, a rule that has no level yet, a level."""
    line = _line(source, offset)
    before = source.text[line.start : offset]
    word = re.search(r"[\w-]*\Z", before)
    assert word is not None
    span = Span(source, line.start + word.start(), offset)
    if _HEADER.fullmatch(before):
        return Completions(span, tuple(Item(name, "keyword", "table") for name in TABLES))
    entry = _ENTRY.fullmatch(before)
    if entry is not None:
        in_lint = (*line.table, *entry[1].split("."))[0] == "lint"
        return Completions(span, tuple(_levels(entry[2])) if in_lint else ())
    key = _KEY.fullmatch(before)
    if key is None:
        return Completions(span, ())
    if (*line.table, *key[1].split(".")[:-1]) == ("lint",):
        return Completions(span, tuple(_unset(source, whole="=" not in line.text[len(before) :])))
    tables = () if line.table else tuple(Item(f"[{name}]", "keyword", "table", "", f"[{name}]\n") for name in TABLES)
    return Completions(span, tables)


def hover(source: Source, offset: int) -> Hover | None:
    """What the rule or level at ``offset`` means."""
    line = _line(source, offset)
    for match in re.finditer(r"[\w-]+", line.text):
        if match.start() <= offset - line.start <= match.end():
            about = _rule(match[0]) or _MEANINGS.get(match[0], "")
            return Hover(Span(source, line.start + match.start(), line.start + match.end()), about) if about else None
    return None


class _Line(NamedTuple):
    """A line, where it begins, and the table that it is in."""

    start: int
    text: str
    table: tuple[str, ...]


def _lines(source: Source) -> Iterator[_Line]:
    start, table = 0, tuple[str, ...]()
    for text in source.text.split("\n"):
        yield _Line(start, text, table)
        header = _HEADER.match(text)
        table = tuple(header[1].split(".")) if header else table
        start += len(text) + 1


def _line(source: Source, offset: int) -> _Line:
    """The line of ``offset``."""
    return [line for line in _lines(source) if line.start <= offset][-1]


def _levels(quote: str) -> Iterator[Item]:
    for rank, level in enumerate(LEVELS):
        yield Item(level, "word", _MEANINGS[level].replace("`", ""), "", level if quote else f'"{level}"', rank=rank)


def _unset(source: Source, *, whole: bool) -> Iterator[Item]:
    """The rules that have no level yet. ``whole``: a level is to be written behind them."""
    used = {entry[1] for line in _lines(source) if (entry := _ENTRY.match(line.text)) is not None}
    for rule in rules():
        if rule.slug not in used and rule.code not in used:
            text = f'{rule.slug} = "${{1:{rule.level}}}"' if whole else rule.slug
            yield Item(rule.slug, "attribute", f"{rule.code}, {rule.level}", _page(rule), text, snippet=whole)


def _rule(name: str) -> str:
    rule = next((rule for rule in rules() if name in (rule.slug, rule.code)), None)
    return "" if rule is None else f"**{rule.slug}** ({rule.code}, {rule.level} unless set)\n\n{_page(rule)}"


def _page(rule: Rule) -> str:
    """The page of a rule without its examples."""
    return (load(rule.slug).__doc__ or rule.message).partition("\n## Bad")[0].strip()
