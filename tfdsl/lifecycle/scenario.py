"""Play faults: what comes of a job when they happen."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.lifecycle.behaviour import (
    Behaviour,
    ClearTimer,
    Due,
    Event,
    Exited,
    Finish,
    Lost,
    Order,
    Phase,
    SetTimer,
    Start,
    Started,
    Task,
)
from tfdsl.lifecycle.faults import Injected, Planned
from tfdsl.lifecycle.machine import DEADLINE, Machine
from tfdsl.record import Record, replace
from tfdsl.vocabulary.quantities import Duration

if TYPE_CHECKING:
    from tfdsl.ir.model import Role

_MOST: Final = 10_000
_MOST_EACH: Final = 30
"""Events, and events for each replica, after which a scenario is broken off: something restarts again and again."""
_STORY: Final = 200
"""The most lines of a story."""
_STARTED, _TIMER = -1, 1 << 30
"""What goes first of what happens at one moment; faults are in the order in which they were given."""


class Left(Record):
    """A replica at the end: its phase, how many pods it has had, and how often it was restarted in place."""

    task: Task
    phase: Phase
    starts: int
    restarts: int
    status: int | None


class Prediction(Record):
    """What comes of a scenario.

    ``outcome``: ``None`` when the job has not ended. ``story``: what happened, in order. ``unplayed``: the faults that
    could not happen, because the replica did not run by then.

    ``removed_after``: how long what is left stays after the end; ``None``: until somebody deletes it. ``parts``: of a
    job that a target makes several objects of, what has become of each; ``None``: it still runs. ``others``: what may
    come of it as well, because the order of a controller's messages decides. ``ms``: when the last thing happened, in
    milliseconds from the start of the job.
    """

    outcome: str | None
    cause: str
    replicas: tuple[Left, ...]
    retries: int
    story: tuple[str, ...]
    unplayed: tuple[str, ...] = ()
    removed_after: Duration | None = None
    parts: Mapping[str, str | None] = {}
    others: tuple[Prediction, ...] = ()
    ms: int = 0

    def left(self) -> dict[str, str]:
        """Task → phase of the replicas of which something is left; what its node has evicted is left as failed."""
        return {
            str(replica.task): "failed" if replica.phase == "lost" else replica.phase
            for replica in self.replicas
            if replica.phase not in ("gone", "waiting")
        }

    @property
    def seen(self) -> tuple[object, ...]:
        """What an onlooker sees of it, to be compared."""
        again = [(replica.starts, replica.restarts) for replica in self.replicas]
        return self.outcome, tuple(again), tuple(self.left().items()), tuple(self.parts.items())


def play(behaviour: Behaviour, injected: Sequence[Injected], *, finish: bool = True) -> Prediction:
    """What becomes of the job of ``behaviour`` when ``injected`` happens.

    A replica runs one millisecond after it was started, unless it is injected to stay ``pending``. ``finish``: when
    everything has happened, the commands that end by themselves complete, before any deadline; otherwise they run for
    ever.
    """
    first = _Play(behaviour, injected)
    prediction = first.run(finish=finish)
    others: dict[object, Prediction] = {prediction.seen: prediction}
    for rare in sorted(first.state.asked):
        other = _Play(behaviour, injected, (rare,)).run(finish=finish)
        others.setdefault(other.seen, other)
    return replace(prediction, others=tuple(others.values())[1:])


def can_happen(fault: Injected, behaviour: Behaviour) -> bool:
    """Whether there is such a thing where a job lives so."""
    return fault.what != "time limit" or behaviour.limits_time


class _Happening(Record):
    """An event at its time. ``generation``: of the replica that it is meant for; 0 for whichever is there."""

    event: Event
    generation: int = 0
    fault: int | None = None


class _Play:
    def __init__(self, behaviour: Behaviour, injected: Sequence[Injected], rare: Collection[str] = ()) -> None:
        self.machine = Machine(behaviour, rare)
        self.state = self.machine.state
        self.injected = injected
        self.queue: list[tuple[int, int, int, tuple[_Happening, ...]]] = []
        self.number = 0
        self.now = 0
        self.room = _MOST + _MOST_EACH * len(self.state.replicas)
        self.timers: dict[str, int] = {}
        self.story: list[str] = []
        self.planned = Planned(behaviour.job, injected)
        self.happened = {at for at, fault in enumerate(injected) if fault.what in ("pending", "unknown")}
        for at, ms, events in self.planned.timed:
            if can_happen(injected[at], behaviour):
                self._add(2 if ms is None else ms, at, *(_Happening(event, 0, at) for event in events))

    def run(self, *, finish: bool) -> Prediction:
        self._obey(self.machine.begin())
        while self._drain(finish=finish) and finish and self._complete():
            continue
        end = self.state.finish
        replicas = tuple(
            Left(task, replica.phase, replica.starts, replica.restarts, replica.status)
            for task, replica in self.state.replicas.items()
        )
        return Prediction(
            end.outcome if end is not None else None,
            end.cause if end is not None else self._why_not(),
            replicas,
            self.state.retries,
            tuple(self.story),
            tuple(injected.text for at, injected in enumerate(self.injected) if at not in self.happened),
            self.machine.behaviour.removed_after(end.outcome) if end is not None else None,
            {part: _outcome(self.state.parts.get(part)) for part in self.machine.behaviour.parts()},
            ms=self.now,
        )

    # --- what happens, in order ---

    def _drain(self, *, finish: bool) -> bool:
        """Let everything happen that is to come; whether the job goes on then."""
        while self.queue and self._goes_on():
            when, _, _, happenings = self.queue[0]
            if all(self._is_over(happening.event, when) for happening in happenings):
                heapq.heappop(self.queue)
                continue
            if finish and self._only_deadline(happenings) and self._complete():
                continue
            heapq.heappop(self.queue)
            self.now = when
            self._happen([*happenings, *self._others_of_the_moment(happenings[0], when)])
        return self._goes_on()

    def _others_of_the_moment(self, first: _Happening, when: int) -> Iterator[_Happening]:
        """The other faults, or deadlines of replicas, at the time of ``first``."""
        kind = _kind(first)
        while kind and self.queue and self.queue[0][0] == when and _kind(self.queue[0][3][0]) == kind:
            yield from (
                happening for happening in heapq.heappop(self.queue)[3] if not self._is_over(happening.event, when)
            )

    def _goes_on(self) -> bool:
        return self.state.finish is None and self.room > 0

    def _happen(self, at_once: Iterable[_Happening]) -> None:
        """Let happen what can, once to each replica, and not to one that has been replaced since it was planned."""
        events: dict[object, Event] = {}
        for happening in at_once:
            generation = self._generation(happening.event)
            about = self._about(happening.event)
            if generation is None or happening.generation not in (0, generation) or about in events:
                continue
            self.room -= 1
            if happening.fault is not None:
                self.happened.add(happening.fault)
            self._tell(happening.event)
            events[about] = happening.event
        self._obey(self.machine.step(*events.values()))
        for task in list(self.machine.began):
            self._plan_from_start(task)

    def _about(self, event: Event) -> object:
        """What ``event`` happens to: a replica, a sidecar of it, a timer, or the job."""
        if isinstance(event, Exited) and event.step and not self.planned.is_prepare(event):
            return event.task, event.step
        return event.timer if isinstance(event, Due) else getattr(event, "task", None)

    def _generation(self, event: Event) -> int | None:
        """Which start of its replica an event is about; ``None`` when it cannot happen to the replica now."""
        if isinstance(event, Started | Exited | Lost):
            replica = self.state.replicas[event.task]
            runs = isinstance(event, Exited) and not self.planned.is_prepare(event)
            there = replica.phase == "running" if runs else replica.alive
            return replica.generation if there else None
        return 0

    def _is_over(self, event: Event, when: int) -> bool:
        """Whether a timer has been cleared or set anew."""
        return isinstance(event, Due) and self.timers.get(event.timer) != when

    def _only_deadline(self, happenings: tuple[_Happening, ...]) -> bool:
        """Whether nothing is to come but deadlines, before which a job is taken to complete."""
        if not _is_deadline(happenings[0].event):
            return False
        later = ((other.event, when) for when, _, _, others in self.queue[1:] for other in others)
        return all(_is_deadline(event) or self._is_over(event, when) for event, when in later)

    def _complete(self) -> bool:
        """Let the commands that run and that end by themselves do so, in order; whether there is one."""
        behaviour = self.machine.behaviour
        running = [task for task, replica in self.state.replicas.items() if replica.phase == "running"]
        ends = [task for task in running if ends_by_itself(behaviour.role(task))]
        for task in ends:
            self._add(self.now + 1, 0, _Happening(Exited(task, 0), self.state.replicas[task].generation))
        return bool(ends)

    def _why_not(self) -> str:
        """Why the job has not ended."""
        if self.room <= 0:
            restarts = sum(max(replica.starts - 1, 0) + replica.restarts for replica in self.state.replicas.values())
            return f"something still restarts after {restarts:,} restarts"
        waiting = [task for task, replica in self.state.replicas.items() if replica.phase == "pending"]
        if waiting:
            return f"{waiting[0]} has not started, and nothing limits the wait"
        return "the job still runs"

    # --- orders and faults ---

    def _obey(self, orders: Iterable[Order]) -> None:
        for order in orders:
            if isinstance(order, Start):
                self._start(order)
            elif isinstance(order, SetTimer):
                self.timers[order.timer] = self.now + order.ms
                self._add(self.now + order.ms, _TIMER, _Happening(Due(order.timer)))
            elif isinstance(order, ClearTimer):
                self.timers.pop(order.timer, None)
            elif isinstance(order, Finish):
                self._note(f"{order.part or 'the job'} has {order.outcome}: {order.cause}")

    def _start(self, order: Start) -> None:
        if order.way != "first":
            self._note(f"{order.task} starts again {'in place' if order.way == 'container' else 'in a new pod'}")
        generation = self.state.replicas[order.task].generation
        prepared = self.planned.at_preparation(order.task)
        if prepared is not None:
            at, ms, event = prepared
            self._add(self.now + (ms or 1), at, _Happening(event, generation, at))
        elif order.task not in self.planned.stuck:
            self._add(self.now + 1, _STARTED, _Happening(Started(order.task), generation))

    def _plan_from_start(self, task: Task) -> None:
        """Plan the next faults of a replica that runs now."""
        replica = self.state.replicas[task]
        for at, ms, event in self.planned.at_start(task) if replica.phase == "running" else ():
            self._add(self.now + (ms or 1), at, _Happening(event, replica.generation, at))

    def _add(self, when: int, rank: int, *happenings: _Happening) -> None:
        heapq.heappush(self.queue, (when, rank, self.number, happenings))
        self.number += 1

    # --- the story ---

    def _tell(self, event: Event) -> None:
        if isinstance(event, Exited):
            self._note(f"{event.task}{event.step and '/'}{event.step} exits {event.status}")
        elif isinstance(event, Lost):
            self._note(f"{event.task} is {'preempted' if event.deleted else 'lost'}")
        elif isinstance(event, Due):
            self._note(f"{event.timer} is due")

    def _note(self, line: str) -> None:
        if len(self.story) < _STORY:
            self.story.append(line)
        elif len(self.story) == _STORY:
            self.story.append("and so on")


def _kind(happening: _Happening) -> str:
    """What is one step with others of its kind at one moment; empty for what happens alone."""
    if happening.fault is not None:
        return "fault"
    event = happening.event
    return DEADLINE if isinstance(event, Due) and event.timer.startswith(f"{DEADLINE} ") else ""


def _is_deadline(event: Event) -> bool:
    return isinstance(event, Due) and event.timer.startswith(DEADLINE)


def _outcome(finish: Finish | None) -> str | None:
    return None if finish is None else finish.outcome


def ends_by_itself(role: Role) -> bool:
    """Whether the command of ``role`` ends when the training is done; servers and TensorBoard run on."""
    return role.name not in ("ps", "tensorboard") and not role.server
