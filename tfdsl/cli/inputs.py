"""The files that are named on a command line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tfdsl.cli.arguments import Arguments
from tfdsl.cli.report import end
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, NO_FILES, UNREADABLE_FILE
from tfdsl.diagnostics.render import Format
from tfdsl.record import Record
from tfdsl.source_files import STDIN, read
from tfdsl.text import Argument, Source


class Named(Record):
    """The texts of the files, each once; ``unreadable``: errors for those that cannot be read.

    ``found``: the paths of those that are in a folder of the command line, and not named themselves. ``empty``:
    warnings about folders without any file.
    """

    sources: tuple[Source, ...]
    unreadable: tuple[Diagnostic, ...]
    found: frozenset[str] = frozenset()
    empty: tuple[Diagnostic, ...] = ()


def named_files(argument: Sequence[Argument], *, folders: bool = False) -> Named:
    """The files that are named (``-`` is standard input) and, with ``folders``, those of the folders that are named."""
    return _Reading().named(argument, folders=folders)


def the_file(arguments: Arguments, form: Format = "text") -> Source:
    """The one file that a command takes; the command ends if it cannot be read."""
    named = named_files(arguments.rest[:1])
    if named.unreadable:
        end(named.unreadable, form)
    return named.sources[0]


def named_manifests(argument: Sequence[Argument]) -> Named:
    """The files that are named, and of folders those that can hold a manifest; what is no text there is left out."""
    return _Reading(manifests=True).named(argument, folders=True)


class _Reading:
    """The state of one :func:`named_files` or :func:`named_manifests`."""

    def __init__(self, *, manifests: bool = False) -> None:
        self.manifests = manifests
        self.sources: dict[str, Source] = {}
        self.errors: list[Diagnostic] = []
        self.empty: list[Diagnostic] = []
        self.found: set[str] = set()

    def named(self, argument: Sequence[Argument], *, folders: bool) -> Named:
        """Read what is named."""
        for word in argument:
            if folders and word.text != STDIN and os.path.isdir(word.text):
                self._folder(word)
            else:
                self._file(word)
        return Named(tuple(self.sources.values()), tuple(self.errors), frozenset(self.found), tuple(self.empty))

    def _file(self, argument: Argument) -> None:
        """Read the file that is named."""
        path = argument.text
        if path == STDIN and path in self.sources:
            self.errors.append(BAD_ARGUMENT(argument.span, what="standard input can be read only once"))
        self.found.discard(path)
        self._read(path, argument, None)

    def _folder(self, argument: Argument) -> None:
        """Read the files of the folder that is named, which must be in it after all links are resolved."""
        before = len(self.errors)
        folder = os.path.normpath(argument.text)
        roots = (os.path.realpath(folder),)
        paths = list(self._paths("" if folder == os.curdir else folder, roots, argument))
        for path in paths:
            if path not in self.sources:
                self.found.add(path)
            self._read(path, argument, roots)
        what = "manifest" if self.manifests else ".tfjob file"
        if not paths and len(self.errors) == before:
            self.empty.append(NO_FILES(argument.span, what=what, path=argument.text))

    def _paths(self, folder: str, roots: Sequence[str], argument: Argument) -> Iterator[str]:
        from tfdsl.source_files import ENDING, MANIFESTS, job_files

        def unreadable(path: str, reason: str) -> None:
            self.errors.append(UNREADABLE_FILE(argument.span, path=path, reason=reason))

        return job_files(folder, roots, unreadable, MANIFESTS if self.manifests else (ENDING,))

    def _read(self, path: str, argument: Argument, roots: Sequence[str] | None) -> None:
        if path in self.sources:
            return
        source = read(path, roots)
        if isinstance(source, str) and self.manifests and path in self.found:
            return  # a folder of manifests can hold anything
        if isinstance(source, str):
            error = UNREADABLE_FILE(argument.span, path=path or "(no name)", reason=source)
            near = None if os.path.lexists(path) else _nearest(path)
            self.errors.append(error if near is None else error.help(f"did you mean {near}?"))
        else:
            self.sources[path] = source


def _nearest(path: str) -> str | None:
    """The file that is probably meant by ``path``, which does not exist."""
    from tfdsl.diagnostics.suggest import closest
    from tfdsl.source_files import ENDING

    if os.path.isfile(path + ENDING):
        return path + ENDING
    folder, name = os.path.split(path)
    try:
        names = [
            entry.name for entry in os.scandir(folder or os.curdir) if entry.name.endswith(ENDING) and entry.is_file()
        ]
    except OSError:
        return None
    near = closest(name, sorted(names)) if name else None
    return None if near is None else os.path.join(folder, near)
