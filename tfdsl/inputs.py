"""Which files a text can read, and how many.

A ``.tfjob`` from a stranger (a pull request, a folder just opened) must not be able to put ``/etc/passwd`` or
``/proc/self/environ`` in a manifest or a message. Therefore ``include``, ``file()`` and ``env_file()`` only read below
the *root*, after all links are resolved: the folder of the nearest ``tfdsl.toml`` or ``.git`` above the main file, else
the folder of the main file; for a text without a file, the current folder. ``--allow-read DIR`` adds a root. Files
named on the command line are not restricted. :mod:`tfdsl.source_files` opens them, and holds to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl import source_files
from tfdsl.text import Source

if TYPE_CHECKING:
    Opener = Callable[[str, Sequence[str]], "Source | str"]
    """Path and roots → the text, or why it is not read (:func:`tfdsl.source_files.read`)."""

MOST_FILES: Final = 1000
"""The most files that one program can read."""
LARGEST_SUM: Final = 16 * 1024 * 1024
"""The most characters in all texts of one program together."""
_MARKS = ("tfdsl.toml", ".git")


def has_root(origin: str | None) -> bool:
    """Whether a mark says which folder is the root."""
    return _is_marked(root_of(origin))


def _is_marked(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, mark)) for mark in _MARKS)


def root_of(origin: str | None) -> str:
    """The folder below which a program can read; ``origin`` is its main file (``None``: the text is not in a file)."""
    start = os.path.realpath(os.path.dirname(os.path.abspath(origin)) if origin is not None else os.getcwd())
    folder = start
    while not _is_marked(folder):
        parent = os.path.dirname(folder)
        if parent == folder:
            return start
        folder = parent
    return folder


def name_below_root(source: Source) -> str | None:
    """The file that ``source`` is, relative to its root with ``/``, or ``None`` if it is in no file.

    It does not depend on the current folder. A descriptor such as ``/dev/stdin`` is no file whose name says anything.
    """
    path = source.file
    if path is None or source_files.is_descriptor(path):
        return None
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.relpath(os.path.join(os.path.realpath(folder), name), root_of(path)).replace(os.sep, "/")


class Inputs:
    """Reads the files of one program; calling it with a path returns the text, or why it is not read.

    ``main``: the program's own text. ``allowed``: further folders that can be read. ``read`` opens a file. A path is
    read once, whatever the result.
    """

    def __init__(self, main: Source, allowed: Iterable[str] = (), read: Opener = source_files.read) -> None:
        self._main = main
        self._allowed = tuple(allowed)
        self._read = read
        self._roots: tuple[str, ...] | None = None
        self._known: dict[str, Source | str] = {}
        self._size = len(main.text)

    def __call__(self, path: str) -> Source | str:
        """The text at ``path``, or why it is not read."""
        if path not in self._known:
            self._known[path] = self._look(path)
        return self._known[path]

    @property
    def sources(self) -> tuple[Source, ...]:
        """The files that have been read so far, the main one not among them."""
        return tuple(found for found in self._known.values() if isinstance(found, Source))

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders that can be read, the program's own root first."""
        if self._roots is None:  # most programs read nothing
            self._roots = (root_of(self._main.origin), *map(os.path.realpath, self._allowed))
        return self._roots

    def _look(self, path: str) -> Source | str:
        if not source_files.is_file_name(path):
            return "it is not a file name"
        refusal = source_files.refusal(path, self.roots)  # of a text that is only in an editor, too
        if refusal is not None:
            return refusal
        if len(self._known) >= MOST_FILES:
            return f"a program may read at most {MOST_FILES:,} files"
        found = self._read(path, self.roots)
        if isinstance(found, Source):
            self._size += len(found.text)
            if self._size > LARGEST_SUM:
                return f"the files of a program may have {LARGEST_SUM // 1024 // 1024} MiB together"
        return found
