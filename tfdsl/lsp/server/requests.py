# ruff: noqa: D103  (a function is the request of its name)
"""The answers to requests about texts: what a feature gives, in the words of the protocol.

This module loads the features, so it is itself loaded when ``initialize`` has been answered.
"""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tfdsl.lsp.documents import path_of
from tfdsl.lsp.features import hover as hovering, layout, navigation, params_file, problems, project_file
from tfdsl.lsp.features.completion import Completions, complete
from tfdsl.lsp.features.inlay_hints import inlay_hints
from tfdsl.lsp.server import conversion
from tfdsl.lsp.server.session import OPEN_OUTPUT, REQUEST_FAILED, Session

# --- what is here ----------------------------------------------------------------------------------------------


def completion(ls: Session, params: types.CompletionParams) -> types.CompletionList | None:
    completions: Completions | None = None
    if (here := ls.at(params)) is not None:
        completions = complete(*here)
    elif (settings := ls.in_project_file(params)) is not None:
        completions = project_file.complete(*settings)
    elif (values := ls.in_values(params)) is not None:
        completions = params_file.complete(*values)
    if completions is None:
        return None
    return conversion.completions(completions, ls.places(), snippets=ls.can_fill_in, as_it_is=ls.can_insert_as_it_is)


def hover(ls: Session, params: types.HoverParams) -> types.Hover | None:
    if (here := ls.at(params)) is not None:
        about = hovering.hover(*here)
    elif (settings := ls.in_project_file(params)) is not None:
        about = project_file.hover(*settings)
    else:
        values = ls.in_values(params)
        about = None if values is None else params_file.hover(*values)
    return None if about is None else types.Hover(conversion.markdown(about.text), ls.places().range(about.span))


