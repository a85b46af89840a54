"""What tasks print: each line behind its task, through restarts; byte for byte when there is only one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Final

from tfdsl.backend.cluster import Live, LogOptions, Replica, cut
from tfdsl.diagnostics.command_rules import CLUSTER_REFUSES, NO_SUCH_TASK
from tfdsl.operating.problem import ProblemError
from tfdsl.operating.runner import Streams
from tfdsl.operating.session import PAUSE, Session
from tfdsl.operating.submitting import no_job
from tfdsl.patterns import regex
from tfdsl.record import Record, replace

_WANTED: Final = regex(r"(?P<role>[a-z]+)(?:\[(?P<index>[0-9]{1,6})\])?(?:/(?P<part>[A-Za-z0-9-]+))?")


class Program(Record):
    """One program of a replica: its command, or a step (``name`` has ``/fetch`` then)."""

    name: str
    replica: Replica
    container: str

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Which of its runs it is."""
        return self.replica.name, self.replica.id, self.container, self.replica.restarts or 0


def programs(live: Live, wanted: Sequence[str]) -> list[Program]:
    """The programs that ``wanted`` names (``worker``, ``worker[1]``, ``worker[1]/fetch``); all without any.

    Raises:
        ProblemError: The job has no such task.
    """
    every = [program for replica in live.replicas for program in _of(replica)]
    if not wanted:
        return every
    found: dict[str, Program] = {}
    for word in wanted:
        match = _WANTED.fullmatch(word)
        here = [one for one in every if match is not None and _fits(one, *match.group("role", "index", "part"))]
        roles = [one for one in live.replicas if match is not None and one.role == match["role"]]
        if not here and not (roles and match is not None and match["index"] is None):
            raise ProblemError(NO_SUCH_TASK, job=live.name, name=word)
        found |= {one.name: one for one in here}
    return list(found.values())


def _of(replica: Replica) -> Iterator[Program]:
    for container in replica.containers or ("",):
        is_step = container != (replica.containers or ("",))[-1]
        yield Program(f"{replica.task}/{container}" if is_step else replica.task, replica, container)


def _fits(program: Program, role: str, index: str | None, part: str | None) -> bool:
    return (
        program.replica.role == role
        and (index is None or program.replica.index == int(index))
        and (part is None or program.name.endswith(f"/{part}"))
    )


class Follower:
    """Reads the logs of a job. ``show`` gets the name of a program and bytes of it; ``tell`` what is to be said.

    ``until``: when to stop, on the clock of :func:`time.monotonic`.
    """

    def __init__(
        self,
        session: Session,
        wanted: Sequence[str],
        options: LogOptions,
        show: Callable[[str, bytes], None],
        tell: Callable[[str], None],
        until: float | None = None,
    ) -> None:
        self.session = session
        self.wanted = wanted
        self.options = options
        self._show = show
        self._tell = tell
        self._until = until
        self._streams = Streams()
        self._names: dict[object, Program] = {}
        self._shown: dict[object, int] = {}

    def run(self, live: Live) -> Live:
        """Show what there is, and with ``follow`` what comes until the job has ended; returns it as it is then.

        Raises:
            ProblemError: No log could be read.
        """
        try:
            return self._follow(live) if self.options.follow else self._once(live)
        finally:
            self._streams.close()

    def _once(self, live: Live) -> Live:
        """One program after the other."""
        problem, shown = "", 0
        for program in programs(live, self.wanted):
            if not self._start(program, self.options, live):
                continue
            while self._streams.running:
                for key, answer in self._streams.wait(PAUSE, self._take):
                    shown += not answer.status
                    if answer.status and self._shown.get(key, 0) == 0:
                        problem = f"{program.name}: {self.session.cluster.refusal(answer)}"
                        self._tell(problem)
        if not shown:
            reason = problem or f"job {live.name} is {live.phase}, and no log of it is there"
            raise ProblemError(CLUSTER_REFUSES, what="there is nothing to show", reason=reason)
        return live

    def _follow(self, live: Live) -> Live:
        started: set[object] = set()
        options = self.options
        while True:
            for program in programs(live, self.wanted):
                if program.key not in started and self._start(program, options, live):
                    started.add(program.key)
            options = replace(options, since=None, tail=None)  # a later run is shown whole
            self._for(PAUSE, started)
            if self._until is not None and monotonic() > self._until:
                return live
            if live.ended:
                while self._streams.running and self._for(PAUSE, started):
                    pass
                return live
            after = self.session.read()
            if after is None:
                raise no_job(self.session)
            for reason in after.reasons[:1]:
                if reason.sentence not in {one.sentence for one in live.reasons}:
                    self._tell(reason.sentence)
            live = after

    def _for(self, seconds: float, started: set[object]) -> bool:
        """Show what comes within ``seconds``; a program that could not be read yet is tried again.

        Returns whether anything came.
        """
        until, before = monotonic() + seconds, sum(self._shown.values())
        while (left := until - monotonic()) > 0:
            if not self._streams.running:
                from time import sleep

                sleep(left)
            for key, answer in self._streams.wait(left, self._take):
                if answer.status and not self._shown.get(key, 0):
                    started.discard(key)
        return sum(self._shown.values()) > before

    def _start(self, program: Program, options: LogOptions, live: Live) -> bool:
        call = self.session.cluster.log(self.session.place, live, program.replica, program.container, options)
        if call is not None:
            self._names[program.key] = program
            self._streams.start(program.key, call)
        return call is not None

    def _take(self, key: object, data: bytes) -> None:
        self._shown[key] = self._shown.get(key, 0) + len(data)
        self._show(self._names[key].name, data)


_LAST: Final = 5


def with_log(session: Session, live: Live) -> Live:
    """``live`` with the last lines that the replica printed whose command is the first reason, if they can be read."""
    first = next(iter(live.reasons), None)
    replica = next((one for one in live.replicas if first is not None and one.task == first.task), None)
    if first is None or replica is None or first.event != "failed":
        return live
    container = first.part or (replica.containers or ("",))[-1]
    options = LogOptions(previous=replica.phase == "waiting", tail=_LAST)
    call = session.cluster.log(session.place, live, replica, container, options)
    answers = session.ask([call]) if call is not None else []
    lines = [cut(line) for answer in answers if not answer.status for line in answer.out.splitlines()[-_LAST:]]
    return replace(live, reasons=(replace(first, log=tuple(filter(None, lines))), *live.reasons[1:]))
