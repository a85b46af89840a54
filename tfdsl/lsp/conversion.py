"""From what the features give to the types of the protocol, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from tfdsl.lsp.documents import Change
from tfdsl.lsp.positions import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tfdsl.lsp.documents import Documents
    from tfdsl.lsp.features.completion import Completions, Item
    from tfdsl.lsp.features.diagnostics import Problem
    from tfdsl.lsp.features.hover import Hover
    from tfdsl.text import Source, Span

_SEVERITY = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_COMPLETION = {
    "attribute": types.CompletionItemKind.Property,
    "keyword": types.CompletionItemKind.Keyword,
    "snippet": types.CompletionItemKind.Snippet,
    "role": types.CompletionItemKind.Class,
    "template": types.CompletionItemKind.Module,
    "param": types.CompletionItemKind.Variable,
    "let": types.CompletionItemKind.Constant,
    "event": types.CompletionItemKind.Event,
    "action": types.CompletionItemKind.Method,
    "mount": types.CompletionItemKind.Struct,
    "unit": types.CompletionItemKind.Unit,
    "target": types.CompletionItemKind.Interface,
    "option": types.CompletionItemKind.Field,
    "word": types.CompletionItemKind.EnumMember,
    "function": types.CompletionItemKind.Function,
    "member": types.CompletionItemKind.Field,
    "type": types.CompletionItemKind.TypeParameter,
    "file": types.CompletionItemKind.File,
}


class Places:
    """Spans to ranges, for one answer: the lines of each text are counted once."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self._lines: dict[int, Lines] = {}

    def lines(self, source: Source) -> Lines:
        """The lines of a text, as the client counts them."""
        found = self._lines.get(id(source))
        if found is None:
            found = self._lines[id(source)] = Lines(source.text, self.documents.encoding)
        return found

    def position(self, source: Source, offset: int) -> types.Position:
        """The position of an offset."""
        return types.Position(*self.lines(source).position(offset))

    def range(self, span: Span) -> types.Range:
        """The range of a span."""
        return types.Range(self.position(span.source, span.start), self.position(span.source, span.end))

    def location(self, span: Span) -> types.Location:
        """The place of a span with its file."""
        return types.Location(self.documents.uri(span.source.path), self.range(span))

    def offset(self, source: Source, position: types.Position) -> int:
        """The offset of a position."""
        return self.lines(source).offset(position.line, position.character)


def changes(params: types.DidChangeTextDocumentParams) -> list[Change]:
    """The changes that a client sends."""
    found: list[Change] = []
    for change in params.content_changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = change.range.start, change.range.end
            found.append(Change((start.line, start.character, end.line, end.character), change.text))
        else:
            found.append(Change(None, change.text))
    return found


def diagnostics(problems: Sequence[Problem], places: Places, *, related: bool) -> list[types.Diagnostic]:
    """Problems of one file. ``related``: whether the client shows other places."""
    return [_diagnostic(problem, places, related=related) for problem in problems]


def _diagnostic(problem: Problem, places: Places, *, related: bool) -> types.Diagnostic:
    found = problem.diagnostic
    labels = found.labels if related else ()
    return types.Diagnostic(
        range=places.range(found.span),
        message=problem.text,
        severity=_SEVERITY[found.level],
        code=found.rule.code,
        code_description=types.CodeDescription(problem.page) if problem.page else None,
        source="tfdsl",
        tags=[types.DiagnosticTag.Unnecessary] if problem.unnecessary else None,
        related_information=[
            types.DiagnosticRelatedInformation(places.location(label.span), label.message) for label in labels
        ]
        or None,
        data={"slug": found.rule.slug},
    )


def completions(found: Completions, places: Places, *, snippets: bool) -> types.CompletionList:
    """Completions. ``snippets``: whether the client fills in places."""
    range_ = places.range(found.span)
    items = [_completion(item, range_, at, snippets=snippets) for at, item in enumerate(found.items)]
    return types.CompletionList(is_incomplete=False, items=items)


def _completion(item: Item, range_: types.Range, at: int, *, snippets: bool) -> types.CompletionItem:
    text = item.text or item.label
    snippet = item.snippet and snippets
    return types.CompletionItem(
        label=item.label,
        kind=_COMPLETION[item.kind],
        detail=item.detail or None,
        documentation=types.MarkupContent(types.MarkupKind.Markdown, item.doc) if item.doc else None,
        sort_text=f"{at:04}",
        insert_text_format=types.InsertTextFormat.Snippet if snippet else types.InsertTextFormat.PlainText,
        text_edit=types.TextEdit(range_, text if snippet or not item.snippet else without_places(text)),
    )


def without_places(snippet: str) -> str:
    """A snippet for a client that fills in nothing: ``${1:x}`` is ``x``."""
    import re

    plain = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", snippet)
    return re.sub(r"\$\d", "", plain).replace("\t", "  ")


def hover(found: Hover, places: Places) -> types.Hover:
    """A hover."""
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, found.text), places.range(found.span))


def locations(spans: Iterable[Span], places: Places) -> list[types.Location]:
    """Places with their files."""
    return [places.location(span) for span in spans]
