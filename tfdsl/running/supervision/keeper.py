"""The keeper of one replica: starts its command, passes on signals, ends what the command leaves behind.

It is what the first process of a container is. Whoever loses a parent below it becomes its child, and it does not end
before all of them have.

Outputs are copied when the command has ended, with the meaning that this has on a cluster. A copy is written beside its
destination and then renamed. Messages go to standard error, which is the replica's.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress

from tfdsl.running.supervision import namespaces, tree
from tfdsl.running.supervision.scratch import remove

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

    from tfdsl.running.supervision.wire import Wire


NOT_FOUND, NOT_EXECUTABLE, NOT_STARTED = 127, 126, 128
"""Statuses of a command that did not run, as shells and container runtimes give them."""

FROM_SIGNAL = 128
COPY_FAILED = 74
_BUG = 70
_STANDARD = 2
"""The last descriptor of input, output and errors."""
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_IGNORED = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGPIPE", "SIGTSTP", "SIGTTOU")


class Keeper:
    """The keeper of one replica.

    ``port``: the socket that holds the replica's port. ``enter`` builds what the replica sees, before it starts.
    ``group``: the open list of processes of a control group, which the command joins.
    """

    def __init__(
        self,
        launch: dict[str, Any],
        wire: Wire,
        output: int,
        port: socket.socket | None,
        enter: Callable[[], None],
        group: int | None = None,
    ) -> None:
        self._launch = launch
        self._wire = wire
        self._output = output
        self._port = port
        self._enter = enter
        self._group = group
        self._command = 0
        self._killed = False
        self._status: int | None = None
        """Of the command, when it has ended and its outputs are copied."""
        self._ended: dict[int, int] = {}

    def run(self) -> NoReturn:
        """Do all of it, and end this process."""
        try:
            self._run()
        except BaseException as error:  # a bug; the supervisor's code must not go on in this process
            sys.excepthook(type(error), error, error.__traceback__)
        finally:
            os._exit(_BUG)

    def _run(self) -> NoReturn:
        wakeup = watch_children()
        if namespaces.IS_LINUX and os.getpid() != 1:
            namespaces.adopt_orphans()
        failure = self._start()
        if failure is not None:
            self._report(failure[0], started=False, why=failure[1])
        self._wire.send("running")
        status = self._wait(self._command, wakeup)
        tree.end_all(self._command)  # what the command has left behind
        if not self._killed and self._launch["outputs"]:
            status = self._copied(status, wakeup)
        self._report(status, started=True)

    # --- the command ---

    def _start(self) -> tuple[int, str] | None:
        """Start the command; a status and a reason if it cannot be started."""
        try:
            self._enter()
        except OSError as error:
            return NOT_STARTED, _words(error)
        reading, writing = os.pipe()
        ready, go = os.pipe()
        self._command = os.fork()
        if self._command == 0:
            os.close(reading)
            os.close(go)
            os.read(ready, 1)
            self._become(writing)
        os.close(writing)
        if self._port is not None:
            self._port.close()  # the command's copy closes when it starts, and until then nobody else can have it
        os.close(go)
        os.close(ready)
        problem = _read_all(reading)
        if not problem:
            return None
        tree.end_all(self._command)
        status, _, why = problem.decode(errors="replace").partition(" ")
        return int(status), why

    def _become(self, failure: int) -> NoReturn:
        """In the child: become the command, or write why not."""
        status, argv = NOT_STARTED, self._launch["argv"]
        try:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDONLY)
            for descriptor, number in ((nothing, 0), (self._output, 1), (self._output, 2)):
                os.dup2(descriptor, number)
            restore_signals()
            self._enter_work_folder()
            if self._group is not None:
                os.write(self._group, b"0")
            status = NOT_EXECUTABLE
            _execute(argv, self._launch["env"])
        except (OSError, ValueError) as error:
            if status == NOT_EXECUTABLE and isinstance(error, FileNotFoundError):
                status = NOT_FOUND
            os.write(failure, f"{status} {_words(error)}".encode(errors="replace"))
        finally:
            os._exit(NOT_STARTED)

    def _enter_work_folder(self) -> None:
        """Go to the work folder; one in a mount is made if it is missing, as by the runtimes of containers."""
        folder = self._launch["cwd"]
        if any(f"{folder}/".startswith(f"{mounted['at']}/") for mounted in self._launch["mounts"]):
            os.makedirs(folder, exist_ok=True)
        os.chdir(folder)

    # --- until it ends ---

    def _wait(self, pid: int, wakeup: int) -> int:
        """The exit status of a child, whose descendants get the signals that come meanwhile."""
        poll = select.poll()
        poll.register(self._wire, select.POLLIN)
        poll.register(wakeup, select.POLLIN)
        while pid not in self._ended:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if wakeup in ready:
                os.read(wakeup, 4096)
                tree.reap(self._ended)
            if self._wire.fileno() in ready and pid not in self._ended:
                self._obey(pid)
        return exit_status(self._ended[pid])

    def _obey(self, pid: int) -> None:
        messages = self._wire.receive()
        if messages is None:
            tree.end_all(pid)  # nobody is left to tell
            self._tidy()
            os._exit(NOT_STARTED)
        for (number,), _ in messages:
            if number == signal.SIGKILL:
                self._killed = True
                self._ended |= tree.end_all(pid)
            else:
                tree.signal_all(number, pid)

    def _copied(self, status: int, wakeup: int) -> int:
        """The status after the outputs have been copied, by a process that signals reach like the command."""
        self._ended.clear()
        self._status = status
        copier = os.fork()
        if copier == 0:
            restore_signals()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as on a cluster: copying has to fit into the time to stop
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            os.dup2(self._output, 1)
            os.dup2(self._output, 2)
            complete = copy_all(self._launch["outputs"], self._launch["cwd"], self._launch["name"], status)
            os._exit(0 if complete else 1)
        complete = self._wait(copier, wakeup) == 0
        if not complete:
            self._tidy()
        if self._killed:
            return FROM_SIGNAL + signal.SIGKILL
        return COPY_FAILED if status == 0 and not complete else status

    def _tidy(self) -> None:
        """Remove what a copier that was killed has left."""
        if self._status is not None:
            tidy_all(self._launch["outputs"], self._launch["cwd"], self._launch["name"], self._status)

    def _report(self, status: int, *, started: bool, why: str = "") -> NoReturn:
        os.close(self._output)
        self._wire.send("ended", status, started, why)
        os._exit(0)


# --- parts that the supervisor uses too ----------------------------------------------------------------------------


def watch_children() -> int:
    """Ignore the signals that would end this process; a descriptor that is readable when a child has ended."""
    for name in _IGNORED:
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    return reading


def restore_signals() -> None:
    """Set the signals to what a new process expects."""
    signal.set_wakeup_fd(-1)
    for name in (*_IGNORED, "SIGCHLD", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def exit_status(status: int) -> int:
    """0–255 for what ``waitpid`` gives; of a process that a signal ended, 128 and its number."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else FROM_SIGNAL - code


