"""What tasks print: each line behind its task, through restarts; byte for byte when there is only one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from tfdsl.backend.cluster import Answer, Call, Live, LogOptions, Reason, Replica, cut
from tfdsl.diagnostics.command_rules import CLUSTER_REFUSES, NO_SUCH_TASK
from tfdsl.operating.problem import ProblemError
from tfdsl.operating.runner import TIMED_OUT, Streams
from tfdsl.operating.session import PAUSE, Session
from tfdsl.operating.submitting import no_job
from tfdsl.patterns import regex
from tfdsl.record import Record, replace

if TYPE_CHECKING:
    from tfdsl.ir.flow import Flow

MOST_FOLLOWED: Final = 50
"""Logs that are followed at once: each needs a client, which may need as much memory as the programs it reads."""
_MOST_TRIES: Final = 6
WANTED: Final = regex(r"(?P<role>[a-z]+)(?:\[(?P<index>[0-9]{1,6})\])?(?:/(?P<part>[A-Za-z0-9-]+))?")


class Program(Record):
    """One program of a replica: its command, or a step (``name`` has ``/fetch`` then).

    ``run``: how often the command was started again in place before.
    """

    name: str
    replica: Replica
    container: str
    run: int = 0

    @property
    def which(self) -> tuple[str, str, str]:
        """The program, whichever of its runs it is."""
        return self.replica.name, self.replica.id, self.container

    @property
    def key(self) -> tuple[tuple[str, str, str], int]:
        """Which of its runs it is."""
        return self.which, self.run


def programs(live: Live, wanted: Sequence[str], *, previous: bool = False) -> list[Program]:
    """The programs that ``wanted`` names (``worker``, ``worker[1]``, ``worker[1]/fetch``); all without any.

    ``previous``: those that are started again in place, so a step only if it is named.

    Raises:
        ProblemError: The job has no such task.
    """
    every = [program for replica in live.replicas for program in _of(replica)]
    usual = [program for program in every if not previous or "/" not in program.name]
    if not wanted:
        return usual
    found: dict[str, Program] = {}
    for word in wanted:
        match = WANTED.fullmatch(word)
        those = every if match is not None and match["part"] else usual
        here = [one for one in those if match is not None and _fits(one, *match.group("role", "index", "part"))]
        roles = [one for one in live.replicas if match is not None and one.role == match["role"]]
        if not here and not (roles and match is not None and match["index"] is None):
            raise ProblemError(NO_SUCH_TASK, job=live.name, name=word)
        found |= {one.name: one for one in here}
    return list(found.values())


def _of(replica: Replica) -> Iterator[Program]:
    for container in replica.containers or ("",):
        is_step = container != (replica.containers or ("",))[-1]
        name, run = (f"{replica.task}/{container}", 0) if is_step else (replica.task, replica.restarts or 0)
        yield Program(name, replica, container, run)


def _fits(program: Program, role: str, index: str | None, part: str | None) -> bool:
    return (
        program.replica.role == role
        and (index is None or program.replica.index == int(index))
        and (part is None or program.name.endswith(f"/{part}"))
    )


class Follower:
    """Reads the logs of a job, as long as its session may. ``show`` gets the name of a program and bytes of it.

    ``tell``: what is to be said.
    """

    def __init__(
        self,
        session: Session,
        wanted: Sequence[str],
        options: LogOptions,
        show: Callable[[str, bytes], None],
        tell: Callable[[str], None],
    ) -> None:
        self.session = session
        self.wanted = wanted
        self.options = options
        self._show = show
        self._tell = tell
        self._streams = Streams()
        self._names: dict[object, Program] = {}
        self._shown: dict[object, int] = {}
        self._heard: dict[object, float] = {}
        self._begun: dict[object, float] = {}
        self._started: set[object] = set()
        self._tries: dict[object, int] = {}
        self._last: dict[object, int] = {}
        self._begins = True
        self._waits = False

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
        for program in programs(live, self.wanted, previous=self.options.previous):
            call = self._call(program, self.options, live)
            if not isinstance(call, Call):
                problem = call or problem
                continue
            self._start(program, call)
            self._heard[program.key] = monotonic()
            while self._streams.running:
                for key, answer in self._streams.wait(self.session.left(PAUSE), self._take):
                    shown += not answer.status
                    if answer.status and self._shown.get(key, 0) == 0:
                        problem = f"{program.name}: {self.session.cluster.refusal(answer)}"
                        self._tell(problem)
                if self.session.is_over:
                    over = ProblemError(CLUSTER_REFUSES, what=f"cannot read {program.name}", reason="the time is over")
                    over.status = TIMED_OUT
                    raise over
                if monotonic() > self._heard[program.key] + self.session.patience:
                    problem = f"{program.name}: no answer within {self.session.patience:g} s"
                    self._tell(problem)
                    self._streams.stop()
        if not shown:
            reason = problem or f"job {live.name} is {live.phase}, and no log of it is there"
            raise ProblemError(CLUSTER_REFUSES, what="there is nothing to show", reason=reason)
        return live

    def _follow(self, live: Live) -> Live:
        options, moved = self.options, monotonic()
        while True:
            self._start_all(live, options)
            options = replace(options, since=None, tail=None)  # a later run is shown whole
            moves = self._for(self.session.left(PAUSE), live)
            moved = monotonic() if moves else moved
            more = moves or self._waits or self._may_speak(moved)
            if self.session.is_over or (live.ended and not more):
                return live
            if live.ended:
                continue
            after = self.session.read_again()
            if after is None:
                raise no_job(self.session)
            for reason in after.reasons[:1]:
                if reason.sentence not in {one.sentence for one in live.reasons}:
                    self._tell(reason.sentence)
            live = after

    def _start_all(self, live: Live, options: LogOptions) -> None:
        """Start what is not followed yet, as far as there is room; what was tried least first."""
        new: list[tuple[int, Program, Call]] = []
        followed = {self._names[key].which for key in self._streams.running}
        for program in programs(live, self.wanted):
            self._last.setdefault(program.which, program.run - 1 if self._begins else -1)
            for one, how in self._unseen(program, options) if program.which not in followed else ():
                call = self._call(one, how, live)
                if isinstance(call, Call):
                    new.append((self._tries.get(one.key, 0), one, call))
                    break
        self._begins = False
        room = MOST_FOLLOWED - len(self._streams.running)
        if len(new) > room and not self._waits:
            what = f"{MOST_FOLLOWED} logs are followed at once, others when one of them ends"
            self._tell(f"{what}: name tasks to choose")
        self._waits = len(new) > room
        for _, program, call in sorted(new, key=lambda one: one[0])[: max(room, 0)]:
            self._start(program, call)
            self._started.add(program.key)
            self._last[program.which] = program.run

    def _unseen(self, program: Program, options: LogOptions) -> Iterator[tuple[Program, LogOptions]]:
        """The run of a program to show now: that before the present one, if it came and went between two readings."""
        last = self._last[program.which]
        if program.run - 1 > last and program.replica.phase != "waiting":  # when it waits, the last run is the present
            yield replace(program, run=program.run - 1), LogOptions(previous=True)
        if program.run >= last and program.key not in self._started:
            heard = self._heard.get(program.key)
            yield program, replace(options, since=int(monotonic() - heard) + 1, tail=None) if heard else options

    def _for(self, seconds: float, live: Live) -> bool:
        """Show what comes within ``seconds``; a program that could not be read yet, or broke off, is tried again.

        Returns whether anything came or ended; at once if another program waits for the place of one that ended.
        """
        until, before, ended = monotonic() + seconds, sum(self._shown.values()), False
        while (left := until - monotonic()) > 0 and not (ended and self._waits and live.ended):
            if not self._streams.running:
                sleep(left)
            for key, answer in self._streams.wait(left, self._take):
                ended = True
                if answer.status and not live.ended:
                    self._try_again(key, answer)
        return ended or sum(self._shown.values()) > before

    def _try_again(self, key: object, answer: Answer) -> None:
        tries = self._tries[key] = self._tries.get(key, 0) + 1
        if self._shown.get(key, 0):
            if tries > _MOST_TRIES:
                return
            what = "is opened again" if tries < _MOST_TRIES else "is not shown any further"
            self._tell(
                f"the log of {self._names[key].name} broke off, and {what}: {self.session.cluster.refusal(answer)}"
            )
            if tries == _MOST_TRIES:
                return
        self._started.discard(key)

    def _may_speak(self, moved: float) -> bool:
        """Whether a client may still say something: one that ends by itself, or has said nothing since it was started.

        ``moved``: when the last one spoke or ended. None is waited for longer than for an answer.
        """
        since = monotonic() - self.session.patience
        return any(
            (not stream.call.stays and moved > since) or (key not in self._heard and self._begun[key] > since)
            for key, stream in self._streams.running.items()
        )

    def _call(self, program: Program, options: LogOptions, live: Live) -> Call | str | None:
        return self.session.cluster.log(self.session.place, live, program.replica, program.container, options)

    def _start(self, program: Program, call: Call) -> None:
        self._names[program.key] = program
        self._begun[program.key] = monotonic()
        self._streams.start(program.key, call)

    def _take(self, key: object, data: bytes) -> None:
        self._shown[key] = self._shown.get(key, 0) + len(data)
        self._heard[key] = monotonic()
        self._show(self._names[key].name, data)


_LAST: Final = 5


def with_log(session: Session, live: Live) -> Live:
    """``live`` with the last lines that the replica printed whose command is the first reason, if they can be read.

    A flow has the reasons of its first job that failed, or of the first that could run and does not.
    """
    if session.place.flow is not None:
        return replace(live, reasons=tuple(_reasons(session, live, session.place.flow.flow)))
    first = next(iter(live.reasons), None)
    replica = next((one for one in live.replicas if first is not None and one.task == first.task), None)
    if first is None or first.log or replica is None or first.event != "failed":
        return live
    container = first.part or (replica.containers or ("",))[-1]
    options = LogOptions(previous=replica.phase == "waiting", tail=_LAST)
    call = session.cluster.log(session.place, live, replica, container, options)
    answers = session.ask([call]) if isinstance(call, Call) else []
    lines = [cut(line) for answer in answers if not answer.status for line in answer.out.splitlines()[-_LAST:]]
    return replace(live, reasons=(replace(first, log=tuple(filter(None, lines))), *live.reasons[1:]))


_WAITS: Final = ("waiting", "starting", "restarting", "suspended")


def _reasons(session: Session, live: Live, flow: Flow) -> Iterator[Reason]:
    from tfdsl.lifecycle.flow import FAILED
    from tfdsl.operating.flows import has, has_begun, in_turn

    jobs = [one for one in in_turn(live, flow) if has_begun(one)]
    asked = [one for one in jobs if one.phase in FAILED] or [one for one in jobs if one.phase in _WAITS]
    own: list[Reason] = []
    for job in asked[:1]:
        words = has(job.role, job.phase) if job.phase in FAILED else f"{job.role} waits"
        with suppress(ProblemError):  # then there is what the flow says of it
            one = session.of_job(live, job)
            found = one.read()
            own += () if found is None else with_log(one, found).reasons
        for at, reason in enumerate(own):
            task = f"{job.role}/{reason.task}" if reason.task else ""
            yield replace(reason, sentence=reason.sentence if at else f"{words}: {reason.sentence}", task=task)
    for reason in live.reasons:
        if not own or reason.task != asked[0].role:
            yield reason
