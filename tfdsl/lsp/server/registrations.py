"""What a client is asked to send besides jobs, once the session has begun: news of files, and settings of projects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from tfdsl.settings.finding import OWN, SHARED

if TYPE_CHECKING:
    from tfdsl.lsp.server.session import Session

_PATTERNS: Final = tuple(f"**/{name}" for name in (OWN, SHARED))
_FILES: Final = tuple(types.TextDocumentFilterPattern(pattern, scheme="file") for pattern in _PATTERNS)


def register(ls: Session) -> None:
    """Ask for what the client can be asked for."""
    asked = [*_watched(ls.client_capabilities.workspace), *_project_file(ls.client_capabilities.text_document)]
    if asked:
        ls.client_register_capability(types.RegistrationParams(asked))


def _watched(able: types.WorkspaceClientCapabilities | None) -> Iterator[types.Registration]:
    """News of files that a text may include, and of settings."""
    watched = able.did_change_watched_files if able else None
    if watched is not None and watched.dynamic_registration:
        patterns = [types.FileSystemWatcher(pattern) for pattern in ("**/*.tfjob", *_PATTERNS)]
        options = types.DidChangeWatchedFilesRegistrationOptions(patterns)
        yield types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)


def _project_file(able: types.TextDocumentClientCapabilities | None) -> Iterator[types.Registration]:
    """The settings of a project, which are of another language than jobs."""
    if able is None:
        return
    options = types.TextDocumentRegistrationOptions(_FILES)
    if able.synchronization is not None and able.synchronization.dynamic_registration:
        change = types.TextDocumentChangeRegistrationOptions(types.TextDocumentSyncKind.Incremental, _FILES)
        yield types.Registration("project-open", types.TEXT_DOCUMENT_DID_OPEN, options)
        yield types.Registration("project-change", types.TEXT_DOCUMENT_DID_CHANGE, change)
        yield types.Registration("project-close", types.TEXT_DOCUMENT_DID_CLOSE, options)
    if able.completion is not None and able.completion.dynamic_registration:
        words = types.CompletionRegistrationOptions(_FILES, trigger_characters=list("[\"'"))
        yield types.Registration("project-completion", types.TEXT_DOCUMENT_COMPLETION, words)
    if able.hover is not None and able.hover.dynamic_registration:
        yield types.Registration("project-hover", types.TEXT_DOCUMENT_HOVER, options)
