"""Writing files, all or none.

Everything is first written beside its place under another name and forced to the disk; only then are the files
renamed into place. Whatever goes wrong on the way (a full disk, a folder that may not be written, a signal to end) is
taken back: old files have their old text, new ones and new folders are gone.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from tfdsl.cli.termination import Orderly
from tfdsl.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SCRIPT: Final = 0o755


class File(Record):
    """A file to be written, its text in UTF-8. ``executable``: it gets mode 0755."""

    path: str
    text: str
    executable: bool = False


class Failure(Record):
    """What could not be written, and why."""

    path: str
    reason: str


class _Refused(Exception):  # noqa: N818  (never leaves this module)
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.failure = Failure(path, reason)


def write_all(files: Sequence[File], inputs: Iterable[str] = ()) -> Failure | None:
    """Write all ``files`` or, giving the reason, none of them. A file of ``inputs`` is never overwritten."""
    with Orderly():
        return _write(files, _Batch(inputs))


def _write(files: Sequence[File], batch: _Batch) -> Failure | None:
    try:
        for file in files:
            batch.prepare(file)
        batch.commit()
    except BaseException as error:
        batch.take_back()
        if isinstance(error, _Refused):
            return error.failure
        if isinstance(error, OSError):
            return Failure(batch.current, _reason(error))
        raise
    batch.finish()
    return None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


class _Batch:
    """One :func:`write_all` in progress."""

    def __init__(self, inputs: Iterable[str]) -> None:
        self.inputs = {identity for path in inputs if (identity := _identity(path)) is not None}
        self.current = ""
        self.folders: list[str] = []  # made for this batch, outer ones first
        self.temporary: dict[str, str] = {}  # place → temporary file
        self.streams: list[tuple[str, bytes]] = []  # devices and pipes, which cannot be renamed onto
        self.kept: dict[str, str] = {}  # place → the old file under another name
        self.placed: list[str] = []

    def prepare(self, file: File) -> None:
        """Write the text to a temporary file beside its place."""
        self.current = file.path
        place = os.path.realpath(file.path)  # through a link, so that the link stays
        data = file.text.encode("utf-8", "surrogateescape")
        mode = self._check(place, file.path)
        if mode is not None and not stat.S_ISREG(mode):
            self.streams.append((place, data))
            return
        if place in self.temporary:
            raise _Refused(file.path, "two outputs have this name")
        self._make_folders(os.path.dirname(place))
        temporary = _beside(place)
        self.temporary[place] = temporary
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if file.executable:
            os.chmod(temporary, _SCRIPT)
        elif mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))

    def _check(self, place: str, shown: str) -> int | None:
        """The mode of what stands at ``place`` now; refuses folders and inputs."""
        try:
            found = os.stat(place)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISDIR(found.st_mode):
            raise _Refused(shown, "it is a folder")
        if (found.st_dev, found.st_ino) in self.inputs:
            raise _Refused(shown, "it is an input of this command")
        if stat.S_ISREG(found.st_mode) and not os.access(place, os.W_OK):
            raise _Refused(shown, "permission denied")  # a rename would get round the file's own mode
        return found.st_mode

    def _make_folders(self, folder: str) -> None:
        missing: list[str] = []
        while folder and not os.path.isdir(folder):
            missing.append(folder)
            folder = os.path.dirname(folder)
        for path in reversed(missing):
            os.mkdir(path)
            self.folders.append(path)

    def commit(self) -> None:
        """Put every file into its place, keeping the old ones until all are there."""
        for place, temporary in self.temporary.items():
            self.current = place
            if os.path.lexists(place):
                self._keep(place)
            os.replace(temporary, place)
            self.placed.append(place)
        for place, data in self.streams:
            self.current = place
            with open(place, "wb") as stream:
                stream.write(data)

    def _keep(self, place: str) -> None:
        """Give the old file a second name, so that its place is never empty."""
        old = _beside(place)
        self.kept[place] = old
        try:
            os.link(place, old)
        except OSError:  # a file system without hard links
            os.rename(place, old)

    def take_back(self) -> None:
        """Make it as it was."""
        for place in self.placed:
            if place not in self.kept:
                _quietly_remove(place)
        for place, old in self.kept.items():
            if os.path.lexists(old):
                os.replace(old, place)
                _quietly_remove(old)  # a rename onto another name of the same file does nothing (POSIX)
        for temporary in self.temporary.values():
            _quietly_remove(temporary)
        for folder in reversed(self.folders):
            try:
                os.rmdir(folder)
            except OSError:
                continue  # somebody else put something into it

    def finish(self) -> None:
        """Remove the old files and make the renames last."""
        for old in self.kept.values():
            _quietly_remove(old)
        for folder in {os.path.dirname(place) for place in self.placed}:
            try:
                handle = os.open(folder, os.O_RDONLY)
            except OSError:
                continue  # not every system lets a folder be opened
            try:
                os.fsync(handle)
            except OSError:
                pass  # nor be forced to the disk
            finally:
                os.close(handle)


def _beside(place: str) -> str:
    """A free name in the same folder, so that a rename to ``place`` stays within one file system."""
    return os.path.join(os.path.dirname(place), f".tfdsl-{os.urandom(6).hex()}")


def _quietly_remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino)
