"""One client's session: its texts, its capabilities, its settings, and when it gets diagnostics."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from threading import Thread
from typing import TYPE_CHECKING, Protocol as Shape, cast

from attrs import evolve
from lsprotocol import types
from lsprotocol.converters import get_converter
from lsprotocol.types import LSPErrorCodes
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage

from tfdsl import __version__
from tfdsl.lsp.documents import Document, is_beside, negotiated
from tfdsl.lsp.server.protocol import Protocol, bodies, read_message
from tfdsl.text import Source

if TYPE_CHECKING:
    from io import RawIOBase
    from typing import BinaryIO

    from cattrs import Converter

    from tfdsl.lsp.server.conversion import Places
    from tfdsl.lsp.snapshot import Snapshot
    from tfdsl.lsp.workspace import Workspace
    from tfdsl.semantics.project import Program


QUIET = 0.002
"""Seconds without a change after which a text is checked: a request that comes with a keystroke is answered first."""
EARLY = 0.5
"""Seconds of a check after which what is known of the jobs around the cursor is shown: the others take longer."""
PATIENCE = 0.2
"""Seconds after which the check of a text begins at once although changes go on."""


class Checks:
    """The checks that are waiting or going on; a change of a text ends the check of what it was before.

    ``snapshot`` gives an open text as it is now; ``publish`` is called for a text that has been checked, ``early`` for
    one that takes long, ``fail`` when there is a bug in a check, which must not end the server.
    """

    def __init__(
        self,
        snapshot: Callable[[str], Snapshot | None],
        publish: Callable[[str], None],
        early: Callable[[str], None],
        fail: Callable[[Exception], None],
    ) -> None:
        self._snapshot = snapshot
        self._publish = publish
        self._early = early
        self._fail = fail
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._since: dict[str, float] = {}

    def soon(self, uri: str) -> None:
        """Check a text when it is quiet for a moment."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        task = self._tasks.get(uri)
        if task is not None:
            task.cancel()
        since = self._since.setdefault(uri, now)
        self._tasks[uri] = loop.create_task(self._check(uri, QUIET if now - since < PATIENCE else 0))

    def leave(self, uri: str) -> None:
        """Leave a text to the request that has asked for its diagnostics: do not publish them."""
        task = self._tasks.pop(uri, None)
        self._since.pop(uri, None)
        if task is not None:
            task.cancel()

    async def finish(self, uri: str, within: float | None = None) -> bool:
        """Check a text as it is now, or as it is when that has changed meanwhile; false if it takes more seconds."""
        now = asyncio.get_running_loop().time
        begin = now()
        while (snapshot := self._snapshot(uri)) is not None and snapshot.work():
            await asyncio.sleep(0)
            if within is not None and now() - begin > within:
                return False
        return True

    async def finish_as_it_is(self, uri: str) -> None:
        """Check a text for an answer about places in it, which nobody can use when it changes meanwhile."""
        before = self._snapshot(uri)
        await self.finish(uri)
        if self._snapshot(uri) is not before:
            raise JsonRpcException("the text has changed", LSPErrorCodes.ContentModified)

    async def _check(self, uri: str, delay: float) -> None:
        await asyncio.sleep(delay)
        try:
            if not await self.finish(uri, EARLY):
                self._early(uri)
                await self.finish(uri)
            del self._tasks[uri], self._since[uri]
            self._publish(uri)
        except Exception as error:
            self._fail(error)


REQUEST_FAILED = -32803
"""The protocol's code for a request that is right but cannot be done."""
OPEN_OUTPUT = "tfdsl.openOutput"
"""The command that opens what a job compiles to."""
WATCH = 5.0
"""Seconds between two looks whether the client's process is still there."""


def _converter() -> Converter:
    """As pygls makes it, but what is in messages of our own stays as JSON made it, and ``null`` is not a text."""
    converter = get_converter()
    for plain, take in ((str, _text), (int, _number), (bool, _truth)):
        converter.register_structure_hook(plain, take)
    for kind in (JsonRPCRequestMessage, JsonRPCResponseMessage, JsonRPCNotification):
        converter.register_structure_hook(kind, _as_it_is)
    return converter


