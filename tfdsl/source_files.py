"""The gate: every file that is read is opened here, and becomes a :class:`~tfdsl.text.Source` if it is a text.

Only regular files are opened, and never in a way that can block: a FIFO, socket or device in a folder must not block
the command or the language server. Who has named the file decides the rest:

* The user has, on the command line or in a call (``roots`` is ``None``). The file can be anywhere, and a descriptor
  that the caller has opened (``-``, ``/dev/stdin``, ``/dev/fd/63`` of a shell's ``<(command)``) is read whatever it is.
* A text, another file or a folder has: an include, ``file()``, a source map, a settings file that is found. It is read
  only below one of ``roots``, after all links are resolved, and never in ``.git``, which holds tokens. What counts is
  where the opened file is, so a link that is put there in between leads nowhere.

:class:`Inputs` reads the files of one program. A ``.tfjob`` from a stranger (a pull request, a folder just opened) must
not be able to put ``/etc/passwd`` or ``/proc/self/environ`` in a manifest or a message. Therefore ``include``,
``file()`` and ``env_file()`` only read below the *root*: the folder of the nearest ``tfdsl.toml`` or ``.git`` above the
main file, else the folder of the main file; for a text without a file, the current folder. ``--allow-read DIR`` adds a
root.

:func:`job_files` finds the ``.tfjob`` files of a folder and of those in it: what a command checks and what an editor
searches. Import looks for manifests in the same way. Hidden folders and those of other tools (``node_modules``, virtual
environments …) are left out. A link to a folder is not followed, so that no file is found twice or for ever; a link to
a file counts if the file is below the folder too, and is not found itself.

``tests/unit/test_opened_files.py`` lists every place that opens a file in another way, with the reason.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeAlias

from tfdsl.patterns import regex
from tfdsl.text import Source

STDIN: Final = "-"
STANDARD_INPUT: Final = "<stdin>"
"""What messages call it."""
LARGEST: Final = 16 * 1024 * 1024
"""Bytes of one text. A job is a few kilobytes; more than this is a device or a mistake."""

IN_GIT: Final = "nothing in .git is ever read"
"""Why a file of ``.git`` is not read that the user has not named."""
NOT_REGULAR: Final = "it is not a regular file"

_DESCRIPTOR = regex(r"/dev/(?:stdin|fd/[0-9]+)|/proc/(?:self|[0-9]+)/fd/[0-9]+")
_QUIET: Final = (
    getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_UNSEEN: Final = dict.fromkeys((*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))
"""Characters that the file system of a Mac leaves out of names."""


class Outside(str):
    """Why a file is not read, in words: it is not below the folder ``root``, nor below another one of its roots."""

    __slots__ = ()
    HELP: Final = "tfdsl only reads files below that folder; allow another one with --allow-read DIR"

    def __new__(cls, root: str, what: str = "it") -> Outside:
        """The reason for a file that belongs below ``root``; ``what`` is outside, if that is another one."""
        return super().__new__(cls, f"{what} is outside {root}")


def read(path: str, roots: Sequence[str] | None = None) -> Source | str:
    """The text of ``path`` (``-`` is standard input), or the reason why it cannot be read.

    The text is UTF-8, a byte order mark is dropped, line ends are kept. ``origin`` of the source is the path, so that
    includes are relative to it; standard input has none. ``roots``: as for :func:`contents`.
    """
    if path == STDIN and roots is None:
        data = _standard_input()
        return data if isinstance(data, str) else decode(data, STANDARD_INPUT, None)
    data = contents(path, roots=roots)
    return data if isinstance(data, str) else decode(data, path, path)


def origin_of(path: str) -> str | None:
    """The file that a path of a command line names; standard input is not a file."""
    return None if path == STDIN else path


def is_file_name(path: str) -> bool:
    """Whether ``path`` can be a file name: not empty, no zero byte, nothing that the system cannot encode."""
    try:
        return bool(path) and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can produce
        return False


def is_descriptor(path: str) -> bool:
    """Whether ``path`` names a descriptor that the caller has opened."""
    return _DESCRIPTOR.fullmatch(path) is not None


def contents(path: str, largest: int = LARGEST, roots: Sequence[str] | None = None) -> bytes | str:
    """The bytes of a regular file of at most ``largest`` bytes, or the reason why it cannot be read.

    ``roots``: real paths of the folders below which it must be; ``None``: the user has named it.
    """
    if path and not is_file_name(path):
        return "it is not a file name"
    _note(path)
    try:
        handle = _opened(path, roots)
        if isinstance(handle, str):
            return handle
        with os.fdopen(handle, "rb") as file:
            of_kernel = roots is not None and os.fstat(handle).st_size == 0
            data = file.read(largest + 1)
    except FileNotFoundError:
        return "there is no such file"
    except OSError as error:
        return (error.strerror or str(error)).lower()
    if data is None or (of_kernel and data):  # pyright: ignore[reportUnnecessaryComparison]  (/proc/kmsg, if it is empty)
        return NOT_REGULAR
    return data if len(data) <= largest else _too_large(largest)


_noted: dict[str, object] | None = None


@contextmanager
def noted() -> Generator[dict[str, object], None, None]:
    """The files that are read within it, each with its state before, and the folders that are looked through."""
    global _noted
    _noted = {}
    try:
        yield _noted
    finally:
        _noted = None


def _note(path: str) -> None:
    if _noted is not None and not is_descriptor(path):
        _noted.setdefault(path, state_of(path))


def state_of(path: str) -> object:
    """What is another for another file at ``path``; ``None`` if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def beginning(path: str, size: int, roots: Sequence[str] | None = None) -> bytes:
    """The first bytes of a regular file, at most ``size``; none where it cannot be read."""
    try:
        handle = _opened(path, roots)
        if isinstance(handle, str):
            return b""
        with os.fdopen(handle, "rb") as file:
            return file.read(size)
    except OSError:
        return b""


