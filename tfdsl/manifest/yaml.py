"""Reading YAML and JSON into documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from yaml import Event, MarkedYAMLError, ScalarEvent, YAMLError

from tfdsl.diagnostics import import_rules as rules
from tfdsl.gc_pause import without_gc
from tfdsl.manifest import json, syntax_errors, templates
from tfdsl.manifest.compose import Composer, TooDeepError
from tfdsl.manifest.documents import Document
from tfdsl.manifest.events import FORBIDDEN, events
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.manifest.nodes import Node

    Report = Callable[[Diagnostic], None]

MOST_MESSAGES: Final = 100
"""The most messages about one text."""


@without_gc
def read(source: Source, report: Report) -> list[Document]:
    """The documents of ``source``, YAML or JSON, in order; empty ones are left out.

    What is wrong goes to ``report``. Where the text ends to be YAML, the documents before that are given.
    """
    if templates.is_of_simpletfjob(source.text):
        return read_template(source, report)
    diagnostics: list[Diagnostic] = []
    documents, form = _documents(source, diagnostics.append)
    template = None
    if diagnostics or templates.HELM.search(source.text) is not None:
        template = templates.diagnostic(source)
    if template is not None:
        diagnostics, documents = [template], []  # what is no YAML there becomes YAML when the template is rendered
    elif not documents and not diagnostics:
        diagnostics = [rules.MANIFEST_EMPTY(Span(source, 0, 0), path=source.path)]
    for diagnostic in diagnostics[:MOST_MESSAGES]:
        report(diagnostic)
    return [Document(source, node, form) for node in documents]


def read_template(source: Source, report: Report) -> list[Document]:
    """Like :func:`read`, for YAML in which ``{{…}}`` is part of a word, wherever it stands."""
    nodes = _nodes(source, report, templates.hidden(source.text), shown=True)
    return [Document(source, node) for node in nodes]


def _documents(source: Source, report: Report) -> tuple[list[Node], Literal["yaml", "json"]]:
    """The trees of ``source``. What begins like JSON but is none is read as YAML, as kubectl does."""
    if json.is_likely(source.text):
        diagnostics: list[Diagnostic] = []
        documents = json.read(source, diagnostics.append)
        if documents is not None:
            for diagnostic in diagnostics:
                report(diagnostic)
            return documents, "json"
        of_yaml: list[Diagnostic] = []
        documents = list(_nodes(source, of_yaml.append, source.text))
        # It is neither: the error is that of the form that its name says, or of the one that was right for longer.
        if of_yaml and (source.path.endswith(".json") or diagnostics[-1].span.start >= of_yaml[-1].span.start):
            of_yaml, documents = diagnostics, []
        for diagnostic in of_yaml:
            report(diagnostic)
        return documents, "yaml"
    return list(_nodes(source, report, source.text)), "yaml"


def _nodes(source: Source, report: Report, text: str, *, shown: bool = False) -> Iterator[Node]:
    """The trees of ``text``, which has the places of ``source``. ``shown``: braces are hidden in it."""
    forbidden = FORBIDDEN.search(text)
    if forbidden is not None:
        at = forbidden.start()
        reason = f"it contains the character U+{ord(forbidden[0]):04X}"
        report(rules.MANIFEST_SYNTAX(Span(source, at, at + 1), form="YAML", reason=reason))
        text = text[: text.rfind("\n---", 0, at) + 1]
    try:
        yield from Composer(source, report).documents(_with_braces(events(text)) if shown else events(text))
    except MarkedYAMLError as error:
        report(syntax_errors.diagnostic(source, error))
    except TooDeepError:
        return
    except YAMLError as error:  # pragma: no cover - libyaml's reader, which is given no text that it refuses
        report(rules.MANIFEST_SYNTAX(Span(source, 0, 0), form="YAML", reason=str(error)))


def _with_braces(hidden: Iterator[Event]) -> Iterator[Event]:
    for event in hidden:
        if isinstance(event, ScalarEvent):
            event.value = templates.shown(event.value)
        yield event
