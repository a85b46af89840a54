"""What a run prints: each line of a task behind its name, what happens to the tasks, and how the jobs have ended.

What processes write becomes lines whatever it contains, in little memory.
"""

from __future__ import annotations

import os
import stat
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import eq
from typing import IO, TYPE_CHECKING, Final

from tfdsl.diagnostics.render.columns import visible
from tfdsl.lifecycle.behaviour import Replica, State, Task
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.running.plan import Program
from tfdsl.writing import File, write_all

if TYPE_CHECKING:
    from tfdsl.lifecycle.flow import FlowMachine

COLOURS: Final = (36, 33, 35, 32, 34, 96, 93, 95, 92, 94)
"""Of ANSI terminals, none of them red: a task is not wrong because it is the fifth."""


class Result(Record):
    """How a job has ended. ``last``: the last lines of ``task``, which is the cause if there is one."""

    job: str
    outcome: str
    cause: str
    task: Task | None
    seconds: float
    last: tuple[bytes, ...]

    @property
    def succeeded(self) -> bool:
        """Whether it has completed."""
        return self.outcome == "succeeded"


class Screen:
    """A screen without a table.

    ``names`` of all programs of the job; ``prefix`` before them when several jobs share the screen. ``write`` takes the
    lines of tasks, ``tell`` what the run says itself.
    """

    def __init__(
        self,
        names: Sequence[str],
        write: Callable[[str], None],
        tell: Callable[[str], None],
        *,
        prefix: str = "",
        colour: bool = False,
        logs: Logs | None = None,
        redraw: Callable[[], None] = lambda: None,
    ) -> None:
        width = max(map(len, names), default=0)
        self._labels = {
            name: _label(f"{prefix}{name:<{width}} |", COLOURS[at % len(COLOURS)] if colour else None)
            for at, name in enumerate(names)
        }
        self._write = write
        self._tell = tell
        self._prefix = prefix
        self._logs = logs
        self._redraw = redraw

    def output(self, program: Program, task: Task, data: bytes, lines: Sequence[bytes]) -> None:
        """Write the lines behind the name of the program, and ``data`` as it is into its file."""
        if self._logs is not None:
            self._logs.write(program.name, data)
        self.lines(program.name, lines)

    def lines(self, name: str, lines: Sequence[bytes]) -> None:
        """Write the lines behind the name of a program."""
        if lines:
            label = self._labels[name]
            self._write("".join([f"{label} {shown_line(line)}\n" for line in lines]))

    def notice(self, text: str) -> None:
        """Say it in a line of its own."""
        self._tell(f"{self._prefix}{visible(text)}\n")

    def changed(self) -> None:
        """Draw the table again, if there is one."""
        self._redraw()


def _label(text: str, colour: int | None) -> str:
    return text if colour is None else f"\x1b[{colour}m{text}\x1b[0m"


class Logs:
    """A file for each program in ``folder``, which exists. ``tell`` is called once when one cannot be written.

    ``lost``: whether that has happened, as on a disk that is full. ``root``: the folder that the user has named, which
    no link may lead out of; it is ``folder`` or above it.
    """

    def __init__(self, folder: str, root: str, tell: Callable[[str], None]) -> None:
        self.folder = folder
        self._root = root
        self._tell = tell
        self._files: dict[str, IO[bytes] | None] = {}
        self.lost = False

    def write(self, name: str, data: bytes) -> None:
        """Append what a program has written, byte for byte."""
        try:
            if name not in self._files:
                self._files[name] = self._opened(self.path(name))
            file = self._files[name]
            while file is not None and data:
                data = data[file.write(data) :]
        except OSError as error:
            self._files[name] = None
            self.lost = True
            self._tell(f"cannot write {self.path(name)}: {error.strerror}; the output of {name} is not kept\n")

    def _opened(self, path: str) -> IO[bytes]:
        """A new file in the place of what is there, unless that is no file, or a link that leads out of the folder."""
        failure = write_all([File(path, "", root=self._root)])
        if failure is not None:
            raise OSError(0, failure.reason)
        flags = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
        handle = os.open(os.path.realpath(path), flags)
        if not stat.S_ISREG(os.fstat(handle).st_mode):  # a task was faster
            os.close(handle)
            raise OSError(0, "it is not a regular file")
        return open(handle, "wb", buffering=0)

    def path(self, name: str) -> str:
        """The file of a program: ``worker-1.log`` for ``worker[1]``, ``worker-1-fetch.log`` for its step ``fetch``."""
        return os.path.join(self.folder, name.replace("[", "-").replace("]", "").replace("/", "-") + ".log")

    def close(self) -> None:
        """Close the log files of all tasks."""
        for file in self._files.values():
            if file is not None:
                file.close()


LONGEST: Final = 1 << 14
"""Bytes after which a line that does not end is shown as a line."""
LAST_LINES: Final = 10
_SIGN_OF_LIFE: Final = 10
"""After so many repetitions a line is told to be repeated, then after ten times as many, and so on."""
_SEQUENCE: Final = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
"""What a program writes to give its text a colour or to move the cursor (ECMA-48)."""


