"""Writing files, all or none.

Everything is first written beside its place under another name and forced to the disk; only then are the files
renamed into place. Whatever goes wrong on the way (a full disk, a folder that may not be written, a signal to end, a
second one while the first is being answered) is taken back: old files have their old text, new ones and new folders are
gone.

What holds when the process is killed with SIGKILL or the power fails: each file has its old text or its new one, whole;
of several files some may be old and some new; files called ``.tfdsl-PROCESS-…`` may be left beside them, no more
readable than those. A run that writes into the folder later than a minute removes those.

Signals that end the process are held back meanwhile: Python makes an exception of SIGINT at any instruction, and lets
SIGTERM and SIGHUP end the process at once, which would leave files half written when a time limit of CI strikes, or
when somebody presses Ctrl-C twice.
"""

from __future__ import annotations

import os
import shutil
import signal
import stat
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from tfdsl.patterns import regex
from tfdsl.record import Record

if TYPE_CHECKING:
    from types import FrameType, TracebackType


_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP")
_SIGNALS: Final = tuple(number for name in _NAMES if (number := getattr(signal, name, None)) is not None)
_FROM_SIGNAL: Final = 128
"""Added to a signal's number it is the exit status that shells show for it."""


class Orderly:
    """Within it a signal that ends the process waits for :meth:`check`, or for the end of the block.

    Then it is raised, SIGINT as ``KeyboardInterrupt``, another as ``SystemExit`` with the status that shells show for
    it. A signal that the caller ignores or handles stays so; outside of the main thread nothing changes.
    """

    def __init__(self) -> None:
        self._before: dict[int, object] = {}
        self._came: int | None = None
        self._waits = True

    def __enter__(self) -> Orderly:
        for number in _SIGNALS:
            before = signal.getsignal(number)
            if before in (signal.SIG_DFL, signal.default_int_handler):
                try:
                    signal.signal(number, self._note)
                except ValueError:  # only the main thread may
                    return self
                self._before[number] = before
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)  # type: ignore[arg-type]  # what getsignal gave
        if kind is None:
            self.check()

    def check(self) -> None:
        """Raise the first of the signals that have come."""
        if self._came is not None:
            raise KeyboardInterrupt if self._came == signal.SIGINT else SystemExit(_FROM_SIGNAL + self._came)

    @contextmanager
    def at_once(self) -> Generator[None]:
        """Within it signals do not wait: for what may take as long as somebody else wants."""
        self.check()
        self._waits = False
        try:
            yield
        finally:
            self._waits = True

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._came is None:
            self._came = number
        if not self._waits:
            self._waits = True  # a second one must not break into what the first has set going
            self.check()


_LEFTOVER: Final = regex(r"\.tfdsl-([0-9]+)-[0-9a-f]{12}")
_PRIVATE: Final = 0o600
_OLD: Final = 60
"""Seconds after which a temporary file whose process is gone has been left by it."""


class File(Record):
    """A file to be written, its text in UTF-8.

    ``executable``: it can be run by those who can read it. ``private``: a new one can be read by its owner only; both
    within what the umask grants, and a file that is there keeps its mode. ``root``: the folder that it must not leave
    through a link, for a name that the user has not written; there it must be a regular file too.
    """

    path: str
    text: str
    executable: bool = False
    private: bool = False
    root: str | None = None


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
    with Orderly() as signals:
        return _write(files, _Batch(inputs, signals))


def _write(files: Sequence[File], batch: _Batch) -> Failure | None:
    try:
        for file in files:
            batch.prepare(file)
        batch.commit()
    except BaseException as error:
        left = "".join(f"; the old text of {place} is in {old}" for place, old in batch.take_back())
        if isinstance(error, _Refused):
            return Failure(error.failure.path, error.failure.reason + left)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            return Failure(batch.current, (error.strerror or str(error)).lower() + left)
        raise
    batch.finish()
    return None


