"""One job as processes: the machine of its life is told what happens to them, and they do what it orders."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from tfdsl.ir.policies import SELF_CONTAINED
from tfdsl.lifecycle.events import (
    ClearTimer,
    Due,
    Event,
    Exited,
    Finish,
    Lost,
    Order,
    SetTimer,
    Start,
    Started,
    Stop,
    Task,
)
from tfdsl.lifecycle.machine import Machine
from tfdsl.record import Record
from tfdsl.running.ending import length
from tfdsl.running.injected import Faults
from tfdsl.running.launch import Ended, Launch
from tfdsl.running.local_replica import LocalReplica
from tfdsl.running.output import Lines
from tfdsl.running.restarts import FIRST_PAUSE, Backoff, Here
from tfdsl.running.statuses import described

if TYPE_CHECKING:
    from tfdsl.ir.model import Job
    from tfdsl.lifecycle.faults import Injected
    from tfdsl.running.loop import Loop
    from tfdsl.running.plan import Program, Replica
    from tfdsl.running.screen import Screen
    from tfdsl.running.supervisor import Supervisor
    from tfdsl.running.timers import Timers

AT_ONCE: Final = 1 << 18
"""Bytes that are read of one process before the others have their turn."""
_MOST_READS: Final = 8
"""Turns for what a process has left in its pipe, which can be as large as the system lets it."""


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


class _Pipe(Record):
    """What one process writes, on its way."""

    program: Program
    task: Task
    generation: int
    descriptor: int

    @property
    def key(self) -> tuple[str, int]:
        """Its name among the pipes of a job."""
        return self.program.name, self.generation


class LocalJob:
    """The run of one job. ``result`` is there when it has ended and none of its processes is left."""

    def __init__(
        self,
        job: Job,
        replicas: Sequence[Replica],
        launch: Callable[[Replica, Program, int], Launch],
        supervisor: Supervisor,
        screen: Screen,
        watch: Loop,
        timers: Timers,
        injected: Sequence[Injected] = (),
        restart_delay: float = FIRST_PAUSE,
    ) -> None:
        self.job = job
        self._behaviour = Here(job)
        self.machine = Machine(self._behaviour)
        self.replicas = {plan.task: LocalReplica(plan, self) for plan in replicas}
        self.result: Result | None = None
        self._launch = launch
        self._supervisor = supervisor
        self._screen = screen
        self._watch = watch
        self._timers = timers
        self._restart_delay = restart_delay
        self._finish: Finish | None = None
        self._began = timers.now()
        self._generation = 0
        self._pipes: dict[tuple[str, int], _Pipe] = {}
        self._lines: dict[str, Lines] = {}
        self._named = {
            program.name: one for one in self.replicas.values() for program in (*one.plan.steps, one.plan.command)
        }
        self._faults = Faults(job, injected)

    # --- from outside ---

    def begin(self) -> None:
        """Start the job."""
        self._watch.add(self._supervisor.fileno(), self._supervised)
        for number, (seconds, events) in enumerate(self._faults.timed):
            self._timers.set((self, "inject", number), seconds, partial(self._inject, events))
        self._obey(self.machine.begin())
        self._end_if_all_has_ended()

    def interrupt(self, cause: str, *, now: bool = False) -> None:
        """End the job because of ``cause``: politely, or ``now``."""
        if self._finish is None:
            self._finished(Finish("aborted", cause, None))
        for replica in self.replicas.values():
            if now:
                replica.kill()
            else:
                replica.stop()
        self._end_if_all_has_ended()

    def fail(self, cause: str) -> None:
        """End the job as failed because of ``cause``."""
        if self._finish is None:
            self._finished(Finish("failed", cause, None))
        self._end_if_all_has_ended()

    def wake(self) -> None:
        """Let the supervisor go on if it was stopped."""
        self._supervisor.wake()

    def close(self) -> None:
        """End everything at once, whatever state it is in."""
        self._supervisor.close()
        for pipe in self._pipes.values():  # nobody may be left to read what is in them
            self._watch.remove(pipe.descriptor)
            os.close(pipe.descriptor)
        self._pipes.clear()

    # --- of its replicas ---

    def start(self, replica: LocalReplica, program: Program) -> int:
        """Start one process; gives the generation by which its end is known."""
        self._generation += 1
        reading, writing = os.pipe()
        try:
            os.set_blocking(reading, False)
            _widen(writing)
            self._supervisor.start(self._launch(replica.plan, program, replica.pod), self._generation, writing)
        finally:
            os.close(writing)
        pipe = _Pipe(program, replica.task, self._generation, reading)
        self._pipes[pipe.key] = pipe
        self._lines.setdefault(program.name, Lines())
        self._watch.add(reading, partial(self._read, pipe))
        return self._generation

    def signal(self, program: Program, number: int) -> None:
        """Send a signal to all processes of ``program``."""
        self._supervisor.signal(program.name, number)

    def give_up(self) -> bool:
        """End everything without the supervisor, unless that may only be busy for others; whether it was done."""
        if self._finish is None and not self._supervisor.is_stopped():
            return False
        self.tell("the supervisor of the run does not answer and is killed")
        self._supervisor.end()
        self._supervised()
        return True

    def happened(self, event: Event) -> None:
        """Tell the machine, and do what it orders."""
        self._show(event)
        if self._finish is None:
            self._obey(self.machine.step(event))
        elif not isinstance(event, Due):
            self.machine.step(event)  # it keeps the phases of what is left
        for task in list(self.machine.began):
            for seconds, fault in self._faults.from_start(task):
                self._timers.set((self, "inject", task), seconds, partial(self._inject, (fault,)))

    def later(self, key: tuple[str, str], seconds: float, replica: LocalReplica) -> None:
        """Call ``replica.due(key)`` in so many seconds."""
        self._timers.set((self, *key), seconds, partial(replica.due, key[1]))

    def forget(self, key: tuple[str, str]) -> None:
        """Do not."""
        self._timers.clear((self, *key))

    def not_here(self, task: Task) -> None:
        """The program of ``task`` is not on this machine."""
        self._behaviour.not_here.add(task)

    def backoff(self) -> Backoff:
        """The pauses before the restarts of one program."""
        return Backoff(self._restart_delay, self._timers.now)

    def tell(self, text: str) -> None:
        """Say a line about the run."""
        self._screen.notice(text)

    # --- what happens ---

    def _supervised(self) -> None:
        for event in self._supervisor.events():
            replica = self._named.get(event.name)
            if replica is None:
                continue
            if isinstance(event, Ended):
                pipe = self._pipes.get((event.name, event.generation))
                if pipe is not None:
                    self._drain(pipe)
                replica.ended(event)
            else:
                replica.started(event)
        self._end_if_all_has_ended()

    def _inject(self, events: Sequence[Event]) -> None:
        """Let faults happen, those of one line at once."""
        for event in events if self._finish is None else ():
            if not isinstance(event, Exited | Lost):
                self.tell("injected: part of the gang cannot be placed")
                self.happened(event)
            elif self.replicas[event.task].can_play(event):
                self.replicas[event.task].play(event)
            else:
                self.tell(f"{event.task} does not run: what was injected has no effect")
        self._end_if_all_has_ended()

    # --- what the machine orders ---

    def _obey(self, orders: Sequence[Order]) -> None:
        for order in orders:
            if isinstance(order, Start):
                self._start(order)
            elif isinstance(order, Stop):
                self.replicas[order.task].stop()
            elif isinstance(order, SetTimer):
                due = partial(self._due, order.timer)
                self._timers.set((self, "machine", order.timer), order.ms / 1000, due)
            elif isinstance(order, ClearTimer):
                self._timers.clear((self, "machine", order.timer))
            else:
                self._finished(order)
        self._screen.changed()

    def _start(self, order: Start) -> None:
        replica = self.replicas[order.task]
        pause = replica.pause(order.way)
        if order.way != "first":
            how = "in place" if order.way == "container" else "from scratch"
            when = f" in {length(pause)}" if pause else ""
            left = f" ({self.machine.state.retries} of {self.job.retries} retries used)"
            self.tell(f"{order.task} restarts {how}{when}{'' if order.task.role in SELF_CONTAINED else left}")
        if order.task in self._faults.stuck:
            self.tell(f"{order.task} is not started: pending was injected")
        else:
            replica.start(order.way, pause)

    def _due(self, timer: str) -> None:
        self._obey(self.machine.step(Due(timer)))
        self._end_if_all_has_ended()

    def _finished(self, finish: Finish) -> None:
        self._finish = finish
        for replica in self.replicas.values():  # also those that cleanup = "none" would leave on a cluster
            replica.stop()

    def _end_if_all_has_ended(self) -> None:
        finish = self._finish
        if finish is None or self.result is not None or any(one.running for one in self.replicas.values()):
            return
        last: tuple[bytes, ...] = ()
        if finish.task is not None:
            lines = self._lines.get(self.replicas[finish.task].last_name)
            last = tuple(lines.last) if lines is not None else ()
        self._watch.remove(self._supervisor.fileno())
        seconds = self._timers.now() - self._began
        self.result = Result(self.job.name, finish.outcome, finish.cause, finish.task, seconds, last)

    # --- what processes write ---

    def _read(self, pipe: _Pipe) -> bool:
        """Pass on what is there; whether more may be."""
        try:
            data = os.read(pipe.descriptor, AT_ONCE)
        except BlockingIOError:
            return False
        lines = self._lines[pipe.program.name]
        if data:
            self._screen.output(pipe.program, pipe.task, data, lines.feed(data))
            return True
        self._close(pipe)
        return False

    def _drain(self, pipe: _Pipe) -> None:
        """Read what a process has left when it ended, which is no more than a pipe holds."""
        for _ in range(_MOST_READS):
            if pipe.key not in self._pipes or not self._read(pipe):
                break
        self._close(pipe)

    def _close(self, pipe: _Pipe) -> None:
        if self._pipes.pop(pipe.key, None) is None:
            return
        self._watch.remove(pipe.descriptor)
        os.close(pipe.descriptor)
        rest = self._lines[pipe.program.name].end()
        if rest:
            self._screen.output(pipe.program, pipe.task, b"", rest)

    # --- what is said ---

    def _show(self, event: Event) -> None:
        if isinstance(event, Started):
            self._screen.changed()
        elif isinstance(event, Exited) and event.task not in self._behaviour.not_here:
            end = "has completed" if event.status == 0 else f"exited with {described(event.status)}"
            self.tell(f"{event.task} {end}")
        elif isinstance(event, Lost):
            self.tell(f"{event.task} was {'removed' if event.deleted else 'evicted'}")


def _widen(descriptor: int) -> None:
    """Let a pipe hold more, where the system can: fewer turns for the same output."""
    size = getattr(fcntl, "F_SETPIPE_SZ", None)
    if size is not None:
        try:
            fcntl.fcntl(descriptor, size, AT_ONCE)
        except OSError:  # the user has too many wide pipes
            return