def is_below(path: str, roots: Sequence[str]) -> bool:
    """Whether ``path``, with all links resolved, is one of ``roots`` (which have none) or below one."""
    real = os.path.realpath(path)
    return any(_is_inside(real, root) for root in roots)


def refusal(path: str, roots: Sequence[str]) -> str | None:
    """Why a file that the user has not named is not read; ``None`` if it may be. It is not opened."""
    return _refusal(path, os.path.realpath(path), roots)


def _refusal(path: str, real: str, roots: Sequence[str]) -> str | None:
    """The same for ``path``, which is ``real`` without its links."""
    around = [root for root in roots if _is_inside(real, root)]
    return (
        _refusal_in_git(real, around) or _refusal_in_git(os.path.abspath(path), roots) if around else Outside(roots[0])
    )


def _refusal_in_git(path: str, roots: Sequence[str]) -> str | None:
    """A root that is in a ``.git`` itself was named by the user, or is a worktree that somebody keeps there."""
    parts = [path[len(root) :] if _is_inside(path, root) else path for root in roots]
    return IN_GIT if all(any(map(_is_git, part.split(os.sep))) for part in parts) else None


def _is_inside(real: str, root: str) -> bool:
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def _is_git(name: str) -> bool:
    """Whether a name is that of a repository's folder, or of the file that leads to it, on any file system."""
    plain = name.translate(_UNSEEN).partition(":")[0].rstrip(" .").casefold()
    return plain == ".git" or plain.startswith("git~")


def _opened(path: str, roots: Sequence[str] | None) -> int | str:
    """A descriptor of ``path``, or why it is not opened."""
    if roots is not None:
        return _opened_below(path, roots)
    if is_descriptor(path):
        return os.open(path, os.O_RDONLY | (_QUIET & ~getattr(os, "O_NONBLOCK", 0)))
    return _regular(path, _QUIET)


def _opened_below(path: str, roots: Sequence[str]) -> int | str:
    """A descriptor of a file that is below ``roots`` when it is open, or why it is not opened."""
    real = os.path.realpath(path)
    problem = _refusal(path, real, roots)
    handle = _regular(real, _QUIET | _NO_LINK) if problem is None else problem
    if isinstance(handle, str):
        return handle
    place = _place_of(handle, real)  # a folder may have become a link in between
    problem = _refusal(place, place, roots)
    if problem is not None:
        os.close(handle)
    return problem or handle


def _place_of(handle: int, path: str) -> str:
    """Where an open file is: the kernel knows it; elsewhere ``path`` is asked again whether it is that file."""
    try:
        return os.readlink(f"/proc/self/fd/{handle}").removesuffix(" (deleted)")
    except OSError:
        real = os.path.realpath(path)
        return real if os.path.samestat(os.stat(real), os.fstat(handle)) else os.sep


def _regular(path: str, flags: int) -> int | str:
    """A descriptor of the regular file at ``path``, or why it is not opened."""
    problem = _kind_problem(os.stat(path).st_mode)  # before opening, which has an effect on some devices
    if problem is not None:
        return problem
    handle = os.open(path, os.O_RDONLY | flags)
    problem = _kind_problem(os.fstat(handle).st_mode)  # it may have been replaced in between
    if problem is not None:
        os.close(handle)
    return problem or handle


