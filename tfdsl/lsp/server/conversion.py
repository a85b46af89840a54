"""From what the features give to the types of the protocol, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.lsp.documents import Change, Documents, Lines
from tfdsl.lsp.features.problems import Action, Problem, problem
from tfdsl.lsp.server.protocol import MODIFIERS, TYPES
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.lsp.features.completion import Completions, Item
    from tfdsl.lsp.features.layout import Token
    from tfdsl.lsp.features.navigation import Symbol

_SEVERITY = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_FORMATS = {True: types.InsertTextFormat.Snippet, False: types.InsertTextFormat.PlainText}
_COMPLETION = {
    "attribute": types.CompletionItemKind.Property,
    "keyword": types.CompletionItemKind.Keyword,
    "snippet": types.CompletionItemKind.Snippet,
    "role": types.CompletionItemKind.Class,
    "job": types.CompletionItemKind.Class,
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
    """Problems of one file without the quiet ones. ``related``: whether the client shows other places."""
    return [_diagnostic(problem, places, related=related) for problem in problems if not problem.quiet]


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


def completions(found: Completions, places: Places, *, snippets: bool, as_it_is: bool) -> types.CompletionList:
    """Completions. ``snippets``: whether the client fills in places; ``as_it_is``: it can be asked not to indent."""
    range_ = places.range(found.span)
    indent = _indentation(found.span)
    items = [
        _completion(item, range_, at, _inserted(item, indent, snippets=snippets), snippets=snippets)
        for at, item in enumerate(found.items)
    ]
    if as_it_is and not snippets:
        for item in items:
            item.insert_text_mode = types.InsertTextMode.AsIs
    return types.CompletionList(is_incomplete=False, items=items)


def _inserted(item: Item, indent: str, *, snippets: bool) -> str:
    """What a client inserts. One that fills in snippets indents them too; any other text it leaves alone."""
    text = item.text or item.label
    if snippets or not item.snippet:
        return text
    return without_places(text).replace("\n", f"\n{indent}")


def _indentation(span: Span) -> str:
    """The blanks at the beginning of the line that a span starts in."""
    text = span.source.text
    begin = text.rfind("\n", 0, span.start) + 1
    return text[begin : span.start][: -len(text[begin : span.start].lstrip(" \t")) or None]


def _completion(item: Item, range_: types.Range, at: int, text: str, *, snippets: bool) -> types.CompletionItem:
    return types.CompletionItem(
        label=item.label,
        kind=_COMPLETION[item.kind],
        detail=item.detail or None,
        documentation=markdown(item.doc) if item.doc else None,
        sort_text=f"{at:04}",
        filter_text=item.label.strip('"'),  # what somebody types who begins with the word
        insert_text_format=_FORMATS[item.snippet and snippets],
        text_edit=types.TextEdit(range_, text),
    )


def without_places(snippet: str) -> str:
    """A snippet for a client that fills in nothing: ``${1:x}`` is ``x``."""
    import re

    plain = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", snippet)
    return re.sub(r"\$\d", "", plain).replace("\t", "  ")


_SYMBOL = {
    "include": types.SymbolKind.File,
    "param": types.SymbolKind.Variable,
    "let": types.SymbolKind.Constant,
    "template": types.SymbolKind.Struct,
    "profile": types.SymbolKind.Namespace,
    "job": types.SymbolKind.Class,
    "role": types.SymbolKind.Object,
    "target": types.SymbolKind.Interface,
    "mount": types.SymbolKind.Field,
    "output": types.SymbolKind.Field,
    "policy": types.SymbolKind.Event,
    "block": types.SymbolKind.Object,
    "attribute": types.SymbolKind.Property,
    "flow": types.SymbolKind.Class,
    "run": types.SymbolKind.Method,
}


def outline(found: Iterable[Symbol], places: Places) -> list[types.DocumentSymbol]:
    """The symbols of one text."""
    return [
        types.DocumentSymbol(
            name=one.name,
            kind=_SYMBOL[one.kind],
            range=places.range(one.span),
            selection_range=places.range(one.name_span),
            detail=one.detail or None,
            children=outline(one.children, places),
        )
        for one in found
    ]


def symbols(
    found: Iterable[Symbol], places: Places, container: str | None = None, *, nested: bool = True
) -> list[types.SymbolInformation]:
    """Symbols one by one. ``nested``: with those inside them."""
    flat: list[types.SymbolInformation] = []
    for one in found:
        kind = _SYMBOL[one.kind]
        flat.append(types.SymbolInformation(places.location(one.name_span), one.name, kind, container_name=container))
        flat += symbols(one.children, places, one.name) if nested else []
    return flat


def selection(spans: Sequence[Span], places: Places) -> types.SelectionRange:
    """Ranges, the innermost first."""
    parent: types.SelectionRange | None = None
    for span in reversed(spans):
        parent = types.SelectionRange(places.range(span), parent)
    assert parent is not None
    return parent


def semantic_tokens(tokens: Iterable[Token], places: Places) -> types.SemanticTokens:
    """Tokens as differences: line, character, length, type, modifiers."""
    data: list[int] = []
    line = character = 0
    for token in tokens:
        lines = places.lines(token.span.source)
        at, column = lines.position(token.span.start)
        modifiers = sum(1 << MODIFIERS.index(modifier) for modifier in token.modifiers)
        length = lines.units(token.span.start, token.span.end)
        data += (at - line, column - character if at == line else column, length, TYPES.index(token.type), modifiers)
        line, character = at, column
    return types.SemanticTokens(data)


def markdown(text: str) -> types.MarkupContent:
    """A text that the client shows as Markdown."""
    return types.MarkupContent(types.MarkupKind.Markdown, text)


def text_edits(edits: Iterable[Edit], places: Places) -> list[types.TextEdit]:
    """Edits of one text."""
    return [types.TextEdit(places.range(edit.span), edit.text) for edit in edits]


def workspace_edit(edits: Iterable[Edit], places: Places, *, versions: bool) -> types.WorkspaceEdit:
    """Edits of several texts. ``versions``: whether the client takes the versions that they are for."""
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.span.source.path, []).append(edit)
    by_uri = {places.documents.uri(path): text_edits(found, places) for path, found in by_path.items()}
    if not versions:
        return types.WorkspaceEdit(changes=dict(by_uri))
    changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    for uri, found in by_uri.items():
        document = places.documents.get(uri)
        version = document.version if document is not None else None
        changes.append(types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version), list(found)))
    return types.WorkspaceEdit(document_changes=changes)


def code_action(action: Action, places: Places, *, versions: bool, related: bool) -> types.CodeAction:
    """Something that can be done."""
    about = None if action.diagnostic is None else diagnostics([problem(action.diagnostic)], places, related=related)
    edit = workspace_edit(action.edits, places, versions=versions)
    return types.CodeAction(action.title, action.kind, about, action.preferred or None, edit=edit)
