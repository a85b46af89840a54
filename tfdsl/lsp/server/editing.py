"""Requests whose answers are edits."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tfdsl.lsp.server.session import REQUEST_FAILED, Session


def _prepare_rename(ls: Session, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    from tfdsl.lsp.features.rename import renamable

    here = ls.at(params)
    span = renamable(*here) if here is not None else None
    return None if span is None else types.PrepareRenamePlaceholder(ls.places().range(span), span.text)


def _rename(ls: Session, params: types.RenameParams) -> types.WorkspaceEdit | None:
    from tfdsl.lsp.features.rename import rename
    from tfdsl.lsp.server import conversion

    here = ls.at(params)
    if here is None:
        return None
    edits = rename(*here, params.new_name)
    if isinstance(edits, str):
        raise JsonRpcException(edits, REQUEST_FAILED)
    return conversion.workspace_edit(edits, ls.places(), versions=ls.can_version)


def _formatting(ls: Session, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    from tfdsl.lsp.features.formatting import format_all
    from tfdsl.lsp.server import conversion

    snapshot = ls.state.snapshot(params.text_document.uri)
    return [] if snapshot is None else conversion.text_edits(format_all(snapshot), ls.places())


def _range_formatting(ls: Session, params: types.DocumentRangeFormattingParams) -> list[types.TextEdit]:
    from tfdsl.lsp.features.formatting import format_range
    from tfdsl.lsp.server import conversion

    part = ls.part(params.text_document.uri, params.range)
    return [] if part is None else conversion.text_edits(format_range(*part), ls.places())


def _on_type_formatting(ls: Session, params: types.DocumentOnTypeFormattingParams) -> list[types.TextEdit]:
    from tfdsl.lsp.features.formatting import format_typed
    from tfdsl.lsp.server import conversion

    here = ls.at(params)
    return [] if here is None else conversion.text_edits(format_typed(*here, params.ch), ls.places())


async def _code_action(ls: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
    from tfdsl.lsp.features.code_actions import code_actions
    from tfdsl.lsp.server import conversion

    await ls.checks.finish_as_it_is(params.text_document.uri)
    part = ls.part(params.text_document.uri, params.range)
    if part is None:
        return []
    only = params.context.only
    found = [
        one
        for one in code_actions(*part, whole=only is not None)
        if only is None or any(_within(one.kind, kind) for kind in only)
    ]
    places = ls.places()
    return [conversion.code_action(one, places, versions=ls.can_version, related=ls.can_relate) for one in found]


def _within(kind: str, asked: str) -> bool:
    """``source.fixAll.tfdsl`` is asked for by ``source.fixAll`` and by ``source``."""
    asked = str(getattr(asked, "value", asked))
    return not asked or kind == asked or kind.startswith(f"{asked}.")


FEATURES = (
    (types.TEXT_DOCUMENT_PREPARE_RENAME, None, _prepare_rename),
    (types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True), _rename),
    (types.TEXT_DOCUMENT_FORMATTING, None, _formatting),
    (types.TEXT_DOCUMENT_RANGE_FORMATTING, None, _range_formatting),
    (
        types.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
        types.DocumentOnTypeFormattingOptions("}", ["\n"]),
        _on_type_formatting,
    ),
    (types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(["quickfix", "source.fixAll.tfdsl"]), _code_action),
)
"""Method, options and handler."""
