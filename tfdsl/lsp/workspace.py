"""The open texts, the folders of the workspace, and the snapshots made of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from tfdsl.compiling import pipeline
from tfdsl.lsp.documents import PARAMS, Document, Documents, is_beside, path_of
from tfdsl.lsp.names import Declared, declared
from tfdsl.lsp.snapshot import Settings, Snapshot
from tfdsl.semantics.project import Program
from tfdsl.settings.finding import is_settings_file
from tfdsl.source_files import Inputs, job_files
from tfdsl.syntax import ast
from tfdsl.text import Source

MOST_FILES = 2000
"""Files of the workspace that are looked at; more are left alone."""


class Workspace:
    """State of one server. ``folders``: paths.

    ``between`` is called between pieces of work, and may raise to end it.
    """

    def __init__(self, between: Callable[[], None] = lambda: None) -> None:
        self._between = between
        self.documents = Documents()
        self.settings = Settings()
        self.folders: list[str] = []
        self._snapshots: dict[str, Snapshot] = {}
        self._closed: dict[str, tuple[dict[str, object], Program]] = {}
        self._checked: dict[str, tuple[Program, Settings]] = {}
        self._declared: dict[str, tuple[ast.File, tuple[Declared, ...]]] = {}

    # --- open texts ---

    def snapshot(self, uri: str) -> Snapshot | None:
        """The current snapshot of an open text; settings of a project, and files of values, do not have one."""
        document = self.documents.get(uri)
        if document is None or is_beside(document.source.path):
            return None
        known = self._snapshots.get(uri)
        if known is not None and known.source is document.source and known.settings is self.settings:
            return known
        made = self._snapshots[uri] = self._snapshot(document.source, known.loaded if known is not None else None)
        return made

    def _snapshot(self, source: Source, before: Program | None = None) -> Snapshot:
        documents = self.documents
        return Snapshot(
            source, documents.read, self.settings, before, self.programs_with, self._between, documents.shown
        )

    def project_file(self, uri: str) -> Source | None:
        """The text of an open ``tfdsl.toml``."""
        document = self.documents.get(uri)
        return document.source if document is not None and is_settings_file(document.source.path) else None

    def values(self, uri: str) -> tuple[Source, Iterable[Program]] | None:
        """The text of an open file of values for params, and the programs that it may be for."""
        document = self.documents.get(uri)
        if document is None or not document.source.path.endswith(PARAMS):
            return None
        return document.source, self.programs()

    def forget(self, uri: str) -> None:
        """Drop what is known about a text: it was closed, or what it reads has changed."""
        self._snapshots.pop(uri, None)
        self._checked.pop(path_of(uri) or uri, None)

    def forget_all(self) -> None:
        """Drop what is known about all texts."""
        for uri in list(self._snapshots):
            self.forget(uri)

    def forget_unopened(self) -> None:
        """Drop what is known about files that are not open: something beside the texts of jobs has changed."""
        self._checked.clear()

    def dependents(self, document: Document) -> list[Document]:
        """The other open texts that include ``document`` or read it with a function; all, for settings of a project."""
        path = document.source.path
        if is_settings_file(path):
            return [other for other in self.documents.all() if other is not document]
        documents: list[Document] = []
        for other in self.documents.all():
            known = self._snapshots.get(other.uri)
            if other is not document and other.source.path.endswith(PARAMS):
                documents.append(other)
            if other is document or known is None or known.loaded is None:
                continue
            if path in _paths_of(known.loaded) or _reads(known.loaded):
                documents.append(other)
        return documents

    # --- the workspace ---

    def change_folders(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Take folders in and out, by their URIs; whether one ends in ``/`` makes no difference."""
        gone = {_folder(uri) for uri in removed}
        new = [path for uri in added if (path := _folder(uri)) is not None]
        self.folders = list(dict.fromkeys([*(path for path in self.folders if path not in gone), *new]))

    def programs(self) -> Iterator[Program]:
        """The programs of all files of the workspace, open or not."""
        seen: set[str] = set()
        for document in self.documents.all():
            snapshot = self.snapshot(document.uri)
            if snapshot is not None:
                seen.add(document.source.path)
                yield snapshot.program
        for path, roots in self._paths():
            if path not in seen:
                self._between()
                program = self._program(path, roots)
                if program is not None:
                    yield program

    def unopened(self) -> Iterator[tuple[str, Snapshot | None]]:
        """The files of the workspace that are not open, by URI; ``None`` for one that is as it was the last time.

        A file for which the next one is asked for counts as done.
        """
        for path, roots in self._paths():
            program = self._program(path, roots) if self.documents.at(path) is None else None
            if program is None:
                continue
            state = program, self.settings
            known = self._checked.get(path)
            if known is not None and known[0] is program and known[1] is self.settings and not _reads(program):
                yield self.documents.uri(path), None
                continue
            snapshot = self._snapshot(program.files[0].source)
            snapshot.program = program
            yield self.documents.uri(path), snapshot
            self._checked[path] = state

    def declared(self) -> Iterator[tuple[Declared, ...]]:
        """What each file of the workspace declares itself."""
        for program in self.programs():
            file = program.files[0]
            known = self._declared.get(file.source.path)
            if known is None or known[0] is not file:
                known = self._declared[file.source.path] = file, declared(file)
            yield known[1]

    def programs_with(self, path: str) -> Iterable[Program]:
        """The programs of the workspace that the file at ``path`` is part of."""
        return [program for program in self.programs() if any(file.source.path == path for file in program.files)]

    def _program(self, path: str, roots: Sequence[str]) -> Program | None:
        """The program of a file that is not open; read again when one of its files has changed."""
        known = self._closed.get(path)
        if known is not None and all(self._stamp(one) == stamp for one, stamp in known[0].items()):
            return known[1]
        source = self.documents.read(path, roots)
        if isinstance(source, str):
            self._closed.pop(path, None)
            return None
        program = pipeline.load(source, Inputs(source, self.settings.allow_read, self.documents.read))
        self._closed[path] = ({one: self._stamp(one) for one in _paths_of(program)}, program)
        return program

    def _stamp(self, path: str) -> object:
        """Changes when the text at ``path`` does."""
        open_text = self.documents.at(path)
        if open_text is not None:
            return open_text.source
        try:
            status = os.stat(path)
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size

    def _paths(self) -> Iterator[tuple[str, Sequence[str]]]:
        """The files of the workspace, and the folders below which each must be."""
        allowed = tuple(map(os.path.realpath, self.settings.allow_read))
        roots = {folder: (os.path.realpath(folder), *allowed) for folder in self.folders}
        return islice(
            ((path, inside) for root, inside in roots.items() for path in job_files(root, inside)), MOST_FILES
        )


def _folder(uri: str) -> str | None:
    """The path of a folder, without a slash at its end."""
    path = path_of(uri)
    return path if path is None else path.rstrip("/") or "/"


def _paths_of(program: Program) -> set[str]:
    """The files of a program, and those that are missing: when one of them comes to be, the program changes."""
    return {file.source.path for file in program.files}.union(program.missing)


def _reads(program: Program) -> bool:
    """Whether a program may read files other than by ``include``."""
    return any("file(" in file.source.text for file in program.files)
