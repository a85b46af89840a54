"""Faults that are played, as ``--inject`` takes them (docs/simulate.md has the grammar).

``worker[1] exit 137 after 20s``, ``worker[0..3] evicted``, ``ps oom always``, ``ps[0] node lost``,
``worker[1]/fetch exit 5``, ``time limit``; in a flow with the job before it: ``train: worker[1] exit 1``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.diagnostics import Diagnostic, Rule, command_rules
from tfdsl.diagnostics.suggest import closest, enumeration
from tfdsl.lifecycle.behaviour import TERMINATED, Event, Exited, Lost, Split, Task
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.text import Source, Span
from tfdsl.vocabulary.attributes import ROLES
from tfdsl.vocabulary.quantities import Duration

if TYPE_CHECKING:
    from tfdsl.ir.model import Job

What: TypeAlias = Literal[
    "exit", "oom", "evicted", "preempted", "node lost", "time limit", "completed", "pending", "unknown"
]

_WORD: Final = regex(r"\S+")
_SUBJECT: Final = regex(
    r"(?P<role>[^\s\[\]/]+)(?:\[(?P<first>[0-9]{1,9})(?:\.\.(?P<last>[0-9]{1,9}))?\])?(?:/(?P<step>[^\s/]+))?"
)
_JOB: Final = regex(r"([^\s\[\]/:]*):(\S*)")
_STATUS: Final = regex(r"[0-9]{1,3}")
_EVENTS: Final = ("exit", "oom", "evicted", "preempted", "node", "time", "completed", "pending", "unknown")
_OF_JOB: Final[dict[str, What]] = {"unknown": "unknown", "preempted": "preempted", "time": "time limit"}
"""The events that may be about the whole job; all but ``preempted`` are about nothing else."""
_OF_STEP: Final = ("exit", "oom")
_LOST: Final[dict[str, What]] = {"evicted": "evicted", "preempted": "preempted", "node": "node lost"}
_REPEATED: Final = ("exit", "oom", *_LOST.values())
_OOM: Final = 137
_HIGHEST: Final = 255
_ALIASES: Final = {
    **dict.fromkeys(("oomkilled", "oomkill", "outofmemory"), "oom"),
    **dict.fromkeys(("evict", "eviction"), "evicted"),
    **dict.fromkeys(("preempt", "preemption", "drain", "drained", "deleted"), "preempted"),
    **dict.fromkeys(("nodelost", "nodeloss", "lost"), "node"),
    **dict.fromkeys(("complete", "succeeded", "succeeds", "done", "completes"), "completed"),
    **dict.fromkeys(("exits", "exited", "fail", "failed", "fails", "killed", "crash", "crashed"), "exit"),
}
_WRITTEN: Final = {"exit": "exit 1", "node": "node lost", "time": "time limit"}
_SECOND: Final = {"node": "lost", "time": "limit"}
"""The second words of events that have two."""
_USE: Final = "use exit STATUS, oom, evicted, preempted, node lost, completed or pending"


class Injected(Record):
    """What is played. ``role``: ``None`` for what is about the whole job; ``step``: of its replicas, or empty.

    ``status``: with which the command ends, also that of a replica that is lost, on SIGTERM. ``first``, ``last``: the
    replicas; ``None`` for all of the role. ``after_ms``: from the start of the job; ``None``: as soon as the replica
    runs. ``always``: each time that it has started, ``after_ms`` later. ``place``: where it is written; ``subject``:
    the part that names the replicas. ``job``: the one of a flow that it happens to; empty where there is no flow.
    """

    role: str | None
    first: int | None
    last: int | None
    what: What
    status: int
    after_ms: int | None
    always: bool
    place: Span
    subject: Span
    text: str
    step: str = ""
    job: str = ""

    def tasks(self, job: Job) -> Sequence[Task]:
        """The replicas of ``job`` that it is about; with a step, those that have it."""
        if self.role is None and self.what != "unknown":
            return [Task(role.name, index) for role in job.roles for index in range(role.replicas)]
        role = job.role(self.role) if self.role is not None else None
        if role is None or (self.step and not any(step.name == self.step for step in role.steps)):
            return ()
        first = 0 if self.first is None else self.first
        last = role.replicas - 1 if self.last is None else min(self.last, role.replicas - 1)
        return [Task(role.name, index) for index in range(first, last + 1)]

    def event(self, task: Task | None) -> Event | None:
        """What happens to ``task``; nothing to a replica that does not start."""
        if task is None:
            return Split()
        if self.what == "pending":
            return None
        if self.what == "time limit" or self.what in _LOST.values():
            return Lost(task, self.status, deleted=self.what != "evicted", with_node=self.what == "node lost")
        return Exited(task, self.status, oom=self.what == "oom", step=self.step)


class Planned:
    """When faults happen to the replicas of ``job``.

    ``stuck``: replicas that do not start. ``timed``: the number of each fault that has a time, its milliseconds from
    the start of the job (``None``: as soon as it can be), and what happens then, at once.
    """

    def __init__(self, job: Job, injected: Sequence[Injected]) -> None:
        self._prepare = {(role.name, step.name) for role in job.roles for step in role.steps if step.kind == "prepare"}
        self.stuck: set[Task] = set()
        self.timed: list[tuple[int, int | None, tuple[Event, ...]]] = []
        self._injected = injected
        self._at_start: dict[Task, dict[str, deque[int]]] = {}
        for number, fault in enumerate(injected):
            tasks = fault.tasks(job)
            if fault.what == "pending":
                self.stuck.update(tasks)
            elif fault.what == "unknown":
                self.timed.append((number, fault.after_ms, (Split(),)))
            elif (fault.role, fault.step) in self._prepare:
                self._plan(tasks, _PREPARATION, number)
            elif fault.role is not None and (fault.after_ms is None or fault.always):
                self._plan(tasks, fault.step, number)
            elif tasks:
                events = (fault.event(task) for task in tasks)
                self.timed.append((number, fault.after_ms, tuple(event for event in events if event is not None)))

    def at_start(self, task: Task) -> Iterator[tuple[int, int | None, Event]]:
        """The same for the next faults of ``task``, whose command has started, with milliseconds from now."""
        for step in self._at_start.get(task, ()):
            if step != _PREPARATION:
                yield from self._next(task, step)

    def at_preparation(self, task: Task) -> tuple[int, int | None, Event] | None:
        """The same for the next fault of a prepare step of ``task``, which is prepared from now on."""
        return next(self._next(task, _PREPARATION), None)

    def is_prepare(self, event: Exited) -> bool:
        """Whether what has ended is a prepare step."""
        return (event.task.role, event.step) in self._prepare

    def _plan(self, tasks: Iterable[Task], step: str, number: int) -> None:
        for task in tasks:
            self._at_start.setdefault(task, {}).setdefault(step, deque()).append(number)

    def _next(self, task: Task, step: str) -> Iterator[tuple[int, int | None, Event]]:
        planned = self._at_start.get(task, {}).get(step)
        if planned:
            number = planned[0]
            fault = self._injected[number]
            if not fault.always:
                planned.popleft()
            event = fault.event(task)
            if event is not None:
                yield number, fault.after_ms, event


_PREPARATION: Final = "/"
"""Instead of the name of a step: its faults come in order, at one start each, whichever prepare step they are of."""


def parse(text: str, place: Span | None = None) -> Injected | Diagnostic:
    """What ``text`` says, or what is wrong with it. ``place``: where it is written, as a shell has it."""
    return _Parser(text, place if place is not None else Span(Source("--inject", text), 0, len(text))).parsed()


def of_job(injected: Iterable[Injected], job: str) -> tuple[Injected, ...]:
    """Those that happen to ``job``."""
    return tuple(fault for fault in injected if fault.job in ("", job))


def missing(injected: Injected, jobs: Sequence[Job], *, flow: str = "") -> Diagnostic | None:
    """That none of ``jobs`` has such a role or replica. ``flow``: the name of the flow that they are the jobs of."""
    in_flow = [job.name for job in jobs]
    if injected.job or (flow and len(jobs) > 1):
        if injected.job not in in_flow or not flow:
            return _wrong_job(injected, in_flow, flow)
        jobs = [job for job in jobs if job.name == injected.job]
    if injected.role is None or any(_is_there(injected, job) for job in jobs):
        return None
    if injected.step and any(_is_there(replace(injected, step=""), job) for job in jobs):
        return _no_step(injected, jobs)
    names = enumeration(f"job {name}" for name in dict.fromkeys(job.name for job in jobs))
    sizes = [role.replicas for job in jobs for role in job.roles if role.name == injected.role]
    if sizes:
        index = injected.last if injected.last is not None else injected.first
        error = command_rules.NO_SUCH_REPLICA(injected.subject, role=injected.role, job=names, index=index)
        most = max(sizes) - 1
        return error.help(f"its replicas are 0 to {most}" if most else "its only replica is 0")
    roles = list(dict.fromkeys(role.name for job in jobs for role in job.roles))
    error = command_rules.NO_SUCH_ROLE(injected.subject, job=names, name=injected.role)
    return _suggesting(error, injected.role, roles, f"its roles are {enumeration(roles)}")


def _wrong_job(injected: Injected, names: Sequence[str], flow: str) -> Diagnostic:
    """That a fault names no job of ``flow``, or one where there is no flow."""
    if not flow:
        error = command_rules.FAULT_FORM(injected.place, what="an event names a job only in a flow")
        return error.help(f"choose a flow with --flow, or write --job {injected.job} and leave out {injected.job}:")
    if not injected.job:
        error = command_rules.FAULT_FORM(injected.place, what=f"flow {flow} has several jobs")
        return error.help(f"write the job first: {names[0]}: {injected.text}")
    error = command_rules.FAULT_FORM(injected.place, what=f"flow {flow} has no job {injected.job}")
    near = closest(injected.job, names)
    return error.help(f"did you mean {near}?" if near is not None else f"its jobs are {enumeration(names)}")


def _is_there(injected: Injected, job: Job) -> bool:
    role = job.role(injected.role) if injected.role is not None else None
    if role is None or (injected.last or injected.first or 0) >= role.replicas:
        return False
    return not injected.step or any(step.name == injected.step for step in role.steps)


def _no_step(injected: Injected, jobs: Sequence[Job]) -> Diagnostic:
    steps = [step.name for job in jobs for role in job.roles if role.name == injected.role for step in role.steps]
    names = list(dict.fromkeys(steps))
    error = command_rules.NO_SUCH_STEP(injected.subject, role=injected.role, name=injected.step)
    return _suggesting(
        error, injected.step, names, f"its steps are {enumeration(names)}" if names else "it has no steps"
    )


def _suggesting(error: Diagnostic, word: str, words: Iterable[str], otherwise: str) -> Diagnostic:
    near = closest(word, words, _ROLE_WORDS)
    return error.help(f"did you mean {near}?" if near is not None and near in words else otherwise)


_ROLE_WORDS: Final = {alias.lower().replace("_", ""): role.name for role in ROLES for alias in role.aliases}


class _FaultError(Exception):
    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic


class _Word(Record):
    text: str
    start: int
    end: int


class _Parser:
    """One fault, word by word."""

    def __init__(self, text: str, place: Span) -> None:
        self.text = text
        self.place = place
        self.words: Iterator[_Word] = (_Word(match[0], match.start(), match.end()) for match in _WORD.finditer(text))
        self.now = next(self.words, None)

    def parsed(self) -> Injected | Diagnostic:
        try:
            return self._fault()
        except _FaultError as wrong:
            return wrong.diagnostic

    # --- words and their places ---

    def _take(self) -> _Word | None:
        word = self.now
        self.now = next(self.words, None)
        return word

    def _span(self, start: int, end: int) -> Span:
        """A part of the text where it is written; all of its place when a shell had to write it in another way."""
        at = self.place.text.rfind(self.text)
        if at < 0 or not self.text:
            return self.place
        return Span(self.place.source, self.place.start + at + start, self.place.start + at + end)

    def _wrong(self, rule: Rule, word: _Word | None, **values: object) -> Diagnostic:
        """An error at ``word``, or at the end of the text where a word is missing."""
        end = len(self.text.rstrip())
        return rule(self._span(word.start, word.end) if word is not None else self._span(0, end), **values)

    def _error(self, word: _Word | None, what: str, advice: str) -> _FaultError:
        """That the fault is not written as it has to be."""
        return _FaultError(self._wrong(command_rules.FAULT_FORM, word, what=what).help(advice))

    # --- the parts ---

    def _fault(self) -> Injected:
        job, subject = self._job_and_subject()
        if subject is None:
            raise self._error(None, "there is nothing to play", _EXAMPLE)
        return replace(self._of_subject(subject), job=job)

    def _job_and_subject(self) -> tuple[str, _Word | None]:
        """``train: worker[1]``, with or without the space."""
        word = self._take()
        match = _JOB.fullmatch(word.text) if word is not None else None
        if word is None or match is None:
            return "", word
        job, rest = match.groups()
        if not job:
            raise self._error(word, "there is no job before the colon", "write train: worker[0] exit 1")
        return job, _Word(rest, word.end - len(rest), word.end) if rest else self._take()

    def _of_subject(self, subject: _Word) -> Injected:
        if subject.text in _OF_JOB:
            return self._rest(None, None, None, subject, subject)
        if subject.text in _EVENTS:
            raise self._error(
                subject, f"{subject.text} needs a replica", f"write worker[0] {self.text[subject.start :].strip()}"
            )
        role, first, last, step = self._subject(subject)
        event = self._take()
        if event is None:
            what = f"{subject.text} needs something that happens to it"
            raise self._error(subject, what, _USE)
        if step and event.text in _EVENTS and event.text not in _OF_STEP:
            raise self._error(event, f"{event.text} cannot happen to a step", "a step can exit STATUS or oom")
        fault = replace(self._rest(role, first, last, subject, event), step=step)
        if step and not fault.status:
            raise self._error(event, "a step that exits with 0 changes nothing", "write exit 1, or another status")
        return fault

    def _subject(self, word: _Word) -> tuple[str, int | None, int | None, str]:
        match = _SUBJECT.fullmatch(word.text)
        if match is None:
            raise self._error(
                word,
                f"{word.text} does not name replicas",
                "write ROLE, ROLE[INDEX] or ROLE[FIRST..LAST], such as worker[0..3], and /STEP for a step of it",
            )
        first = None if match["first"] is None else int(match["first"])
        last = first if match["last"] is None else int(match["last"])
        if first is not None and last is not None and last < first:
            raise self._error(word, f"the range {first}..{last} is empty", f"write {match['role']}[{last}..{first}]")
        return match["role"], first, last, match["step"] or ""

    def _rest(self, role: str | None, first: int | None, last: int | None, subject: _Word, event: _Word) -> Injected:
        what, status = self._event(event, role)
        text = " ".join(self.text.split())
        injected = Injected(
            role,
            first,
            last,
            what,
            status,
            None,
            always=False,
            place=self._span(0, len(self.text)),
            subject=self._span(subject.start, subject.end),
            text=text,
        )
        return self._when(injected)

    def _event(self, word: _Word, role: str | None) -> tuple[What, int]:
        if word.text == "exit":
            return "exit", self._status(word)
        if word.text == "oom":
            return "oom", _OOM
        if word.text in _LOST:
            return _LOST[word.text], self._last_status(word)
        if word.text == "completed":
            return "completed", 0
        if word.text == "pending":
            return "pending", 0
        if word.text in ("unknown", "time"):
            what = _OF_JOB[word.text]
            if role is not None:
                raise self._error(word, f"{what} is about the whole job", f"write {what} without a replica")
            return what, 0 if what == "unknown" else self._last_status(word)
        error = self._wrong(command_rules.NO_FAULT, word, name=word.text)
        near = closest(word.text, _EVENTS, _ALIASES)
        raise _FaultError(error.help(f"did you mean {_WRITTEN.get(near, near)}?" if near is not None else _USE))

    def _status(self, event: _Word) -> int:
        word = self._take()
        if word is None or word.text in ("after", "always"):
            raise self._error(event, "exit needs a status", "write exit 1, or exit 137 for a process that is killed")
        if _STATUS.fullmatch(word.text) is None or int(word.text) > _HIGHEST:
            raise _FaultError(self._wrong(command_rules.FAULT_STATUS, word, status=word.text))
        return int(word.text)

    def _last_status(self, event: _Word) -> int:
        """With which the command of a replica that is lost ends on SIGTERM."""
        second = _SECOND.get(event.text)
        if second is not None:
            word = self._take()
            if word is None or word.text != second:
                at = word if word is not None else event
                raise self._error(at, f"{event.text} needs {second}", f"write {event.text} {second}")
        if self.now is None or self.now.text != "exit":
            return TERMINATED
        return self._status(self._take() or event)

    def _when(self, injected: Injected) -> Injected:
        """``always`` and ``after TIME``, in either order, each once."""
        seen: set[str] = set()
        while (word := self._take()) is not None:
            if word.text not in ("always", "after") or word.text in seen:
                what = f"{word.text} is not expected here" if word.text not in seen else f"{word.text} is repeated"
                raise self._error(word, what, "after the event, write always, after TIME or nothing")
            seen.add(word.text)
            injected = self._always(injected, word) if word.text == "always" else self._after(injected, word)
        return injected

    def _always(self, injected: Injected, word: _Word) -> Injected:
        if injected.what not in _REPEATED or injected.role is None or (injected.what == "exit" and not injected.status):
            what = f"{'exit 0' if injected.what == 'exit' else injected.what} cannot happen always"
            raise self._error(
                word, what, "always goes with a failure: exit STATUS, oom, evicted, preempted or node lost"
            )
        return replace(injected, always=True)

    def _after(self, injected: Injected, event: _Word) -> Injected:
        if injected.what == "pending":
            raise self._error(event, "pending cannot have a delay", "a replica that is pending does not start at all")
        word = self._take()
        if word is None:
            raise self._error(event, "after needs a time", "write after 20s")
        try:
            return replace(injected, after_ms=Duration(word.text).ms or None)
        except ValueError:
            error = self._wrong(command_rules.FAULT_TIME, word, time=word.text)
            raise _FaultError(error.help("write a number and a unit, such as 20s, 5m or 1h30m")) from None


_EXAMPLE: Final = "write for example worker[1] exit 137 after 20s"
