"""Requests that only ask."""

from __future__ import annotations

from lsprotocol import types

from tfdsl.lsp.server.legend import LEGEND
from tfdsl.lsp.server.session import Session


def _completion(ls: Session, params: types.CompletionParams) -> types.CompletionList | None:
    from tfdsl.lsp.features import project_file
    from tfdsl.lsp.features.completion import complete
    from tfdsl.lsp.server import conversion

    here, settings = ls.at(params), ls.in_project_file(params)
    if here is not None:
        found = complete(*here)
    elif settings is not None:
        found = project_file.complete(*settings)
    else:
        return None
    return conversion.completions(found, ls.places(), snippets=ls.can_fill_in, as_it_is=ls.can_insert_as_it_is)


def _hover(ls: Session, params: types.HoverParams) -> types.Hover | None:
    from tfdsl.lsp.features import project_file
    from tfdsl.lsp.features.hover import hover
    from tfdsl.lsp.server import conversion

    here, settings = ls.at(params), ls.in_project_file(params)
    found = hover(*here) if here is not None else project_file.hover(*settings) if settings is not None else None
    return None if found is None else conversion.hover(found, ls.places())


def _signature_help(ls: Session, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    from tfdsl.lsp.features.signature_help import signature_help
    from tfdsl.lsp.server import conversion

    here = ls.at(params)
    found = signature_help(*here) if here is not None else None
    return None if found is None else conversion.signature_help(found)


def _inlay_hint(ls: Session, params: types.InlayHintParams) -> list[types.InlayHint]:
    from tfdsl.lsp.features.inlay_hints import inlay_hints
    from tfdsl.lsp.server import conversion

    part = ls.part(params.text_document.uri, params.range)
    if part is None:
        return []
    snapshot, start, end = part
    return conversion.inlay_hints(inlay_hints(snapshot, start, end), snapshot.source, ls.places())


def _definition(ls: Session, params: types.DefinitionParams) -> list[types.Location]:
    from tfdsl.lsp.features.definition import definition
    from tfdsl.lsp.server import conversion

    here = ls.at(params)
    return [] if here is None else conversion.locations(definition(*here), ls.places())


def _references(ls: Session, params: types.ReferenceParams) -> list[types.Location]:
    from tfdsl.lsp.features.references import references
    from tfdsl.lsp.server import conversion

    here = ls.at(params)
    if here is None:
        return []
    found = references(*here, declaration=params.context.include_declaration)
    return conversion.locations(found, ls.places())


def _highlight(ls: Session, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    from tfdsl.lsp.features.highlight import highlight
    from tfdsl.lsp.server import conversion

    here = ls.at(params)
    return [] if here is None else conversion.highlights(highlight(*here), ls.places())


def _document_symbol(
    ls: Session, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    from tfdsl.lsp.features.symbols import outline
    from tfdsl.lsp.server import conversion

    snapshot = ls.state.snapshot(params.text_document.uri)
    found = outline(snapshot.file) if snapshot is not None else []
    return conversion.outline(found, ls.places()) if ls.can_nest else conversion.symbols(found, ls.places())


def _workspace_symbol(ls: Session, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    from tfdsl.lsp.features.symbols import search
    from tfdsl.lsp.server import conversion

    return conversion.symbols(search(ls.state.declared(), params.query), ls.places(), nested=False)


def _folding_range(ls: Session, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    from tfdsl.lsp.features.folding import folding

    snapshot = ls.state.snapshot(params.text_document.uri)
    found = folding(snapshot) if snapshot is not None else []
    return [types.FoldingRange(fold.first, fold.last, kind=fold.kind) for fold in found]


def _selection_range(ls: Session, params: types.SelectionRangeParams) -> list[types.SelectionRange] | None:
    from tfdsl.lsp.features.selection import selection
    from tfdsl.lsp.server import conversion

    snapshot = ls.state.snapshot(params.text_document.uri)
    if snapshot is None:
        return None
    places = ls.places()
    offsets = [places.offset(snapshot.source, position) for position in params.positions]
    return [conversion.selection(selection(snapshot, offset), places) for offset in offsets]


def _semantic_tokens(ls: Session, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
    from tfdsl.lsp.features.semantic_tokens import semantic_tokens
    from tfdsl.lsp.server import conversion

    snapshot = ls.state.snapshot(params.text_document.uri)
    if snapshot is None:
        return None
    return conversion.semantic_tokens(semantic_tokens(snapshot), ls.places())


def _semantic_tokens_range(ls: Session, params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
    from tfdsl.lsp.features.semantic_tokens import semantic_tokens
    from tfdsl.lsp.server import conversion

    part = ls.part(params.text_document.uri, params.range)
    if part is None:
        return None
    snapshot, start, end = part
    inside = [token for token in semantic_tokens(snapshot) if start <= token.span.start and token.span.end <= end]
    return conversion.semantic_tokens(inside, ls.places())


def _document_link(ls: Session, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    from tfdsl.lsp.features.links import links

    snapshot = ls.state.snapshot(params.text_document.uri)
    places, documents = ls.places(), ls.state.documents
    found = links(snapshot) if snapshot is not None else []
    return [types.DocumentLink(places.range(link.span), documents.uri(link.path)) for link in found]


def _code_lens(ls: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
    from tfdsl.lsp.features.code_lens import code_lens
    from tfdsl.lsp.server.compiling import OPEN_OUTPUT

    uri = params.text_document.uri
    snapshot = ls.state.snapshot(uri)
    places = ls.places()
    return [
        types.CodeLens(
            places.range(lens.span),
            types.Command(lens.title, OPEN_OUTPUT, arguments=[uri, lens.target, lens.job]),
        )
        for lens in (code_lens(snapshot) if snapshot is not None else ())
    ]


FEATURES = (
    (types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=list('.{"=> ')), _completion),
    (types.TEXT_DOCUMENT_HOVER, None, _hover),
    (types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions(["(", ","]), _signature_help),
    (types.TEXT_DOCUMENT_INLAY_HINT, None, _inlay_hint),
    (types.TEXT_DOCUMENT_DEFINITION, None, _definition),
    (types.TEXT_DOCUMENT_REFERENCES, None, _references),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, None, _highlight),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, None, _document_symbol),
    (types.WORKSPACE_SYMBOL, None, _workspace_symbol),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, None, _folding_range),
    (types.TEXT_DOCUMENT_SELECTION_RANGE, None, _selection_range),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND, _semantic_tokens),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, LEGEND, _semantic_tokens_range),
    (types.TEXT_DOCUMENT_DOCUMENT_LINK, None, _document_link),
    (types.TEXT_DOCUMENT_CODE_LENS, None, _code_lens),
)
"""Method, options and handler."""
