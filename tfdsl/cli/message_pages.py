"""The pages of messages: files for rules of the language, docstrings for lint rules, generated ones for targets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tfdsl import targets
from tfdsl.backend import Backend, Row, spoken
from tfdsl.diagnostics import Rule
from tfdsl.diagnostics.registry import text_of

_LINT = "TFJ3"
_ROW = re.compile(r"  (\S+) +(.+)")
_ALIGNED = re.compile(r"  \S+ {2,}\S")
_SPECIAL = re.compile(r"([\\*_\[\]~]|^[-+#])")
_CODE = re.compile(r"(`[^`]*`)")


def page_of(rule: Rule) -> str:
    """The page of any rule, starting with its code, slug and level."""
    return f"{rule.code} {rule.slug} ({_level(rule)})\n\n{body_of(rule)}"


def _level(rule: Rule) -> str:
    """The level, and that of what nobody wrote: a row of a support table may tell of a default."""
    rows = [row for backend in targets.known() for row in backend.support.rows if row.rule == rule]
    if rule.level == "info" or all(row.default == "silent" for row in rows):
        return rule.level
    return "info" if all(row.fate == "translated" for row in rows) else f"{rule.level}; info about a default"


def body_of(rule: Rule) -> str:
    """The page without that; its first line is a sentence of its own."""
    return text_of(rule.slug) or _linted(rule) or _targeted(rule)


def _linted(rule: Rule) -> str | None:
    if not rule.code.startswith(_LINT):
        return None
    from tfdsl.lint.runner import SLUGS, load

    return load(rule.slug).page if rule.slug in SLUGS else None


# --- targets -------------------------------------------------------------------------------------------------------


def _targeted(rule: Rule) -> str:
    backend = next((one for one in targets.known() if rule in one.all_rules()), None)
    if backend is None:
        return f"{_sentence(rule.message)}\n"
    rows = [row for row in backend.support.rows if row.rule is not None and row.rule.code == rule.code]
    said = list(dict.fromkeys(_said(row) for row in rows)) or [rule.message]
    parts = ["\n".join(f"{backend.name}: {_sentence(text)}" for text in said) + "\n", _instead(rows)]
    if rows:
        parts += [_when(backend, rows), _elsewhere(backend, list(dict.fromkeys(row.key for row in rows)))]
    else:
        page = f" ({backend.docs})" if backend.docs else ""
        parts.append(
            f"The target has this rule in addition to its support table{page}.\n"
            f"tfdsl check FILE -t {backend.name} reports it before anything is submitted.\n"
        )
    return "\n".join(part for part in parts if part)


def _said(row: Row) -> str:
    """What a row reports; the message of a choice made for the user differs from the text in the table."""
    return row.rule.message if row.fate == "translated" and row.rule is not None else row.text


def _instead(rows: Iterable[Row]) -> str:
    advice = dict.fromkeys(row.instead for row in rows if row.instead)
    return "".join(f"Instead: {plain(text)}.\n" for text in advice)


def _when(backend: Backend, rows: Iterable[Row]) -> str:
    lines: list[str] = []
    for row in rows:
        when = condition(backend, row)
        lines.append(f"  {spoken(row.key)}{f': {when}' if when else ''}\n")
    return "It is reported for\n" + "".join(dict.fromkeys(lines))


def _elsewhere(backend: Backend, keys: Iterable[str]) -> str:
    """What the other targets do with the same things."""
    lines = ["Other targets:\n"]
    for key in keys:
        for other in targets.known():
            if other is not backend:
                lines += [f"  {other.name:<11}{text}\n" for text in fates(other, key)]
    return "".join(dict.fromkeys(lines))


def fates(backend: Backend, key: str) -> list[str]:
    """What a target does with a key, one line per row: ``kept as spec.queue``."""
    lines: list[str] = []
    for row in _rows_of(backend, key):
        when = condition(backend, row)
        line = row.fate if not row.to else f"{row.fate} as {row.to}" if row.fate != "approximated" else row.fate
        more = plain(row.text)
        line += f" ({when})" if when else ""
        lines.append(f"{line}: {more}" if more else line)
    return lines


def in_short(backend: Backend, key: str) -> str:
    """The same on one line, without how it differs."""
    parts: list[str] = []
    for row in _rows_of(backend, key):
        when = condition(backend, row)
        parts.append(f"{row.fate} ({when})" if when else row.fate)
    return "; ".join(dict.fromkeys(parts))


def _rows_of(backend: Backend, key: str) -> Sequence[Row]:
    """The rows of a key, which may be one of flows; none where a target has no flows."""
    if not key.startswith(("flow.", "runs[]")):
        return backend.support[key]
    flows = backend.load_flows()
    return flows.SUPPORT[key] if flows is not None else ()


def condition(backend: Backend, row: Row) -> str:
    """When a row applies, in words; empty if it always does."""
    since = f"from {backend.name} {row.since}" if row.since else ""
    return ", ".join(part for part in (since, row.words) if part)


def plain(text: str) -> str:
    """The text of a row with its fields as words in angle brackets."""
    return re.sub(r"\{(\w+)\}", r"<\1>", text).replace("{{", "{").replace("}}", "}")


def _sentence(text: str) -> str:
    text = plain(text)
    return f"{text[:1].upper()}{text[1:]}."


# --- Markdown ------------------------------------------------------------------------------------------------------


def is_markdown(rule: Rule) -> bool:
    """Whether the page of ``rule`` is written in Markdown already: the file of a rule, or the text of a lint rule."""
    return text_of(rule.slug) is not None or _linted(rule) is not None


def as_markdown(text: str) -> str:
    """A page for a terminal as Markdown: its examples as code, its aligned rows as tables, other rows as lists."""
    parts: list[str] = []
    example = False
    for indented, lines in groupby(text.splitlines(), lambda line: line.startswith("  ")):
        block = list(lines)
        if not indented:
            example = block[-1].startswith("Example:")
            parts += [piece for line in block if line for piece in (prose(line), "")]
        elif example:
            parts += ["```tfjob", *(line[2:] for line in block), "```", ""]
        elif any(map(_ALIGNED.match, block)):
            parts += ["| | |", "| --- | --- |", *_rows(block), ""]
        else:
            parts += [*(f"- {prose(line.strip())}" for line in block), ""]
    return "\n".join(parts)


def _rows(lines: Iterable[str]) -> Iterator[str]:
    """Rows of a table; a line that goes on is in the cell of the one before it."""
    rows: list[list[str]] = []
    for line in lines:
        row = _ROW.fullmatch(line)
        if row is None:
            rows[-1].append(line.strip())
        else:
            rows.append([row[1], row[2]])
    for name, *texts in rows:
        cell = "<br>".join(map(prose, texts)).replace("|", "\\|")
        yield f"| `{name}` | {cell} |"


def prose(text: str) -> str:
    """Words in which nothing is markup but what is between backquotes."""
    pieces = _CODE.split(text)
    return "".join(piece if piece.startswith("`") else _escaped(piece) for piece in pieces)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;")
