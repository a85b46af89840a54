"""One job as processes: what happens to them goes to the machine of its life, and they do what it orders.

A :class:`LocalReplica` has the steps of a replica in their order, its command, and how all of it is stopped. The
:class:`Loop` is one thread that waits for processes, their output, timers and signals.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Final

from tfdsl.ir.model import Job
from tfdsl.lifecycle.behaviour import (
    Behaviour,
    ClearTimer,
    Decision,
    Due,
    Event,
    Exited,
    Finish,
    Lost,
    Order,
    SetTimer,
    Start,
    Started,
    State,
    Stop,
    Task,
    Way,
)
from tfdsl.lifecycle.faults import Injected, Planned
from tfdsl.lifecycle.machine import Machine
from tfdsl.record import Record
from tfdsl.running.launch import Ended, Launch, Running
from tfdsl.running.plan import Program, Replica
from tfdsl.running.screen import Lines, Result, Screen, length
from tfdsl.running.supervisor import Supervisor
from tfdsl.vocabulary.quantities import Duration
from tfdsl.vocabulary.statements import RESTARTS

FIRST_PAUSE: Final = 10.0
LONGEST_PAUSE: Final = 300.0
LONG_ENOUGH: Final = 600.0
"""Seconds, as the kubelet has them (kubernetes.io, "Pod Lifecycle", "Container restart policy")."""


class Backoff:
    """The pauses before the restarts in place of one program, which double with each that ends soon.

    ``first``: the first of them that is not zero. ``now``: a clock in seconds.
    """

    def __init__(self, first: float, now: Callable[[], float]) -> None:
        self._first = first
        self._now = now
        self._next = 0.0
        self._began = now()

    def pause(self) -> float:
        """Seconds until the program, which has ended now, starts again."""
        now = self._now()
        if now - self._began >= LONG_ENOUGH:
            self._next = 0.0
        pause = self._next
        self._next = min(max(2 * pause, self._first), LONGEST_PAUSE)
        self._began = now + pause
        return pause


class Here(Behaviour):
    """The language's own meaning, but for programs that are not on this machine: ``not_here``, by replica.

    Starting them again would change nothing.
    """

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.not_here: set[Task] = set()

    def on_exit(self, task: Task, status: int, state: State) -> Decision:
        """What is done when ``task`` ends with ``status`` (1–255)."""
        decision = super().on_exit(task, status, state)
        if task in self.not_here and decision.action in RESTARTS:
            return Decision("ignore" if task.is_board else "fail job", f"{task} could not be started")
        return decision


# --- the job ---------------------------------------------------------------------------------------------------------

AT_ONCE: Final = 1 << 18
"""Bytes that are read of one process before the others have their turn."""
_MOST_READS: Final = 8
"""Turns for what a process has left in its pipe, which can be as large as the system lets it."""


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
            program.name: replica
            for replica in self.replicas.values()
            for program in (*replica.plan.steps, replica.plan.command)
        }
        self._faults = Planned(job, injected)

    # --- from outside ---

    def begin(self) -> None:
        """Start the job, and the clocks of faults that are injected at a time."""
        self._watch.add(self._supervisor.fileno(), self._supervised)
        for number, ms, events in self._faults.timed:
            self._timers.set((self, "inject", number), (ms or 0) / 1000, partial(self._inject, events))
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
            for _, ms, what in self._faults.at_start(task):
                self._timers.set((self, "inject", task), (ms or 0) / 1000, partial(self._inject, (what,)))

    def later(self, key: tuple[str, str], seconds: float, replica: LocalReplica) -> None:
        """Call ``replica.due(key)`` in so many seconds."""
        self._timers.set((self, *key), seconds, partial(replica.due, key[1]))

    def forget(self, key: tuple[str, str]) -> None:
        """Clear the timer ``key``."""
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
                self._timers.set((self, "machine", order.timer), order.ms / 1000, partial(self._due, order.timer))
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
            self.tell(f"{order.task} restarts {how}{when}{'' if order.task.is_board else left}")
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
        if finish is None or self.result is not None or any(replica.running for replica in self.replicas.values()):
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


# --- a replica -------------------------------------------------------------------------------------------------------

BOARD: Final = "tensorboard"
"""A program, and the package that brings it: since 2.21, TensorFlow's does not."""
PATIENCE: Final = 15.0
"""Seconds that the supervisor has to kill a replica, before it is killed itself."""
_NOT_FOUND: Final = (126, 127)
"""Statuses of a command that did not start because its program is not there, or cannot be executed."""
_LOOK_AGAIN: Final = 0.25
"""Seconds between two looks whether a program listens."""


