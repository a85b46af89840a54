"""The server on pygls: positions to offsets, features to messages. Nothing else knows the protocol.

Modules that do the work are imported when they are first needed, so that the answer to ``initialize`` does not wait
for them; they are fetched right after it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from tfdsl import __version__
from tfdsl.lsp.positions import negotiated

if TYPE_CHECKING:
    from tfdsl.lsp.conversion import Places
    from tfdsl.lsp.documents import Document
    from tfdsl.lsp.snapshot import Snapshot
    from tfdsl.lsp.workspace import Workspace

QUIET = 0.005
"""Seconds without a change after which a text is checked: a request that comes with a keystroke is answered first."""
PATIENCE = 0.2
"""Seconds after which a text is checked although changes go on."""
WATCH = 5.0
"""Seconds between two looks whether the client's process is still there."""


class Placed(Protocol):
    """The parameters of a request about a place in a text."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


class Server(LanguageServer):
    """One client's server."""

    def __init__(self) -> None:
        super().__init__("tfdsl", __version__)  # pyright: ignore[reportUnknownMemberType]  (pygls: *args)
        for method in (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE):
            # Texts are kept by Documents: pygls takes more characters for line ends than the protocol does.
            features = cast("dict[str, object]", self.protocol.fm.builtin_features)  # pyright: ignore[reportUnknownMemberType]  (pygls: a bare Dict)
            features.pop(method, None)
        self.begin: types.InitializeParams | None = None
        self.ended_well = False
        self.pull = False
        self.related = False
        self.snippets = False
        self._workspace: Workspace | None = None
        self._published: dict[str, dict[str, list[types.Diagnostic]]] = {}
        self._waiting: dict[str, tuple[asyncio.TimerHandle, float]] = {}

    @property
    def state(self) -> Workspace:
        """The texts and what is known about them."""
        if self._workspace is None:
            from tfdsl.lsp.workspace import Workspace

            self._workspace = Workspace()
            if self.begin is not None:
                self._start(self._workspace, self.begin)
        return self._workspace

    def _start(self, workspace: Workspace, begin: types.InitializeParams) -> None:
        from tfdsl.lsp.settings import read_settings
        from tfdsl.lsp.uris import path_of

        general = begin.capabilities.general
        workspace.documents.encoding = negotiated(general.position_encodings if general else None)
        roots = [folder.uri for folder in begin.workspace_folders or ()]
        roots = roots or [uri for uri in (begin.root_uri,) if uri is not None]
        workspace.folders = [path for uri in roots if (path := path_of(uri)) is not None]
        workspace.settings = read_settings(begin.initialization_options)

    def places(self) -> Places:
        """For converting the spans of one answer."""
        from tfdsl.lsp.conversion import Places

        return Places(self.state.documents)

    def at(self, params: Placed) -> tuple[Snapshot, int] | None:
        """The snapshot and the offset that a request is about; ``None`` for a text that is not open."""
        snapshot = self.state.snapshot(params.text_document.uri)
        return None if snapshot is None else (snapshot, self.places().offset(snapshot.source, params.position))

    # --- the client ---

    def watch_client(self) -> None:
        """End when the client's process is gone, even if somebody else holds our input open."""
        process = self.begin.process_id if self.begin is not None else None
        if process is None:
            return
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            os._exit(1)  # the thread that waits for input cannot be woken
        except OSError:
            return
        asyncio.get_running_loop().call_later(WATCH, self.watch_client)

    def ask_for_settings(self) -> bool:
        """Ask the client for its settings; false when it cannot be asked."""
        workspace = self.client_capabilities.workspace
        if workspace is None or not workspace.configuration:
            return False
        items = [types.ConfigurationItem(section="tfdsl")]
        self.workspace_configuration(types.ConfigurationParams(items), self._settings_came)
        return True

    def _settings_came(self, answer: object) -> None:
        settings = cast("list[object]", answer)[:1] if isinstance(answer, list) else []
        if settings and settings[0] is not None:
            self.set_settings(settings[0])

    def set_settings(self, data: object) -> None:
        """Take over new settings."""
        from tfdsl.lsp.settings import read_settings

        settings = read_settings(data)
        if settings != self.state.settings:
            self.state.settings = settings
            self.recheck_all()

    def watch_files(self) -> None:
        """Ask to be told when files that a text may include change."""
        workspace = self.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace else None
        if watched is None or not watched.dynamic_registration:
            return
        patterns = [types.FileSystemWatcher(pattern) for pattern in ("**/*.tfjob", "**/tfdsl.toml")]
        options = types.DidChangeWatchedFilesRegistrationOptions(patterns)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        self.client_register_capability(types.RegistrationParams([types.Registration("files", method, options)]))

    # --- diagnostics ---

    def changed(self, document: Document) -> None:
        """Check a text, and those that include it, when it is quiet for a moment."""
        for one in (document, *self.state.dependents(document)):
            if one is not document:
                self.state.forget(one.uri)
            self._soon(one.uri)

    def _soon(self, uri: str) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        handle, since = self._waiting.pop(uri, (None, now))
        if handle is not None:
            handle.cancel()
        delay = QUIET if now - since < PATIENCE else 0
        self._waiting[uri] = (loop.call_later(delay, self._check, uri), since)

    def _check(self, uri: str) -> None:
        self._waiting.pop(uri, None)
        try:
            self.publish(uri)
        except Exception as error:  # a bug in a check must not end the server
            self.report_server_error(error, type(error))  # type: ignore[arg-type]

    def publish(self, uri: str) -> None:
        """Tell what is wrong with a text and its includes; what the client asks for itself is left to it."""
        found = self.found(uri)
        before = self._published.get(uri, {})
        self._published[uri] = found
        for other in {**before, **found}:
            if not (self.pull and self.state.documents.get(other) is not None):
                self._send(other)
        if not found:
            self._published.pop(uri, None)

    def found(self, uri: str) -> dict[str, list[types.Diagnostic]]:
        """The diagnostics of an open text and of its includes, by URI; nothing for a text that is not open."""
        from tfdsl.lsp import conversion
        from tfdsl.lsp.features.diagnostics import problems

        snapshot = self.state.snapshot(uri)
        if snapshot is None:
            return {}
        places = self.places()
        return {
            self.state.documents.uri(path): conversion.diagnostics(told, places, related=self.related)
            for path, told in problems(snapshot).items()
        }

    def _send(self, uri: str) -> None:
        """Publish what all open texts that ``uri`` is part of say about it, each message once."""
        once: list[types.Diagnostic] = []
        for found in self._published.values():
            once += [one for one in found.get(uri, ()) if one not in once]
        document = self.state.documents.get(uri)
        version = document.version if document is not None else None
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, once, version))

    def recheck_all(self) -> None:
        """Check all open texts again: something beside them has changed."""
        self.state.forget_all()
        for document in self.state.documents.all():
            self._soon(document.uri)
        if self.pull and self._can_refresh():
            self.workspace_diagnostic_refresh(None)

    def _can_refresh(self) -> bool:
        workspace = self.client_capabilities.workspace
        refresh = workspace.diagnostics.refresh_support if workspace and workspace.diagnostics else None
        return refresh is True


