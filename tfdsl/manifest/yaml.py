"""Reading YAML and JSON into documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from yaml import Event, MarkedYAMLError, ScalarEvent, YAMLError

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics import import_rules as rules
from tfdsl.gc_pause import without_gc
from tfdsl.manifest import json, syntax_errors, templates
from tfdsl.manifest.comments import comments
from tfdsl.manifest.compose import Composer, TooDeepError
from tfdsl.manifest.documents import Document
from tfdsl.manifest.events import FORBIDDEN, events
from tfdsl.manifest.nodes import Node
from tfdsl.text import Source, Span

if TYPE_CHECKING:
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
    documents = _documents(source, diagnostics.append)
    template = None
    if diagnostics or templates.HELM.search(source.text) is not None:
        template = templates.diagnostic(source)
    if template is not None:
        diagnostics, documents = [template], []  # what is no YAML there becomes YAML when the template is rendered
    elif not documents and not diagnostics:
        diagnostics = [rules.MANIFEST_EMPTY(Span(source, 0, 0), path=source.path)]
    for diagnostic in diagnostics[:MOST_MESSAGES]:
        report(diagnostic)
    return documents


def read_template(source: Source, report: Report) -> list[Document]:
    """Like :func:`read`, for YAML in which ``{{…}}`` is part of a word, wherever it stands."""
    return _of_yaml(source, report, templates.hidden(source.text), hidden=True)


def _documents(source: Source, report: Report) -> list[Document]:
    """The documents of ``source``. What begins like JSON but is none is read as YAML, as kubectl does."""
    if not json.is_likely(source.text):
        return _of_yaml(source, report, source.text)
    diagnostics: list[Diagnostic] = []
    nodes = json.read(source, diagnostics.append)
    documents = [Document(source, node, "json") for node in nodes or ()]
    if nodes is None:
        of_yaml: list[Diagnostic] = []
        documents = _of_yaml(source, of_yaml.append, source.text)
        # If it is neither, the error is that of the form that its name says, or of the one that was right for longer.
        if not of_yaml or not (source.path.endswith(".json") or diagnostics[-1].span.start >= of_yaml[-1].span.start):
            diagnostics = of_yaml
        else:
            documents = []
    for diagnostic in diagnostics:
        report(diagnostic)
    return documents


def _of_yaml(source: Source, report: Report, text: str, *, hidden: bool = False) -> list[Document]:
    """The documents of ``text``, which has the places of ``source``. ``hidden``: it has hidden braces."""
    if text.startswith("\ufeff"):  # which only one of the two parsers counts
        text = f"\n{text[1:]}"
    forbidden = FORBIDDEN.search(text)
    if forbidden is not None:
        at = forbidden.start()
        reason = f"it contains the character U+{ord(forbidden[0]):04X}"
        report(rules.MANIFEST_SYNTAX(Span(source, at, at + 1), form="YAML", reason=reason))
        text = text[: text.rfind("\n---", 0, at) + 1]
    composer = Composer(source, report)
    nodes: list[Node] = []
    end = len(text)
    try:
        for node in composer.documents(_with_braces(events(text)) if hidden else events(text)):
            nodes.append(node)  # noqa: PERF402 - those before an error are kept
    except MarkedYAMLError as error:
        report(syntax_errors.diagnostic(source, error))
        end = error.problem_mark.index if error.problem_mark is not None else 0
    except TooDeepError:
        end = 0
    except YAMLError as error:  # pragma: no cover - libyaml's reader, which is given no text that it refuses
        report(rules.MANIFEST_SYNTAX(Span(source, 0, 0), form="YAML", reason=str(error)))
    remarks = tuple(comments(source, composer.hashed, end)) if nodes else ()
    return [Document(source, node, comments=remarks) for node in nodes]


def _with_braces(hidden: Iterator[Event]) -> Iterator[Event]:
    for event in hidden:
        if isinstance(event, ScalarEvent):
            event.value = templates.shown(event.value)
        yield event
