"""The questions of the page about the last input."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl_playground.project import name_of
from tfdsl_playground.results import LARGEST_OUTPUTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tfdsl.diagnostics.diagnostic import Edit
    from tfdsl.text import Source, Span
    from tfdsl.tracing.places import Place
    from tfdsl_playground.session import Session
    from tfdsl_playground.texts import Text

    Answer = dict[str, object]
    About = Mapping[str, object]


def ask(session: Session, question: str, about: object) -> object:
    """The answer of the protocol; ``None`` if there is none, or no such question."""
    answer = _ANSWERS.get(question)
    return None if answer is None else answer(session, cast("About", about))


def _number(about: About, name: str) -> int:
    value = about.get(name)
    return value if isinstance(value, int) else 0


def _at(session: Session, about: About) -> tuple[Text, int] | None:
    """The text and the offset that a question is about."""
    text = session.text(str(about.get("file")))
    if text is None:
        return None
    return text, session.project.units(text.source).characters(_number(about, "offset"))


def _range(session: Session, span: Span) -> Answer:
    units = session.project.units(span.source)
    return {"from": units.of(span.start), "to": units.of(span.end)}


def _edits(session: Session, edits: Iterable[Edit]) -> list[Answer]:
    ordered = sorted(edits, key=lambda edit: (edit.span.source.path, edit.span.start))
    return [
        {"file": name_of(edit.span.source.path), **_range(session, edit.span), "text": edit.text} for edit in ordered
    ]


# --- a place ---------------------------------------------------------------------------------------------------------


def _in_settings(session: Session, about: About) -> tuple[Source, int] | None:
    """The same for a question about ``tfdsl.toml``."""
    source = session.project.source(str(about.get("file")))
    if source is None or name_of(source.path) != "tfdsl.toml":
        return None
    return source, session.project.units(source).characters(_number(about, "offset"))


def _hover(session: Session, about: About) -> Answer | None:
    from tfdsl.lsp.features import project_file
    from tfdsl.lsp.features.hover import hover

    here, in_settings = _at(session, about), _in_settings(session, about)
    found = hover(*here) if here is not None else None
    if in_settings is not None:
        found = project_file.hover(*in_settings)
    return None if found is None else {**_range(session, found.span), "markdown": found.text}


def _complete(session: Session, about: About) -> Answer | None:
    from tfdsl.lsp.features import project_file
    from tfdsl.lsp.features.completion import complete

    here, in_settings = _at(session, about), _in_settings(session, about)
    if here is not None:
        found = complete(*here)
    elif in_settings is not None:
        found = project_file.complete(*in_settings)
    else:
        return None
    items = [
        {
            "label": item.label,
            "kind": item.kind,
            "detail": item.detail,
            "markdown": item.doc,
            "insert": item.text or item.label,
            "snippet": item.snippet,
        }
        for item in found.items
    ]
    return {**_range(session, found.span), "items": items}


def _signature(session: Session, about: About) -> Answer | None:
    from tfdsl.lsp.features.hover import signature_help

    here = _at(session, about)
    found = signature_help(*here) if here is not None else None
    if found is None:
        return None
    parameters = [list(one) for one in found.parameters]
    return {"text": found.text, "markdown": found.doc, "parameters": parameters, "active": found.active}


def _definition(session: Session, about: About) -> Answer | None:
    from tfdsl.lsp.features.navigation import definition

    here = _at(session, about)
    found = definition(*here) if here is not None else []
    return session.project.place(found[0]) if found else None


# --- changes ---------------------------------------------------------------------------------------------------------


def _actions(session: Session, about: About) -> list[Answer] | None:
    from tfdsl.lsp.features.problems import code_actions

    text = session.text(str(about.get("file")))
    if text is None:
        return None
    units = session.project.units(text.source)
    start, end = units.characters(_number(about, "from")), units.characters(_number(about, "to"))
    whole = start == 0 and end >= len(text.source.text)
    return [
        {
            "title": action.title,
            "kind": "fix" if action.kind == "quickfix" else "all",
            "code": action.diagnostic.rule.code if action.diagnostic is not None else None,
            "preferred": action.preferred,
            "edits": _edits(session, action.edits),
        }
        for action in code_actions(text, start, end, whole=whole)
    ]


def _format(session: Session, about: About) -> list[Answer] | None:
    from tfdsl.lsp.features.layout import format_all

    text = session.text(str(about.get("file")))
    return None if text is None else _edits(session, format_all(text))


# --- lines that belong together --------------------------------------------------------------------------------------


def _made(session: Session, about: About) -> Answer | None:
    from tfdsl.lsp.features.previews import made_by

    source = session.project.source(str(about.get("file")))
    if source is None:
        return None
    found = made_by(session.main, session.preview, source, _number(about, "line"))
    if isinstance(found, str):
        return None
    lines = [
        {"output": line.place.path, "line": line.place.line, "how": group.how}
        for group in found.lines
        for line in group.lines
    ]
    return {"lines": lines, "reason": found.reason}


def _origin(session: Session, about: About) -> Answer | None:
    from tfdsl.lsp.features.previews import origin_of

    found = origin_of(session.main, session.preview, str(about.get("output")), _number(about, "line"))
    if isinstance(found, str):
        return None
    return {
        "place": _line(found.place) if found.place is not None else None,
        "uses": [_line(one) for one in found.uses],
        "reason": found.reason or None,
    }


def _line(place: Place) -> Answer:
    return {"file": name_of(place.path), "line": place.line}


# --- pictures and pages ----------------------------------------------------------------------------------------------


def _graph(session: Session, about: About) -> Answer | None:
    from tfdsl.lsp.features.graph import draw_text
    from tfdsl.lsp.features.previews import Preview

    target = session.input.target if about.get("forTarget") is True else None
    found = draw_text(session.main, Preview(target, session.preview.job))
    if isinstance(found, str):
        return None
    if len(found.svg) > LARGEST_OUTPUTS:
        return {"svg": "", "jobs": [], "cut": f"The picture of {len(found.jobs):,} jobs is too large to be shown"}
    jobs = [
        {
            "name": job.name,
            "target": job.target,
            "places": {path: session.project.place(span) for path, span in job.places.items()},
        }
        for job in found.jobs
    ]
    return {"svg": found.svg, "jobs": jobs, "cut": None}


def _explain(session: Session, about: About) -> str | None:
    from tfdsl.cli.message_pages import page_of
    from tfdsl.compiling.pipeline import rule_called

    rule = rule_called(str(about.get("word")))
    return None if rule is None else page_of(rule)


_ANSWERS: dict[str, Callable[[Session, About], object]] = {
    "hover": _hover,
    "complete": _complete,
    "signature": _signature,
    "definition": _definition,
    "actions": _actions,
    "format": _format,
    "made": _made,
    "origin": _origin,
    "graph": _graph,
    "explain": _explain,
}