def _kind_problem(mode: int) -> str | None:
    if stat.S_ISREG(mode):
        return None
    return "it is a folder" if stat.S_ISDIR(mode) else NOT_REGULAR


def _standard_input() -> bytes | str:
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]  (started with standard input closed)
        return "standard input is closed"
    try:
        data = sys.stdin.buffer.read(LARGEST + 1)
    except OSError as error:
        return error.strerror or str(error)
    return data if len(data) <= LARGEST else _too_large(LARGEST)


def _too_large(largest: int) -> str:
    return f"it is larger than {largest // 1024 // 1024} MiB"


def decode(data: bytes, shown: str, origin: str | None) -> Source | str:
    """The text of ``data`` as a source, or why it is not a text. ``shown``: its name in messages."""
    try:
        return Source(shown, data.decode("utf-8-sig"), origin)
    except UnicodeDecodeError as error:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "it is UTF-16, not UTF-8"
        line = data.count(b"\n", 0, error.start) + 1
        return f"it is not UTF-8 (byte 0x{data[error.start]:02x} in line {line})"


# --- the files of one program ----------------------------------------------------------------------------------------

Opener: TypeAlias = "Callable[[str, Sequence[str]], Source | str]"
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
    if path is None or is_descriptor(path):
        return None
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.relpath(os.path.join(os.path.realpath(folder), name), root_of(path)).replace(os.sep, "/")


class Inputs:
    """Reads the files of one program; calling it with a path returns the text, or why it is not read.

    ``main``: the program's own text. ``allowed``: further folders that can be read. ``read`` opens a file. A path is
    read once, whatever the result.
    """

    def __init__(self, main: Source, allowed: Iterable[str] = (), read: Opener = read) -> None:
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
        if not is_file_name(path):
            return "it is not a file name"
        problem = refusal(path, self.roots)  # of a text that is only in an editor, too
        if problem is not None:
            return problem
        if len(self._known) >= MOST_FILES:
            return f"a program may read at most {MOST_FILES:,} files"
        source = self._read(path, self.roots)
        if isinstance(source, Source):
            self._size += len(source.text)
            if self._size > LARGEST_SUM:
                return f"the files of a program may have {LARGEST_SUM // 1024 // 1024} MiB together"
        return source


# --- the files of a folder -------------------------------------------------------------------------------------------

ENDING: Final = ".tfjob"
MANIFESTS: Final = (".yaml", ".yml", ".json", ".xml", ".sh", ".py")
"""Endings of the files that are read from a folder of manifests."""
SKIPPED: Final = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
"""Folders of other tools whose names do not begin with a dot."""


def _ignored(folder: str, reason: str) -> None:
    """What is done about a folder that cannot be read, unless somebody asks."""


def job_files(
    folder: str,
    inside: Sequence[str],
    unreadable: Callable[[str, str], None] = _ignored,
    endings: tuple[str, ...] = (ENDING,),
) -> Iterator[str]:
    """The files of ``folder`` in the order of their names, then those of the folders in it.

    ``inside``: the folders, without links, in which the file that a link leads to may be; ``folder`` is the first.
    ``unreadable`` is called with a folder that cannot be read, and the reason.
    """
    _note(folder or os.curdir)
    try:
        with os.scandir(folder or os.curdir) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        unreadable(folder, (error.strerror or str(error)).lower())
        return
    for entry in entries:
        if entry.name.endswith(endings) and not is_folder(entry) and _is_ours(entry, inside, endings):
            yield os.path.join(folder, entry.name).replace(os.sep, "/")
    for entry in entries:
        if not entry.name.startswith(".") and entry.name not in SKIPPED and entry.is_dir(follow_symlinks=False):
            yield from job_files(os.path.join(folder, entry.name), inside, unreadable, endings)


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself; what reads it says so
        return False


def _is_ours(entry: os.DirEntry[str], inside: Sequence[str], endings: tuple[str, ...]) -> bool:
    """Whether a file that nobody has named may be read: a link may lead out of the folder.

    It does not count if the file that it leads to is found itself.
    """
    return not entry.is_symlink() or (
        refusal(entry.path, inside) is None and not _is_found(entry.path, inside[0], endings)
    )


def _is_found(path: str, top: str, endings: tuple[str, ...]) -> bool:
    """Whether the file behind a link is one of those below ``top``."""
    *folders, name = os.path.relpath(os.path.realpath(path), top).split(os.sep)
    return (
        os.path.isfile(path)
        and name.endswith(endings)
        and not any(part.startswith(".") or part in SKIPPED for part in folders)
    )