def _as_it_is(data: dict[str, object], kind: type[object]) -> object:
    known = cast("dict[str, object]", kind.__annotations__)
    return kind(**{name: value for name, value in data.items() if name in known})


def _text(value: object, _: type[str]) -> str:
    """A text; cattrs would make one of anything."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _number(value: object, _: type[int]) -> int:
    """A whole number, which JSON may write as ``1.0``."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is not a whole number")
    return value


def _truth(value: object, _: type[bool]) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is not true or false")
    return value


class Placed(Shape):
    """The parameters of a request about a place in a text."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


class Session(LanguageServer):
    """What the server knows of its one client: capabilities, settings, texts, and what is due."""

    def __init__(self) -> None:
        super().__init__("tfdsl", __version__, protocol_cls=Protocol, converter_factory=_converter)  # pyright: ignore[reportUnknownMemberType]  (pygls: *args)
        for method in (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE):
            # Texts are kept by Documents: pygls takes more characters for line ends than the protocol does.
            features = cast("dict[str, object]", self.protocol.fm.builtin_features)  # pyright: ignore[reportUnknownMemberType]  (pygls: a bare Dict)
            features.pop(method, None)
        self.begin: types.InitializeParams | None = None
        self.ended_well = False
        self.outputs: str | None = None
        self._workspace: Workspace | None = None
        self._published: dict[str, dict[str, list[types.Diagnostic]]] = {}
        self._not_empty: set[str] = set()
        self._looked_at: dict[str, int] = {}
        self._lines: dict[str, int] = {}
        self._awaited: set[str] = set()
        self._asking: asyncio.TimerHandle | None = None
        self._unopened: asyncio.Task[None] | None = None
        self.checks = Checks(lambda uri: self.state.snapshot(uri), self.publish, self._publish_early, self._report)

    # --- messages ---

    def serve(self, stdin: RawIOBase, stdout: BinaryIO) -> None:
        """Serve one client until it says good-bye or goes away."""
        self.protocol.set_writer(StdoutWriter(stdout))
        try:
            asyncio.run(self._serve(stdin))
        except (BrokenPipeError, KeyboardInterrupt, SystemExit):
            pass
        finally:
            self.shutdown()  # type: ignore[no-untyped-call]  # pygls

    async def _serve(self, stdin: RawIOBase) -> None:
        async for message in self._messages(stdin):
            self._rules.take(message)
            await asyncio.sleep(0)  # what is due is done, however many messages wait

    async def _messages(self, stdin: RawIOBase) -> AsyncIterator[object]:
        """The messages of the client, one by one; a thread reads ahead, to see what is cancelled."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[tuple[object, ...]] = asyncio.Queue()

        def put(*message: object) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(queue.put_nowait, message)

        def read() -> None:
            try:
                for body in bodies(stdin):
                    message = read_message(body)
                    self._rules.notice(message)
                    put(message)
            finally:
                put()

        Thread(target=read, name="messages", daemon=True).start()
        while message := await queue.get():
            yield message[0]

    def remove_outputs(self) -> None:
        """Remove the folder with the outputs that have been opened."""
        if self.outputs is not None:
            import shutil

            shutil.rmtree(self.outputs, ignore_errors=True)

    @property
    def _rules(self) -> Protocol:
        return cast("Protocol", self.protocol)

    # --- state ---

    @property
    def state(self) -> Workspace:
        """The texts and what is known about them."""
        if self._workspace is None:
            from tfdsl.lsp.workspace import Workspace

            self._workspace = Workspace(self._rules.give_up_if_cancelled)
            if self.begin is not None:
                self._start(self._workspace, self.begin)
        return self._workspace

    def _start(self, workspace: Workspace, begin: types.InitializeParams) -> None:
        from tfdsl.lsp.snapshot import read_settings

        general = begin.capabilities.general
        workspace.documents.encoding = negotiated(general.position_encodings if general else None)
        roots = [folder.uri for folder in begin.workspace_folders or ()]
        roots = roots or [uri for uri in (begin.root_uri,) if uri is not None]
        workspace.change_folders(roots, ())
        workspace.settings = read_settings(begin.initialization_options)

    def places(self) -> Places:
        """For converting the spans of one answer."""
        from tfdsl.lsp.server.conversion import Places

        return Places(self.state.documents)

    def at(self, params: Placed) -> tuple[Snapshot, int] | None:
        """The snapshot and the offset that a request is about; ``None`` for a text that is not open."""
        snapshot = self.state.snapshot(params.text_document.uri)
        if snapshot is None:
            return None
        offset = self._looked_at[params.text_document.uri] = self.places().offset(snapshot.source, params.position)
        return snapshot, offset

    def in_project_file(self, params: Placed) -> tuple[Source, int] | None:
        """The text and the offset of a request about a place in an open ``tfdsl.toml``."""
        source = self.state.project_file(params.text_document.uri)
        return None if source is None else (source, self.places().offset(source, params.position))

    def in_values(self, params: Placed) -> tuple[Source, Iterable[Program], int] | None:
        """The text, the programs that it may be for, and the offset of a request in an open file of values."""
        found = self.state.values(params.text_document.uri)
        return None if found is None else (*found, self.places().offset(found[0], params.position))

    def part(self, uri: str, range_: types.Range) -> tuple[Snapshot, int, int] | None:
        """The snapshot of a text, and the offsets of a range in it; ``None`` for a text that is not open."""
        snapshot = self.state.snapshot(uri)
        if snapshot is None:
            return None
        places = self.places()
        start, end = places.offset(snapshot.source, range_.start), places.offset(snapshot.source, range_.end)
        self._looked_at[uri] = (start + end) // 2
        return snapshot, start, end

    # --- the client ---

    def ability(self, path: str) -> object:
        """What the client says of itself at a path of its capabilities; ``None`` if it says nothing."""
        told: object = self.client_capabilities
        for name in path.split("."):
            told = getattr(told, name, None)
        return told

    @property
    def pull(self) -> bool:
        """Whether the client requests diagnostics. It must be able to refresh them, or it would keep stale ones."""
        asks = self.ability("text_document.diagnostic") is not None
        return asks and self.ability("workspace.diagnostics.refresh_support") is True

    @property
    def can_relate(self) -> bool:
        """Whether the client shows the other places of a diagnostic."""
        return self.ability("text_document.publish_diagnostics.related_information") is True

    @property
    def can_fill_in(self) -> bool:
        """Whether the client understands snippets."""
        return self.ability("text_document.completion.completion_item.snippet_support") is True

    @property
    def can_insert_as_it_is(self) -> bool:
        """Whether the client can be asked not to indent what it inserts."""
        modes = self.ability("text_document.completion.completion_item.insert_text_mode_support.value_set")
        return isinstance(modes, list | tuple) and types.InsertTextMode.AsIs in modes

    @property
    def can_nest(self) -> bool:
        """Whether the client takes an outline of several levels."""
        return self.ability("text_document.document_symbol.hierarchical_document_symbol_support") is True

    @property
    def can_version(self) -> bool:
        """Whether the client takes edits that say for which version of a text they are."""
        return self.ability("workspace.workspace_edit.document_changes") is True

    @property
    def can_show(self) -> bool:
        """Whether the client opens a file when it is asked to."""
        return self.ability("window.show_document.support") is True

    @property
    def own_commands(self) -> list[str]:
        """The commands of the client that lenses may lead to, as rust-analyzer's clients name theirs."""
        from tfdsl.lsp.snapshot import table_of, texts_of

        return list(texts_of(table_of(table_of(self.ability("experimental")).get("commands")).get("commands")))

    def watch_client(self) -> None:
        """End when the client's process is gone, even if somebody else holds our input open."""
        process = self.begin.process_id if self.begin is not None else None
        if process is None or os.name == "nt":  # there, signal 0 is one that is sent
            return
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            sys.exit(1)
        except OSError:
            return
        asyncio.get_running_loop().call_later(WATCH, self.watch_client)

    def ask_for_settings(self) -> bool:
        """Ask the client for its settings; false when it cannot be asked."""
        if not self.ability("workspace.configuration"):
            return False
        items = [types.ConfigurationItem(section="tfdsl")]
        self.workspace_configuration(types.ConfigurationParams(items), self._settings_came)
        return True

    def _settings_came(self, answer: object) -> None:
        # lsprotocol makes a tuple of the list.
        settings = cast("Sequence[object]", answer)[:1] if isinstance(answer, list | tuple) else ()
        if settings and settings[0] is not None:
            self.set_settings(settings[0])

    def set_settings(self, data: object) -> None:
        """Take over new settings."""
        from tfdsl.lsp.snapshot import read_settings

        settings = read_settings(data)
        if settings != self.state.settings:
            self.state.settings = settings
            self.recheck_all()
            if self.ability("workspace.inlay_hint.refresh_support"):
                self.workspace_inlay_hint_refresh(None)
            if self.ability("workspace.code_lens.refresh_support"):
                self.workspace_code_lens_refresh(None)

    # --- diagnostics ---

    def changed(self, document: Document) -> None:
        """Check a text, and those that include it, when it is quiet for a moment."""
        self.checks.soon(document.uri)
        self.reread(self.state.dependents(document))

    def reread(self, documents: Sequence[Document]) -> None:
        """Check texts of which something that they read has changed."""
        for document in documents:
            self.state.forget(document.uri)
            self.checks.soon(document.uri)
        if documents:
            self._ask_again()

    def _report(self, error: Exception) -> None:
        self.report_server_error(error, type(error))  # type: ignore[arg-type]

    def publish(self, uri: str, unopened: Snapshot | None = None) -> None:
        """Publish the diagnostics of a text and its includes, except those that the client requests.

        ``unopened``: the text, if it is not open.
        """
        found = self.found(uri, unopened)
        before = self._published.get(uri, {})
        self._published[uri] = found
        document = self.state.documents.get(uri)
        self._lines[uri] = len(document.source.line_starts) if document is not None else 0
        if uri in self._awaited:
            self._awaited.discard(uri)
            self._ask_again()
        for other in {**before, **found}:
            if not self._is_asked_for(other):
                self._send(other)
            elif other != uri and before.get(other, []) != found.get(other, []):
                self._ask_again()
        if not found:
            self._published.pop(uri, None)

    async def asked(self, uri: str) -> list[types.Diagnostic]:
        """The answer to a client that requests the diagnostics of a text; those of a closed one are published."""
        if not self._is_asked_for(uri):
            return []
        self.checks.leave(uri)
        if await self.checks.finish(uri, EARLY):
            self.publish(uri)
            return self._together(uri)
        self._awaited.add(uri)
        self.checks.soon(uri)
        return self._early(uri)

    def _publish_early(self, uri: str) -> None:
        document = self.state.documents.get(uri)
        if document is not None and not self._is_asked_for(uri):
            early = types.PublishDiagnosticsParams(uri, self._early(uri), document.version)
            self.text_document_publish_diagnostics(early)

    def _early(self, uri: str) -> list[types.Diagnostic]:
        """What is known of a text before all of it is checked, and for the rest of it what was known before."""
        from tfdsl.lsp.features.problems import early_problems
        from tfdsl.lsp.server import conversion

        snapshot = self.state.snapshot(uri)
        if snapshot is None:
            return []
        (first, last), found = early_problems(snapshot, self._looked_at.get(uri, 0))
        added = len(snapshot.source.line_starts) - self._lines.get(uri, 0)
        kept: list[types.Diagnostic] = []
        for one in self._published.get(uri, {}).get(uri, []):
            start, end = one.range.start, one.range.end
            if end.line < first - 1:
                kept.append(one)
            elif start.line + added >= last:
                moved = [types.Position(place.line + added, place.character) for place in (start, end)]
                kept.append(evolve(one, range=types.Range(*moved)))
        return [
            *conversion.diagnostics(found[snapshot.source.path], self.places(), related=self.can_relate),
            *kept,
        ]

    def withdraw(self, uri: str) -> None:
        """Remove the published diagnostics of a text that the client requests from now on: it would show both."""
        if uri in self._not_empty and self._is_asked_for(uri):
            self._not_empty.discard(uri)
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _is_asked_for(self, uri: str) -> bool:
        # Those of other files are published: the client requests only those of jobs.
        return self.pull and self.state.documents.get(uri) is not None and not is_beside(uri)

    def found(self, uri: str, unopened: Snapshot | None = None) -> dict[str, list[types.Diagnostic]]:
        """The diagnostics of a text and of its includes, by URI; nothing for one that is neither open nor given."""
        from tfdsl.lsp.features import params_file, project_file
        from tfdsl.lsp.features.problems import problems
        from tfdsl.lsp.server import conversion

        snapshot = unopened or self.state.snapshot(uri)
        settings = self.state.project_file(uri)
        if snapshot is not None:
            found = problems(snapshot)
        elif settings is not None:
            found = project_file.problems(settings)
        elif (values := self.state.values(uri)) is not None:
            found = params_file.problems(*values)
        else:
            return {}
        places = self.places()
        return {
            self.state.documents.uri(path): conversion.diagnostics(of_file, places, related=self.can_relate)
            for path, of_file in found.items()
        }

    def _send(self, uri: str) -> None:
        """Publish what there is to say about a text."""
        diagnostics = self._together(uri)
        document = self.state.documents.get(uri)
        if document is None and not diagnostics and uri not in self._not_empty:
            return  # nothing was said about it, and nothing is to be said
        (self._not_empty.add if diagnostics else self._not_empty.discard)(uri)
        version = document.version if document is not None else None
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, version))

    def _together(self, uri: str) -> list[types.Diagnostic]:
        """What all open texts that ``uri`` is part of say about it, each message once."""
        parts = [part for found in self._published.values() if (part := found.get(uri))]
        if len(parts) <= 1:
            return parts[0] if parts else []
        once: dict[object, types.Diagnostic] = {}
        for one in (one for part in parts for one in part):
            start, end = one.range.start, one.range.end
            place = (start.line, start.character, end.line, end.character)
            once.setdefault((one.code, one.message, one.severity, place), one)
        return list(once.values())

    def recheck_all(self) -> None:
        """Check all open texts again: something beside them has changed."""
        self.state.forget_all()
        for document in self.state.documents.all():
            self.checks.soon(document.uri)
        self._ask_again()
        self.check_unopened()

    def check_unopened(self) -> None:
        """Check the files that are not open, one after the other, if the user wants to see their problems."""
        if self._unopened is not None:
            self._unopened.cancel()
        self._unopened = asyncio.get_running_loop().create_task(self._check_unopened())

    async def _check_unopened(self) -> None:
        await asyncio.sleep(QUIET)
        documents = self.state.documents
        gone = {uri for uri in self._published if documents.get(uri) is None}
        for uri, snapshot in self.state.unopened() if self.state.settings.check_all_files else ():
            gone.discard(uri)
            await asyncio.sleep(0)  # what the user waits for comes in between
            try:
                while snapshot is not None and snapshot.work():
                    await asyncio.sleep(0)
                if snapshot is not None and documents.at(snapshot.source.path) is None:
                    self.publish(uri, snapshot)
            except Exception as error:
                self._report(error)
        for uri in gone:
            self.state.forget(uri)
            self.publish(uri)

    def _ask_again(self) -> None:
        """Have a client that asks for diagnostics ask again, soon and once."""
        if self.pull and self._asking is None:
            self._asking = asyncio.get_running_loop().call_later(PATIENCE, self._refresh)

    def _refresh(self) -> None:
        self._asking = None
        self.workspace_diagnostic_refresh(None)