class LocalReplica:
    """The processes of one replica.

    ``running``: programs that run, by the name of their launch, each with its generation. ``pod``: how many times the
    replica had to begin with nothing. ``last_name``: the launch that ended last and could end the replica.
    """

    def __init__(self, plan: Replica, job: LocalJob) -> None:
        self.plan = plan
        self.job = job
        self.pod = 0
        self.running: dict[str, tuple[Program, int]] = {}
        self.last_name = plan.command.name
        self._at = 0
        """The step that is next, or that runs now if it is a prepare step."""
        self._again: Way | None = None
        self._stopping = False
        self._gone = True
        """Whether nothing is left of the pod in which the command could start again."""
        self._instead: Event | None = None
        self._backoffs: dict[str, Backoff] = {}
        self._waits = False
        """Whether the command starts again in place when a pause is over."""
        self._is_announced = False

    @property
    def task(self) -> Task:
        """The task that the replica runs."""
        return self.plan.task

    @property
    def command_runs(self) -> bool:
        """Whether the command itself runs."""
        return self.plan.command.name in self.running

    def can_play(self, event: Exited | Lost) -> bool:
        """Whether ``event`` can happen to it: it is there, its command runs, and nobody has stopped it."""
        there = self.command_runs if isinstance(event, Exited) else bool(self.running)
        return there and not self._stopping

    # --- what the machine orders ---

    def pause(self, way: Way) -> float:
        """The seconds by which a start has to wait: one in place, after a command that has ended soon."""
        return self._pause(self.plan.command) if self._is_in_place(way) else 0.0

    def start(self, way: Way, pause: float = 0.0) -> None:
        """Start it after ``pause``; when something of it has to end first, as soon as that has ended."""
        if self._is_in_place(way):
            self._waits = pause > 0
            if self._waits:
                self.job.later((str(self.task), self.plan.command.name), pause, self)
            else:
                self._advance()
            return
        if self.running:
            self.stop()
            self._again = way
        else:
            self._begin_pod()

    def stop(self) -> None:
        """Ask all of it to end, and end it when the time for that has passed."""
        self._again = None
        self._forget_pauses()
        if not self.running or self._stopping:
            return
        self._stopping = self._gone = True
        self._signal(signal.SIGTERM)
        self.job.later((str(self.task), "kill"), self.plan.grace_ms / 1000, self)

    def kill(self) -> None:
        """End all of it now."""
        self._again = None
        self._forget_pauses()
        self._stopping = bool(self.running)
        self._gone = True
        self._kill()

    def play(self, event: Exited | Lost) -> None:
        """Let ``event`` happen: end what runs, and report it instead of what has ended it."""
        self._instead = event
        if isinstance(event, Lost):
            self.kill()
        else:
            for program, _ in list(self.running.values()):
                if program.kind != "sidecar":
                    self.job.signal(program, signal.SIGKILL)

    # --- what happens ---

    def started(self, begin: Running) -> None:
        """The process of a launch runs."""
        _, generation = self.running.get(begin.name, (None, 0))
        if begin.name == self.plan.command.name and generation == begin.generation and not self._stopping:
            self.job.happened(Started(self.task))
            if self.plan.address is not None and not self._is_announced:
                self.job.later((str(self.task), "listen"), _LOOK_AGAIN, self)

    def ended(self, end: Ended) -> None:
        """The processes of a launch have ended."""
        program, generation = self.running.get(end.name, (None, 0))
        if program is None or generation != end.generation:
            return
        del self.running[end.name]
        if program.kind != "sidecar":
            self.last_name = program.name
        if not end.started:
            self._tell_of_missing(program, end)
        elif end.why:
            self.job.tell(f"{end.name}: {end.why}")
        if self._stopping:
            self._stopped_one()
        elif program.kind == "sidecar":
            self._sidecar_ended(program, end)
        elif program.kind == "prepare" and end.status == 0 and self._instead is None:
            self._at += 1
            self._advance()
        else:
            if program.kind == "prepare" and end.started and self._instead is None:
                self.job.tell(f"prepare step {program.name} ended with {described(end.status)}")
            self._report(Exited(self.task, end.status))

    def due(self, what: str) -> None:
        """A time that :meth:`LocalJob.later` was asked for has come."""
        if what == "kill":
            self._kill()
            return
        if what == "end":
            if not self.job.give_up():
                self.job.later((str(self.task), "end"), PATIENCE, self)
        elif what == "listen":
            self._announce()
        elif what == self.plan.command.name:
            self._waits = False
            self._advance()
        else:
            program = next(step for step in self.plan.steps if step.name == what)
            if not self._stopping and program.name not in self.running:
                self._start(program)

    # --- inside ---

    def _begin_pod(self) -> None:
        self.pod += 1
        self._at = 0
        self._gone = False
        self._backoffs.clear()
        self._forget_pauses()
        self._advance()

    def _advance(self) -> None:
        """Start what comes next: sidecars at once, one prepare step, or the command."""
        while self._at < len(self.plan.steps):
            step = self.plan.steps[self._at]
            self._start(step)
            if step.kind == "prepare":
                return
            self._at += 1
        self._start(self.plan.command)

    def _start(self, program: Program) -> None:
        self.running[program.name] = program, self.job.start(self, program)

    def _stopped_one(self) -> None:
        if self.running:
            return
        self._stopping = False
        self.job.forget((str(self.task), "kill"))
        self.job.forget((str(self.task), "end"))
        event, self._instead = self._instead, None
        if event is not None:
            self.job.happened(event)
        again, self._again = self._again, None
        if again is not None:
            self.start(again)

    def _report(self, event: Event) -> None:
        """Tell the machine of the end of the command; unless it starts again in place, the sidecars end too."""
        instead, self._instead = self._instead, None
        self.job.happened(instead if instead is not None else event)
        if not (self._stopping or self.command_runs or self._prepares or self._waits):
            self.stop()

    @property
    def _prepares(self) -> bool:
        return any(program.kind == "prepare" for program, _ in self.running.values())

    def _sidecar_ended(self, program: Program, end: Ended) -> None:
        if end.started:
            pause = self._pause(program)
            when = f" in {length(pause)}" if pause else ""
            self.job.tell(f"{program.name} ended with {described(end.status)} and starts again{when}")
            self.job.later((str(self.task), program.name), pause, self)

    def _tell_of_missing(self, program: Program, end: Ended) -> None:
        """A program could not be started; the job goes on without a sidecar."""
        install = f"; install it: pip install {BOARD}" if program.argv[0] == BOARD else ""
        left_out = "; it is left out" if program.kind == "sidecar" else ""
        self.job.tell(f"{end.name} could not be started: {end.why}{install}{left_out}")
        if end.status in _NOT_FOUND and not left_out:
            self.job.not_here(self.task)

    def _announce(self) -> None:
        """Say the address as soon as something listens there."""
        if not self.command_runs or self._stopping or self.plan.address is None:
            return
        if listens(self.plan.address):
            self._is_announced = True
            self.job.tell(f"TensorBoard: {self.plan.address}")
        else:
            self.job.later((str(self.task), "listen"), _LOOK_AGAIN, self)

    def _is_in_place(self, way: Way) -> bool:
        return way == "container" and not (self._gone or self.command_runs)

    def _pause(self, program: Program) -> float:
        if program.name not in self._backoffs:
            self._backoffs[program.name] = self.job.backoff()
        return self._backoffs[program.name].pause()

    def _forget_pauses(self) -> None:
        self._waits = False
        for program in (*self.plan.steps, self.plan.command):
            self.job.forget((str(self.task), program.name))

    def _kill(self) -> None:
        if self.running:
            self._signal(signal.SIGKILL)
            self.job.later((str(self.task), "end"), PATIENCE, self)

    def _signal(self, number: int) -> None:
        for program, _ in list(self.running.values()):
            self.job.signal(program, number)


