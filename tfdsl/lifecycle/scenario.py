"""Faults that are played: what happens to a job, when, and what comes of it."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from tfdsl.lifecycle.events import (
    TERMINATED,
    ClearTimer,
    Due,
    Event,
    Exited,
    Finish,
    Lost,
    Order,
    SetTimer,
    Split,
    Start,
    Started,
    Task,
)
from tfdsl.lifecycle.machine import DEADLINE, Machine
from tfdsl.patterns import regex
from tfdsl.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tfdsl.lifecycle.behaviour import Behaviour
    from tfdsl.lifecycle.state import Phase
    from tfdsl.vocabulary.quantities import Duration

_INJECTED: Final = regex(
    r"\s*(?:(?P<role>[a-z]+)(?:\[(?P<index>[0-9]+)\])?\s+)?"
    r"(?:exit\s+(?P<status>[0-9]+)|(?P<word>completed|pending|unknown)"
    r"|(?P<lost>evicted|preempted)(?:\s+exit\s+(?P<end>[0-9]+))?)"
    r"(?:\s+after\s+(?P<delay>[0-9]+(?:ms|s|m|h|d)))?\s*"
)
LOST: Final = ("evicted", "preempted")
_UNITS: Final = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_LONG: Final = 1000
"""Events after which a scenario is broken off: something restarts for ever."""


class Injected(Record):
    """A fault that is played ``after_ms`` from the start. ``task`` is ``None`` for ``unknown``.

    ``status``: with which the command ends, also that of a replica that is lost, on SIGTERM.
    """

    task: Task | None
    what: str
    status: int
    after_ms: int

    def event(self) -> Event | None:
        """What happens; nothing for a replica that does not start."""
        if self.task is None:
            return Split()
        if self.what == "pending":
            return None
        if self.what in LOST:
            return Lost(self.task, self.status, deleted=self.what == "preempted")
        return Exited(self.task, self.status)


def parse(text: str) -> Injected | str:
    """``worker[1] exit 137 after 20s``, ``ps[0] evicted``, ``worker[0] pending``, ``unknown``; or what is wrong.

    ``evicted``: by its node, which is short of memory or lost; ``preempted``: by a pod of more priority or a drain,
    which delete the pod. ``worker[1] evicted exit 0``: its command ends with 0 on SIGTERM, and not with 143.
    """
    found = _INJECTED.fullmatch(text)
    if found is None:
        words = "exit STATUS, evicted, preempted, completed or pending"
        return f"write ROLE[INDEX] {words}, or unknown, and after TIME behind it"
    what = "exit" if found["status"] is not None else found["word"] or found["lost"]
    delay = found["delay"] or "0s"
    number = delay.rstrip("dhms")
    after = int(number) * _UNITS[delay[len(number) :]]
    if what == "unknown":
        return "unknown is about the whole job" if found["role"] else Injected(None, what, 0, after)
    if found["role"] is None:
        return f"{what} needs a replica: worker[0] {text.strip()}"
    status = int(found["status"] or found["end"] or (TERMINATED if what in LOST else 0))
    if status > 255:
        return "an exit status is at most 255"
    return Injected(Task(found["role"], int(found["index"] or 0)), what, status, after)


class Left(Record):
    """A replica at the end: its phase, how many pods it has had, and how often it was restarted in place."""

    task: Task
    phase: Phase
    starts: int
    restarts: int
    status: int | None


class Prediction(Record):
    """What comes of a scenario. ``outcome``: ``None`` when the job still runs; ``story``: what happened, in order.

    ``removed_after``: how long what is left stays after the end; ``None``: until somebody deletes it. ``parts``: of a
    job that a target makes several objects of, what has become of each; ``None``: it still runs.
    """

    outcome: str | None
    cause: str
    replicas: tuple[Left, ...]
    retries: int
    story: tuple[str, ...]
    removed_after: Duration | None = None
    parts: Mapping[str, str | None] = {}

    def left(self) -> dict[str, str]:
        """Task → phase of the replicas of which something is left."""
        return {str(one.task): one.phase for one in self.replicas if one.phase not in ("gone", "lost", "waiting")}


def play(behaviour: Behaviour, injected: Sequence[Injected], *, finish: bool = True) -> Prediction:
    """What becomes of the job of ``behaviour`` when ``injected`` happens.

    A replica runs one millisecond after it was started, unless it is injected to stay ``pending``. ``finish``: when
    everything has happened, the commands that still run and that the end waits for complete, before any deadline;
    otherwise they run for ever.
    """
    return _Play(behaviour, injected).run(finish=finish)


class _Play:
    def __init__(self, behaviour: Behaviour, injected: Sequence[Injected]) -> None:
        self.machine = Machine(behaviour)
        self.stuck = {one.task for one in injected if one.what == "pending"}
        self.queue: list[tuple[int, int, Event]] = []
        self.number = 0
        self.now = 0
        self.timers: dict[str, int] = {}
        self.story: list[str] = []
        for one in injected:
            event = one.event()
            if event is not None:
                self._add(max(one.after_ms, 2), event)

    def run(self, *, finish: bool) -> Prediction:
        self._obey(self.machine.begin())
        self._drain(deadlines=not finish)
        if finish:
            self._complete()
            self._drain(deadlines=True)
        state = self.machine.state
        replicas = tuple(
            Left(task, one.phase, one.starts, one.restarts, one.status) for task, one in state.replicas.items()
        )
        end = state.finish
        return Prediction(
            end.outcome if end is not None else None,
            end.cause if end is not None else "the job still runs",
            replicas,
            state.retries,
            tuple(self.story),
            self.machine.behaviour.removed_after(end.outcome) if end is not None else None,
            {part: _outcome(state.parts.get(part)) for part in self.machine.behaviour.parts()},
        )

    def _complete(self) -> None:
        """Let the running commands end well, one after the other, parameter servers and TensorBoard last of all."""
        for _ in range(_LONG):
            running = [task for task, one in self.machine.state.replicas.items() if one.phase == "running"]
            ends = [task for task in running if task.role not in ("ps", "tensorboard")]
            if self.machine.state.finish is not None or not ends:
                return
            self._add(self.now + 1, Exited(ends[0], 0))
            self._drain(deadlines=False)

    def _drain(self, *, deadlines: bool) -> None:
        """Let happen what is to happen; without ``deadlines`` these stay where they are."""
        later: list[tuple[int, int, Event]] = []
        for _ in range(_LONG):
            if not self.queue or self.machine.state.finish is not None:
                break
            when, number, event = heapq.heappop(self.queue)
            if isinstance(event, Due) and self.timers.get(event.timer) != when:
                continue
            if isinstance(event, Due) and event.timer.startswith(DEADLINE) and not deadlines:
                later.append((when, number, event))
                continue
            self.now = max(self.now, when)
            if isinstance(event, Exited) and self._starts(event.task):
                self.story.append(f"{event.task} does not run yet, so it cannot exit")
                continue
            self._tell(event)
            self._obey(self.machine.step(event))
        else:
            self.story.append("and so on, for ever")
        for one in later:
            heapq.heappush(self.queue, one)

    def _starts(self, task: Task) -> bool:
        replica = self.machine.state.replicas.get(task)
        return replica is not None and replica.phase == "pending"

    def _obey(self, orders: Iterable[Order]) -> None:
        for order in orders:
            if isinstance(order, Start):
                if order.task not in self.stuck:
                    self._add(self.now + 1, Started(order.task))
            elif isinstance(order, SetTimer):
                self.timers[order.timer] = self.now + order.ms
                self._add(self.now + order.ms, Due(order.timer))
            elif isinstance(order, ClearTimer):
                self.timers.pop(order.timer, None)
            elif isinstance(order, Finish):
                self.story.append(f"{order.part or 'the job'} has {order.outcome}: {order.cause}")

    def _tell(self, event: Event) -> None:
        if isinstance(event, Exited):
            self.story.append(f"{event.task} exits {event.status}")
        elif isinstance(event, Lost):
            self.story.append(f"{event.task} is {'preempted' if event.deleted else 'lost'}")
        elif isinstance(event, Due):
            self.story.append(f"{event.timer} is due")

    def _add(self, when: int, event: Event) -> None:
        heapq.heappush(self.queue, (when, self.number, event))
        self.number += 1


def _outcome(finish: Finish | None) -> str | None:
    return None if finish is None else finish.outcome