class Lines:
    """The lines of one process, those that follow each other unchanged only once, with how often they came.

    ``last``: the last of them that are not empty.
    """

    def __init__(self) -> None:
        self.last: deque[bytes] = deque(maxlen=LAST_LINES)
        self._rest = b""
        self._before: bytes = b""
        self._repeated = self._told = 0

    def feed(self, data: bytes) -> list[bytes]:
        """What is to be shown of the lines that ``data`` completes."""
        *lines, rest = (self._rest + data).split(b"\n")
        while len(rest) > LONGEST:
            lines.append(rest[:LONGEST])
            rest = rest[LONGEST:]
        self._rest = rest
        return self._kept(lines)

    def end(self) -> list[bytes]:
        """What is left when nothing more comes."""
        lines = self._kept([*([self._rest] if self._rest else []), b""])[:-1]
        self._rest = b""
        self._before = b""
        return lines

    def _kept(self, lines: list[bytes]) -> list[bytes]:
        lines = self._folded(lines)
        self._keep(lines)
        return lines

    def _folded(self, lines: list[bytes]) -> list[bytes]:
        if not self._repeated and not any(map(eq, lines, [self._before, *lines])):
            self._before = lines[-1] if lines else self._before
            return lines
        folded: list[bytes] = []
        for line in lines:
            if line == self._before and line.strip():
                self._repeated += 1
                if self._repeated == max(10 * self._told, _SIGN_OF_LIFE):
                    folded.append(self._times())
                continue
            if self._repeated > self._told:
                folded.append(self._before if self._repeated == 1 else self._times())
            self._before, self._repeated, self._told = line, 0, 0
            folded.append(line)
        return folded

    def _times(self) -> bytes:
        self._told = self._repeated
        return b"(repeated %d times)" % self._repeated

    def _keep(self, lines: list[bytes]) -> None:
        for line in reversed(lines[-LAST_LINES:]):
            if not line.strip():
                self.last.extend(line for line in lines[-10 * LAST_LINES :] if line.strip())
                return
        self.last.extend(lines[-LAST_LINES:])


def shown_line(line: bytes) -> str:
    """A line for a screen: what a terminal would show of it, without what would act there."""
    text = line.decode("utf-8", "replace")
    if text.isascii() and text.isprintable() and "#" not in text:
        return text
    text = text.rstrip("\r").rpartition("\r")[2]  # a bar that is drawn again and again
    return visible(_SEQUENCE.sub("", text) if "\x1b" in text else text)


def last_words(results: Sequence[Result], left_out: int) -> str:
    """How the jobs have ended, those that have not completed last, each with its cause as the last line.

    ``left_out``: jobs that were not started, because the run was ended.
    """
    done = [result for result in results if result.succeeded]
    wrong = [result for result in results if not result.succeeded]
    lines = [f"job {result.job} has completed in {length(result.seconds)}" for result in done]
    if left_out:
        lines.append(f"{left_out} {'job was' if left_out == 1 else 'jobs were'} not started")
    for failed in wrong:
        lines += _of_failure(failed)
    return "".join(f"{line}\n" for line in lines)


def last_words_of_flow(flow: FlowMachine, results: Sequence[Result]) -> str:
    """How the jobs of a flow have ended, and in the last line the flow."""
    lines = [line for result in results if not result.succeeded for line in _of_failure(result)]
    took = {result.job: length(result.seconds) for result in results}
    wide = max(map(len, flow.jobs))
    lines += [f"  {job:<{wide}}  {word(state):<11}  {took.get(job, '')}".rstrip() for job, state in flow.jobs.items()]
    end = "has completed" if flow.outcome == "succeeded" else "has failed"
    return "".join(f"{line}\n" for line in [*lines, f"flow {flow.flow.name} {end}"])


def _of_failure(result: Result) -> Iterator[str]:
    if result.last:
        yield f"the last lines of {result.task}:"
        yield from (f"  {shown_line(line)}" for line in result.last)
    word = "was aborted" if result.outcome == "aborted" else "has failed"
    yield visible(f"job {result.job} {word} after {length(result.seconds)}: {result.cause}")


def length(seconds: float) -> str:
    """``850 ms``, ``12 s``, ``3 min 5 s``, ``2 h 10 min``."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


MOST_TASKS: Final = 12
"""Tasks of all jobs together that are shown one by one."""

_WORDS: Final = {"succeeded": "completed", "gone": "stopped", "lost": "evicted", "not run": "did not run"}


class TableLine(Record):
    """One line. ``restarts``: of all kinds together."""

    name: str
    phase: str
    restarts: int


def table_lines(states: Iterable[tuple[str, State]]) -> list[TableLine]:
    """The lines of some jobs, each with what is before the names of its tasks."""
    every = [(prefix, task, replica) for prefix, state in states for task, replica in state.replicas.items()]
    if len(every) <= MOST_TASKS:
        return [
            TableLine(f"{prefix}{task}", word(replica.phase), _restarts(replica)) for prefix, task, replica in every
        ]
    return list(_by_role(every))


def _by_role(every: Iterable[tuple[str, Task, Replica]]) -> Iterator[TableLine]:
    roles: dict[str, list[Replica]] = {}
    for prefix, task, one in every:
        roles.setdefault(f"{prefix}{task.role}", []).append(one)
    for name, replicas in roles.items():
        phases = Counter(word(replica.phase) for replica in replicas)
        counted = ", ".join(f"{count} {phase}" for phase, count in phases.most_common())
        yield TableLine(name, counted, sum(map(_restarts, replicas)))


def word(phase: str) -> str:
    """A phase as the language has it."""
    return _WORDS.get(phase, phase)


def _restarts(replica: Replica) -> int:
    return max(replica.starts - 1, 0) + replica.restarts
