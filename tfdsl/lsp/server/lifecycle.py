"""From the first message to the last, and the texts that come and go."""

from __future__ import annotations

import asyncio
import gc
from importlib import import_module
from typing import Final

from lsprotocol import types

from tfdsl.lsp.documents import PARAMS, is_beside
from tfdsl.lsp.server.session import Session
from tfdsl.settings.finding import OWN, SHARED, is_settings_file


def _initialize(ls: Session, params: types.InitializeParams) -> None:
    ls.begin = params
    if ls.pull:  # a client that is offered what it cannot keep fresh would take it
        ls.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, types.DiagnosticOptions(True, False, "tfdsl"))(_diagnostic)
    asyncio.get_running_loop().call_soon(_collect_again)


def _collect_again() -> None:
    """Collect garbage from now on, but not among the modules, and only seldom among old objects.

    Trees hold no cycles, and looking through those of a large workspace takes a quarter of a second.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


def _initialized(ls: Session, params: types.InitializedParams) -> None:
    """Fetch what the first request will need, and ask for the settings and for news of files."""
    for module in ("lsp.server.requests", "syntax.recovery"):
        import_module(f"tfdsl.{module}")
    ls.watch_client()
    ls.ask_for_settings()
    register(ls)
    ls.check_unopened()


def _shutdown(ls: Session, params: None) -> None:
    ls.ended_well = True


# --- texts -----------------------------------------------------------------------------------------------------


def _did_open(ls: Session, params: types.DidOpenTextDocumentParams) -> None:
    item = params.text_document
    if item.language_id == "toml" and not is_settings_file(item.uri):
        return  # an editor that sends all files of its language
    document = ls.state.documents.open(item.uri, item.text, item.version)
    ls.withdraw(item.uri)
    ls.changed(document)
    ls.check_unopened()


def _did_change(ls: Session, params: types.DidChangeTextDocumentParams) -> None:
    from tfdsl.lsp.server.conversion import changes

    document = ls.state.documents.get(params.text_document.uri)
    if document is not None and params.text_document.version >= document.version:
        document.change(changes(params), params.text_document.version, ls.state.documents.encoding)
        last = params.content_changes[-1] if params.content_changes else None
        if isinstance(last, types.TextDocumentContentChangePartial):
            ls.part(document.uri, last.range)  # there the cursor is
        ls.changed(document)


def _did_close(ls: Session, params: types.DidCloseTextDocumentParams) -> None:
    document = ls.state.documents.get(params.text_document.uri)
    if document is None:
        return
    dependents = ls.state.dependents(document)
    ls.state.documents.close(document.uri)
    ls.state.forget(document.uri)
    ls.publish(document.uri)
    ls.reread(dependents)
    ls.check_unopened()


def _did_change_watched_files(ls: Session, params: types.DidChangeWatchedFilesParams) -> None:
    if any(is_beside(change.uri) for change in params.changes):
        ls.state.forget_unopened()
    ls.recheck_all()


def _did_change_workspace_folders(ls: Session, params: types.DidChangeWorkspaceFoldersParams) -> None:
    event = params.event
    ls.state.change_folders([folder.uri for folder in event.added], [folder.uri for folder in event.removed])
    ls.check_unopened()


def _did_change_configuration(ls: Session, params: types.DidChangeConfigurationParams) -> None:
    if not ls.ask_for_settings():
        ls.set_settings(params.settings)


async def _diagnostic(ls: Session, params: types.DocumentDiagnosticParams) -> types.RelatedFullDocumentDiagnosticReport:
    return types.RelatedFullDocumentDiagnosticReport(await ls.asked(params.text_document.uri))


async def _code_action(ls: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
    from tfdsl.lsp.server.requests import code_actions

    await ls.checks.finish_as_it_is(params.text_document.uri)
    return code_actions(ls, params)


FEATURES = (
    (types.INITIALIZE, None, _initialize),
    (types.INITIALIZED, None, _initialized),
    (types.SHUTDOWN, None, _shutdown),
    (types.TEXT_DOCUMENT_DID_OPEN, None, _did_open),
    (types.TEXT_DOCUMENT_DID_CHANGE, None, _did_change),
    (types.TEXT_DOCUMENT_DID_CLOSE, None, _did_close),
    (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, None, _did_change_watched_files),
    (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, None, _did_change_workspace_folders),
    (types.WORKSPACE_DID_CHANGE_CONFIGURATION, None, _did_change_configuration),
    (types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(["quickfix", "source.fixAll.tfdsl"]), _code_action),
)
"""Method, options and handler."""


_PATTERNS: Final = tuple(f"**/{name}" for name in (OWN, SHARED, f"*{PARAMS}"))
_FILES: Final = tuple(types.TextDocumentFilterPattern(pattern, scheme="file") for pattern in _PATTERNS)


def register(ls: Session) -> None:
    """Ask for what the client can be asked for: news of files, and the settings of projects, which are no jobs."""
    patterns = [types.FileSystemWatcher(pattern) for pattern in ("**/*.tfjob", *_PATTERNS)]
    files = types.TextDocumentRegistrationOptions(_FILES)
    change = types.TextDocumentChangeRegistrationOptions(types.TextDocumentSyncKind.Incremental, _FILES)
    words = types.CompletionRegistrationOptions(_FILES, trigger_characters=list("[\"'"))
    watched, texts = "workspace.did_change_watched_files", "text_document.synchronization"
    rows: tuple[tuple[str, str, str, object], ...] = (
        (
            watched,
            "files",
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            types.DidChangeWatchedFilesRegistrationOptions(patterns),
        ),
        (texts, "project-open", types.TEXT_DOCUMENT_DID_OPEN, files),
        (texts, "project-change", types.TEXT_DOCUMENT_DID_CHANGE, change),
        (texts, "project-close", types.TEXT_DOCUMENT_DID_CLOSE, files),
        ("text_document.completion", "project-completion", types.TEXT_DOCUMENT_COMPLETION, words),
        ("text_document.hover", "project-hover", types.TEXT_DOCUMENT_HOVER, files),
    )
    asked = [
        types.Registration(name, method, options)
        for path, name, method, options in rows
        if ls.ability(f"{path}.dynamic_registration")
    ]
    if asked:
        ls.client_register_capability(types.RegistrationParams(asked))