class _Batch:
    """One :func:`write_all` in progress."""

    def __init__(self, inputs: Iterable[str], signals: Orderly) -> None:
        self.inputs = {identity for path in inputs if (identity := _identity(path)) is not None}
        self.signals = signals
        self.granted = _granted()
        self.current = ""
        self.folders: list[str] = []  # made for this batch, outer ones first
        self.used: set[str] = set()  # folders that are written into
        self.temporary: dict[str, str] = {}  # place → temporary file
        self.modes: dict[str, int] = {}  # place → mode of the new file
        self.streams: list[tuple[str, bytes]] = []  # devices and pipes, which cannot be renamed onto
        self.kept: dict[str, str] = {}  # place → the old file under another name
        self.placed: dict[str, None] = {}

    def prepare(self, file: File) -> None:
        """Write the text to a temporary file beside its place."""
        self.signals.check()
        self.current = file.path
        place = os.path.realpath(file.path)  # through a link, so that the link stays
        data = file.text.encode("utf-8", "surrogateescape")
        mode = self._check(place, file)
        if mode is not None and not stat.S_ISREG(mode):
            self.streams.append((file.path, data))
            return
        if place in self.temporary:
            raise _Refused(file.path, "two outputs have this name")
        self._use_folder(os.path.dirname(place))
        temporary = _beside(place)
        self.temporary[place] = temporary
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _PRIVATE)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        self.modes[place] = self._mode(file, mode)

    def _mode(self, file: File, old: int | None) -> int:
        """The mode of a file: that of the one it replaces, else what the umask grants."""
        mode = stat.S_IMODE(old) if old is not None else self.granted & (0o600 if file.private else 0o666)
        if not file.executable:
            return mode
        runnable = mode >> 2 & 0o111  # by those who can read it
        return mode | (runnable if old is not None else runnable & self.granted)

    def _check(self, place: str, file: File) -> int | None:
        """The mode of what is at the file's place now; refuses what must not be written to."""
        try:
            status = os.stat(file.path)
        except (FileNotFoundError, NotADirectoryError):
            status = None
        if file.root is not None and not _is_inside(place, os.path.realpath(file.root)):
            raise _Refused(file.path, f"a link leads out of {file.root}, to {place}")
        if status is None:
            return None
        if stat.S_ISDIR(status.st_mode):
            raise _Refused(file.path, "it is a folder")
        if (status.st_dev, status.st_ino) in self.inputs:
            raise _Refused(file.path, "it is an input of this command")
        if not stat.S_ISREG(status.st_mode) and file.root is not None:
            raise _Refused(file.path, "it is not a regular file")
        if stat.S_ISREG(status.st_mode) and not os.access(place, os.W_OK):
            raise _Refused(file.path, "permission denied")  # a rename would get round the file's own mode
        return status.st_mode

    def _use_folder(self, folder: str) -> None:
        """Make a folder if it is missing, and remove what a killed run has left in it."""
        if folder in self.used:
            return
        missing: list[str] = []
        inner = folder
        while inner and not os.path.isdir(inner):
            missing.append(inner)
            inner = os.path.dirname(inner)
        for path in reversed(missing):
            os.mkdir(path)
            self.folders.append(path)
        self.used.add(folder)
        if not missing:
            _sweep(folder)

    def commit(self) -> None:
        """Put every file into its place, keeping the old ones until all are there."""
        for place, temporary in self.temporary.items():
            self.signals.check()
            self.current = place
            if os.path.lexists(place):
                self._keep(place)
            os.chmod(temporary, self.modes[place])
            os.replace(temporary, place)
            self.placed[place] = None
        for path, data in self.streams:
            self.current = path
            with self.signals.at_once():
                _write_stream(path, data)

    def _keep(self, place: str) -> None:
        """Give the old file a second name; its own place is never empty."""
        old = _beside(place)
        self.kept[place] = old
        try:
            os.link(place, old)
        except OSError:  # a file system without hard links
            shutil.copy2(place, old)

    def take_back(self) -> list[tuple[str, str]]:
        """Make it as it was; gives the places that cannot be made so, and where their old files are."""
        left: list[tuple[str, str]] = []
        for place in self.placed:
            if place not in self.kept:
                _quietly_remove(place)
        for place, old in self.kept.items():
            if place in self.placed:
                try:
                    os.replace(old, place)
                except OSError:
                    left.append((place, old))
                    continue
            _quietly_remove(old)  # a rename onto another name of the same file does nothing (POSIX)
        for temporary in self.temporary.values():
            _quietly_remove(temporary)
        for folder in reversed(self.folders):
            try:
                os.rmdir(folder)
            except OSError:
                continue  # somebody else put something into it
        return left

    def finish(self) -> None:
        """Remove the old files and make the renames last."""
        for old in self.kept.values():
            _quietly_remove(old)
        for folder in self.used:
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


def _write_stream(path: str, data: bytes) -> None:
    """Write to a device or a pipe. One that nobody reads from is an error, not a wait."""
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    with os.fdopen(handle, "wb", buffering=0) as stream:
        os.set_blocking(handle, True)
        rest = memoryview(data)
        while rest:
            rest = rest[stream.write(rest) or 0 :]


def _granted() -> int:
    """The permissions that the umask leaves."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o777 & ~mask


def _is_inside(place: str, root: str) -> bool:
    return place.startswith(root.rstrip(os.sep) + os.sep)


def _beside(place: str) -> str:
    """A free name in the same folder, so that a rename to ``place`` stays within one file system."""
    return os.path.join(os.path.dirname(place), f".tfdsl-{os.getpid()}-{os.urandom(6).hex()}")


def _sweep(folder: str) -> None:
    """Remove the temporary files that runs of this user have left in ``folder`` when they were killed."""
    try:
        names = os.listdir(folder)
    except OSError:  # it may be written but not listed
        return
    for name in names:
        match = _LEFTOVER.fullmatch(name)
        path = os.path.join(folder, name)
        if match is not None and _is_old_and_own(path) and not _runs(int(match.group(1))):
            _quietly_remove(path)


def _runs(process: int) -> bool:
    if os.name == "nt":  # where asking ends the process
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # somebody else's
        return True
    return True


def _is_old_and_own(path: str) -> bool:
    """Of this user, and from a while ago: a process of another container, which writes here too, is not seen."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    is_own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    return stat.S_ISREG(status.st_mode) and is_own and status.st_ctime < time.time() - _OLD


def _quietly_remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino)