# --- the life of a server --------------------------------------------------------------------------------------


def _initialize(ls: Server, params: types.InitializeParams) -> None:
    can = params.capabilities
    text = can.text_document
    ls.pull = text is not None and text.diagnostic is not None
    published = text.publish_diagnostics if text else None
    ls.related = published is not None and published.related_information is True
    completion = text.completion.completion_item if text and text.completion else None
    ls.snippets = completion is not None and completion.snippet_support is True
    ls.begin = params


def _initialized(ls: Server, params: types.InitializedParams) -> None:
    """Fetch what the first request will need, and ask for the settings and for news of files."""
    for module in ("completion", "diagnostics", "hover"):
        import_module(f"tfdsl.lsp.features.{module}")
    ls.watch_client()
    ls.ask_for_settings()
    ls.watch_files()


def _shutdown(ls: Server, params: None) -> None:
    ls.ended_well = True


# --- texts -----------------------------------------------------------------------------------------------------


def _did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    item = params.text_document
    ls.changed(ls.state.documents.open(item.uri, item.text, item.version))


def _did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    from tfdsl.lsp.conversion import changes

    document = ls.state.documents.get(params.text_document.uri)
    if document is not None:
        document.change(changes(params), params.text_document.version, ls.state.documents.encoding)
        ls.changed(document)


def _did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    document = ls.state.documents.get(params.text_document.uri)
    if document is None:
        return
    dependents = ls.state.dependents(document)
    ls.state.documents.close(document.uri)
    ls.state.forget(document.uri)
    ls.publish(document.uri)
    for one in dependents:
        ls.changed(one)


def _did_change_watched_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    ls.recheck_all()


def _did_change_workspace_folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    from tfdsl.lsp.uris import path_of

    gone = {path_of(folder.uri) for folder in params.event.removed}
    new = [path for folder in params.event.added if (path := path_of(folder.uri)) is not None]
    ls.state.folders = [*(path for path in ls.state.folders if path not in gone), *new]


def _did_change_configuration(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    if not ls.ask_for_settings():
        ls.set_settings(params.settings)


def _diagnostic(ls: Server, params: types.DocumentDiagnosticParams) -> types.RelatedFullDocumentDiagnosticReport:
    uri = params.text_document.uri
    found = ls.found(uri)
    return types.RelatedFullDocumentDiagnosticReport(found.get(uri, []))


# --- features --------------------------------------------------------------------------------------------------


def _completion(ls: Server, params: types.CompletionParams) -> types.CompletionList | None:
    from tfdsl.lsp import conversion
    from tfdsl.lsp.features.completion import complete

    here = ls.at(params)
    return None if here is None else conversion.completions(complete(*here), ls.places(), snippets=ls.snippets)


def _hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    from tfdsl.lsp import conversion
    from tfdsl.lsp.features.hover import hover

    here = ls.at(params)
    found = hover(*here) if here is not None else None
    return None if found is None else conversion.hover(found, ls.places())


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
    (types.TEXT_DOCUMENT_DIAGNOSTIC, types.DiagnosticOptions(True, False, "tfdsl"), _diagnostic),
    (types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=list('.{"=> ')), _completion),
    (types.TEXT_DOCUMENT_HOVER, None, _hover),
)
"""Method, options and handler of everything that the server answers."""


def make_server() -> Server:
    """A server with all its features."""
    server = Server()
    for method, options, handler in FEATURES:
        server.feature(method, options)(handler)
    return server


def run() -> int:
    """Serve one client on standard input and output; gives the exit status.

    0: the client said good-bye, or never came; 1: it went away without (as the protocol asks for).
    """
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    sys.stdout = sys.stderr  # whatever prints by mistake must not get among the messages
    server = make_server()
    server.start_io(stdin, stdout)
    return 0 if server.ended_well or server.begin is None else 1