def signature_help(ls: Session, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    """The function that is being called. A parameter is given by its text, because a range would count in units."""
    here = ls.at(params)
    call = hovering.signature_help(*here) if here is not None else None
    if call is None:
        return None
    parameters = [types.ParameterInformation(call.text[start:end]) for start, end in call.parameters]
    signature = types.SignatureInformation(call.text, conversion.markdown(call.doc), parameters, call.active)
    return types.SignatureHelp([signature], 0, call.active)


def inlay_hint(ls: Session, params: types.InlayHintParams) -> list[types.InlayHint]:
    part, places = ls.part(params.text_document.uri, params.range), ls.places()
    if part is None:
        return []
    return [
        types.InlayHint(places.position(part[0].source, hint.offset), hint.text, tooltip=hint.about, padding_left=True)
        for hint in inlay_hints(*part)
    ]


def code_lens(ls: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
    uri = params.text_document.uri
    snapshot, places = ls.state.snapshot(uri), ls.places()
    return [
        types.CodeLens(
            places.range(lens.span),
            types.Command(lens.title, lens.command or OPEN_OUTPUT, arguments=[uri, lens.target, lens.job]),
        )
        for lens in (problems.code_lens(snapshot, ls.own_commands) if snapshot is not None else ())
    ]


# --- names -----------------------------------------------------------------------------------------------------


def definition(ls: Session, params: types.DefinitionParams) -> list[types.Location]:
    here = ls.at(params)
    return [] if here is None else list(map(ls.places().location, navigation.definition(*here)))


def references(ls: Session, params: types.ReferenceParams) -> list[types.Location]:
    here, declaration = ls.at(params), params.context.include_declaration
    spans = navigation.references(*here, declaration=declaration) if here is not None else []
    return list(map(ls.places().location, spans))


def highlight(ls: Session, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    """The places of one name; where it is declared it is written."""
    here, places = ls.at(params), ls.places()
    kinds = {True: types.DocumentHighlightKind.Write, False: types.DocumentHighlightKind.Read}
    found = navigation.highlight(*here) if here is not None else []
    return [types.DocumentHighlight(places.range(name.span), kinds[name.declares]) for name in found]


def document_symbol(
    ls: Session, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    snapshot = ls.state.snapshot(params.text_document.uri)
    outline = navigation.outline(snapshot.file) if snapshot is not None else []
    return conversion.outline(outline, ls.places()) if ls.can_nest else conversion.symbols(outline, ls.places())


def workspace_symbol(ls: Session, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    return conversion.symbols(navigation.search(ls.state.declared(), params.query), ls.places(), nested=False)


def document_link(ls: Session, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    snapshot, places = ls.state.snapshot(params.text_document.uri), ls.places()
    links = navigation.links(snapshot) if snapshot is not None else []
    return [types.DocumentLink(places.range(span), places.documents.uri(path)) for span, path in links]


def prepare_rename(ls: Session, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    here = ls.at(params)
    span = navigation.renamable(*here) if here is not None else None
    return None if span is None else types.PrepareRenamePlaceholder(ls.places().range(span), span.text)


def rename(ls: Session, params: types.RenameParams) -> types.WorkspaceEdit | None:
    here = ls.at(params)
    if here is None:
        return None
    edits = navigation.rename(*here, params.new_name)
    if isinstance(edits, str):
        raise JsonRpcException(edits, REQUEST_FAILED)
    return conversion.workspace_edit(edits, ls.places(), versions=ls.can_version)


def will_rename_files(ls: Session, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    pairs = [(path_of(file.old_uri), path_of(file.new_uri)) for file in params.files]
    moves = {old.rstrip("/"): new.rstrip("/") for old, new in pairs if old is not None and new is not None}
    edits = navigation.moving(ls.state.programs(), moves)
    return conversion.workspace_edit(edits, ls.places(), versions=ls.can_version) if edits else None


# --- the text --------------------------------------------------------------------------------------------------


def folding_range(ls: Session, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    snapshot = ls.state.snapshot(params.text_document.uri)
    folds = layout.folding(snapshot) if snapshot is not None else []
    return [types.FoldingRange(fold.first, fold.last, kind=fold.kind) for fold in folds]


def selection_range(ls: Session, params: types.SelectionRangeParams) -> list[types.SelectionRange] | None:
    snapshot, places = ls.state.snapshot(params.text_document.uri), ls.places()
    if snapshot is None:
        return None
    offsets = [places.offset(snapshot.source, position) for position in params.positions]
    return [conversion.selection(layout.selection(snapshot, offset), places) for offset in offsets]


def semantic_tokens(ls: Session, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
    snapshot = ls.state.snapshot(params.text_document.uri)
    return None if snapshot is None else conversion.semantic_tokens(layout.semantic_tokens(snapshot), ls.places())


def semantic_tokens_range(ls: Session, params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
    part = ls.part(params.text_document.uri, params.range)
    if part is None:
        return None
    snapshot, start, end = part
    tokens = layout.semantic_tokens(snapshot)
    inside = [token for token in tokens if start <= token.span.start and token.span.end <= end]
    return conversion.semantic_tokens(inside, ls.places())


def formatting(ls: Session, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    snapshot = ls.state.snapshot(params.text_document.uri)
    return [] if snapshot is None else conversion.text_edits(layout.format_all(snapshot), ls.places())


def range_formatting(ls: Session, params: types.DocumentRangeFormattingParams) -> list[types.TextEdit]:
    part = ls.part(params.text_document.uri, params.range)
    return [] if part is None else conversion.text_edits(layout.format_range(*part), ls.places())


def on_type_formatting(ls: Session, params: types.DocumentOnTypeFormattingParams) -> list[types.TextEdit]:
    here = ls.at(params)
    return [] if here is None else conversion.text_edits(layout.format_typed(*here, params.ch), ls.places())


# --- problems --------------------------------------------------------------------------------------------------


def code_actions(ls: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done about the problems of a text that has been checked."""
    part, only, places = ls.part(params.text_document.uri, params.range), params.context.only, ls.places()
    return [
        conversion.code_action(action, places, versions=ls.can_version, related=ls.can_relate)
        for action in (problems.code_actions(*part, whole=only is not None) if part is not None else ())
        if only is None or any(_within(action.kind, kind) for kind in only)
    ]


def _within(kind: str, asked: str) -> bool:
    """``source.fixAll.tfdsl`` is asked for by ``source.fixAll`` and by ``source``."""
    asked = str(getattr(asked, "value", asked))
    return not asked or kind == asked or kind.startswith(f"{asked}.")