def listens(address: str) -> bool:
    """Whether something listens at ``http://HOST:PORT``, on this machine."""
    host, _, port = address.rpartition("/")[2].partition(":")
    with socket.socket() as trial:
        trial.settimeout(0.1)
        return trial.connect_ex((host, int(port))) == 0


# --- exit statuses in words ------------------------------------------------------------------------------------------

_MEANINGS: Final = {
    74: "the output could not be copied",
    75: "a peer was lost",
    76: "peers were missing at the time limit",
    77: "the coordinator turned the task away",
    126: "the command cannot be executed",
    127: "the command was not found",
}


def meaning(status: int) -> str:
    """What ``status`` says beyond its number; empty for most."""
    if status > 128:
        try:
            return f"ended by {signal.Signals(status - 128).name}"
        except ValueError:
            return ""
    return _MEANINGS.get(status, "")


def described(status: int) -> str:
    """``status 137 (ended by SIGKILL)``."""
    words = meaning(status)
    return f"status {status} ({words})" if words else f"status {status}"


ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""The signals that end a run: the first one politely, the second one at once, and SIGQUIT always at once."""


class Loop:
    """Waits for what all jobs of a run wait for. ``ended_by``: the signal that ends the run, if one came."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.timers = Timers(time.monotonic)
        self.ended_by: int | None = None
        self._tell = tell
        self._selector = selectors.DefaultSelector()
        self._running: list[LocalJob] = []
        self._late = False

    @property
    def running(self) -> Sequence[LocalJob]:
        """The jobs that run."""
        return self._running

    # --- what jobs wait for ---

    def add(self, descriptor: int, todo: Callable[[], object]) -> None:
        """Call ``todo`` whenever ``descriptor`` can be read."""
        self._selector.register(descriptor, selectors.EVENT_READ, todo)

    def remove(self, descriptor: int) -> None:
        """Stop watching ``descriptor``."""
        self._selector.unregister(descriptor)

    # --- the run ---

    def run(
        self,
        take: Callable[[], LocalJob | None],
        over: Callable[[Result], None],
        at_once: int,
        limits: Mapping[str, Duration | None],
    ) -> None:
        """Run jobs, so many ``at_once``, until none runs and there is no other.

        ``take`` makes the next job, ``None`` if there is none now; ``over`` is told how each has ended. ``limits``:
        what is called so → after which all that still run are ended.
        """
        for what, limit in limits.items():
            if limit is not None:
                self.timers.set(("limit", what), limit.ms / 1000, partial(self._time_is_up, what, limit))
        with self._signals():
            try:
                while True:
                    self._begin(take, at_once)
                    if not self._running:
                        return
                    self._turn()
                    for result in self._ended():
                        over(result)
            finally:
                for job in self._running:
                    job.close()
                self._selector.close()

    @property
    def ends(self) -> bool:
        """Whether the run is to end, so that no job begins."""
        return self.ended_by is not None or self._late

    def _begin(self, take: Callable[[], LocalJob | None], at_once: int) -> None:
        while len(self._running) < at_once and not self.ends:
            job = take()
            if job is None:
                return
            self._running.append(job)
            job.begin()

    def _turn(self) -> None:
        """Wait for something, and do what is to be done."""
        if any(job.result is not None for job in self._running):
            return
        for key, _ in self._selector.select(self.timers.wait()):
            if self._selector.get_map().get(key.fd) is key:  # what came before may have closed it
                key.data()
        self.timers.do_due()

    def _ended(self) -> list[Result]:
        done = [job for job in self._running if job.result is not None]
        self._running = [job for job in self._running if job.result is None]
        for job in done:
            job.close()
        return [job.result for job in done if job.result is not None]

    def _time_is_up(self, what: str, limit: Duration) -> None:
        self._late = True
        for job in list(self._running):
            job.fail(f"the {what} of {limit} has passed")

    # --- signals ---

    @contextmanager
    def _signals(self) -> Generator[None]:
        """Have the numbers of :data:`ENDING` written into a pipe that the loop reads."""
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)
        before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        heard = [
            number for number in (*ENDING, signal.SIGCHLD) if signal.getsignal(number) is not signal.SIG_IGN
        ]  # nohup has SIGHUP ignored
        handlers = {number: signal.signal(number, _heard) for number in heard}
        self.add(reading, lambda: self._signalled(os.read(reading, 64)))
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(before)
            os.close(reading)
            os.close(writing)

    def _signalled(self, numbers: bytes) -> None:
        for number in numbers:
            if number == signal.SIGCHLD:
                for job in self._running:
                    job.wake()
            if number not in ENDING:
                continue
            name = signal.Signals(number).name
            now = self.ended_by is not None or number == signal.SIGQUIT
            self.ended_by = self.ended_by or number
            more = "" if now else "; once more ends everything at once"
            self._tell(f"{name}: {'killing' if now else 'stopping'} what runs{more}")
            for job in list(self._running):
                job.interrupt(f"it was ended by {name}", now=now)