def close_others(kept: set[int]) -> None:
    """Close every descriptor above 2 that is not in ``kept``."""
    for name in os.listdir("/dev/fd"):
        descriptor = int(name)
        if descriptor > _STANDARD and descriptor not in kept:
            with suppress(OSError):  # that of the listing itself
                os.close(descriptor)


def _execute(argv: list[str], env: dict[str, str]) -> NoReturn:
    """``execvpe`` that imports nothing and searches the ``PATH`` of ``env``; raises ``OSError``."""
    if "/" in argv[0]:
        os.execve(argv[0], argv, env)
    refused: OSError = FileNotFoundError(2, os.strerror(2), argv[0])
    for folder in env.get("PATH", _PATH).split(":"):
        try:
            os.execve(f"{folder or '.'}/{argv[0]}", argv, env)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            refused = error
    raise refused


def _words(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    return str(error)


def _read_all(descriptor: int) -> bytes:
    with open(descriptor, "rb") as stream:
        return stream.read()


def copy_all(outputs: list[dict[str, Any]], cwd: str, name: str, status: int) -> bool:
    """Copy the outputs that are due after ``status``; whether all of them could be copied."""
    complete = True
    for output, destination, part, old in _due(outputs, cwd, name, status):
        problem = _copied(os.path.join(cwd, output["source"]), destination, bool(output["overwrite"]), part, old)
        if problem:
            _say(f"{problem}")
            _say(f"cannot copy {output['source']} to {output['destination']}")
            complete = False
    return complete


def tidy_all(outputs: list[dict[str, Any]], cwd: str, name: str, status: int) -> None:
    """Remove what :func:`copy_all` has left beside the destinations because it was killed."""
    for _, destination, part, old in _due(outputs, cwd, name, status):
        with suppress(OSError):
            _tidy(destination, part, old)


def _due(
    outputs: list[dict[str, Any]], cwd: str, name: str, status: int
) -> Iterator[tuple[dict[str, Any], str, str, str]]:
    """The outputs that are due after ``status``: destination, and names beside it for the new and the old one."""
    for number, output in enumerate(outputs):
        if output["when"] in ("success" if status == 0 else "failure", "always"):
            destination = os.path.join(cwd, output["destination"]).rstrip("/") or "/"
            folder, mark = os.path.dirname(destination), f"{name.replace('/', '-')}-{number}"
            yield output, destination, f"{folder}/.part-{mark}", f"{folder}/.old-{mark}"


def _copied(source: str, destination: str, overwrite: bool, part: str, old: str) -> str:
    import shutil  # which takes as long as all the rest

    try:
        return _copy(source, destination, overwrite, part, old)
    except (OSError, shutil.Error) as error:
        return str(error)
    except RecursionError:
        return f"the folders in {source} are nested too deeply"


def _tidy(destination: str, part: str, old: str) -> None:
    if os.path.lexists(old) and not os.path.lexists(destination):
        os.rename(old, destination)  # it was killed between its two renames: it is the only copy
    remove(part)
    remove(old)


def _copy(source: str, destination: str, overwrite: bool, part: str, old: str) -> str:
    """Copy one output; why it cannot be copied."""
    import shutil

    _tidy(destination, part, old)
    if not os.path.lexists(source):
        return f"{source} is not there"
    if not overwrite and os.path.lexists(destination):
        return f"{destination} exists already; overwrite = true would replace it"
    os.makedirs(os.path.dirname(destination), exist_ok=True)
    try:
        if os.path.isdir(source):
            shutil.copytree(source, part, symlinks=True)
        else:
            shutil.copy2(source, part)
        if os.path.lexists(destination):
            if not overwrite:
                return f"{destination} was made meanwhile"
            os.rename(destination, old)
        _rename(part, destination, old)
    finally:
        remove(part)
    return "" if remove(old) else f"{old}, which it replaces, cannot be removed"


def _rename(part: str, destination: str, old: str) -> None:
    try:
        os.rename(part, destination)
    except OSError:
        if os.path.lexists(old):
            os.rename(old, destination)
        raise


def _say(text: str) -> None:
    os.write(sys.stderr.fileno(), f"output: {text}\n".encode(errors="surrogateescape"))
