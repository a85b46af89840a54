"""One JSON document, as specified in the language reference ("Diagnostics").

Lines and columns count from 1, columns in characters, ``end`` is exclusive.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TypeAlias, Union

from tfdsl.diagnostics.diagnostic import Diagnostic, Edit, Label, count, count_infos
from tfdsl.diagnostics.render.columns import ACTING, TWO_SIGNS
from tfdsl.text import Span

Json: TypeAlias = Union[str, int, float, bool, "list[Json]", "dict[str, Json]", None]


def render(diagnostics: Sequence[Diagnostic], paths: Sequence[str] = ()) -> str:
    """The document, indented, with a newline at the end."""
    return dumped(contents(diagnostics))


def contents(diagnostics: Sequence[Diagnostic]) -> dict[str, Json]:
    """The document as data."""
    errors, warnings = count(diagnostics)
    return {
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in diagnostics],
        "errors": errors,
        "warnings": warnings,
        "infos": count_infos(diagnostics),
    }


def dumped(document: object) -> str:
    """The text of a document in which nothing acts on who shows it: what does is escaped.

    That is the first of two ``#``, a command for a build server, and the characters of :data:`ACTING`.
    """
    text = TWO_SIGNS.sub(r"\\u0023", json.dumps(document, indent=2, ensure_ascii=False))
    return ACTING.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _diagnostic(diagnostic: Diagnostic) -> Json:
    return {
        "code": diagnostic.rule.code,
        "slug": diagnostic.rule.slug,
        "level": diagnostic.level,
        "message": diagnostic.message,
        "path": diagnostic.span.source.path,
        **_range(diagnostic.span),
        "labels": [_label(label) for label in _labels(diagnostic)],
        "help": list(diagnostic.helps),
        "fixes": [
            {"title": fix.title, "safe": fix.safe, "edits": [_edit(diagnostic, edit) for edit in fix.edits]}
            for fix in diagnostic.fixes
        ],
        "target": diagnostic.target,
    }


def _labels(diagnostic: Diagnostic) -> Iterable[Label]:
    """All places with a text of their own, the diagnostic's first."""
    if diagnostic.mark:
        yield Label(diagnostic.span, diagnostic.mark)
    yield from diagnostic.labels


def _label(label: Label) -> Json:
    return {"message": label.message, "path": label.span.source.path, **_range(label.span)}


def _range(span: Span) -> dict[str, Json]:
    return {"start": _position(span, span.start), "end": _position(span, span.end)}


def _position(span: Span, offset: int) -> Json:
    line, column = span.source.position(offset)
    return {"line": line, "column": column}


def _edit(diagnostic: Diagnostic, edit: Edit) -> Json:
    path = edit.span.source.path  # included only when it is not the diagnostic's file
    elsewhere: dict[str, Json] = {} if path == diagnostic.span.source.path else {"path": path}
    return {**elsewhere, **_range(edit.span), "text": edit.text}