def _heard(number: int, frame: FrameType | None) -> None:
    """Leave a signal to the pipe, which wakes the loop."""


class Timers:
    """What is to be done later. ``now`` gives the time in seconds, of a clock that never goes back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self._queue: list[tuple[float, int]] = []
        self._set: dict[Hashable, int] = {}
        self._todo: dict[int, tuple[Hashable, Callable[[], None]]] = {}
        self._number = 0

    def set(self, key: Hashable, seconds: float, todo: Callable[[], None]) -> None:
        """Do ``todo`` in ``seconds``, instead of what ``key`` was set to before."""
        self.clear(key)
        self._number += 1
        self._set[key] = self._number
        self._todo[self._number] = key, todo
        heapq.heappush(self._queue, (self.now() + seconds, self._number))

    def clear(self, key: Hashable) -> None:
        """Forget ``key``, if it is set."""
        number = self._set.pop(key, None)
        if number is not None:
            del self._todo[number]

    def wait(self) -> float | None:
        """Seconds until the next timer is due; ``None`` without one."""
        while self._queue and self._queue[0][1] not in self._todo:
            heapq.heappop(self._queue)
        return max(0.0, self._queue[0][0] - self.now()) if self._queue else None

    def do_due(self) -> None:
        """Do what is due, in the order of time."""
        while self.wait() == 0.0:
            _, number = heapq.heappop(self._queue)
            key, todo = self._todo.pop(number)
            del self._set[key]
            todo()
