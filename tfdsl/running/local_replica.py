"""One replica: its steps in their order, its command, and how all of it is stopped."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Final

from tfdsl.lifecycle.events import Event, Exited, Lost, Started, Task, Way
from tfdsl.running.ending import length
from tfdsl.running.statuses import described
from tfdsl.running.tensorflow import BOARD, listens

if TYPE_CHECKING:
    from tfdsl.running.launch import Ended, Running
    from tfdsl.running.local_job import LocalJob
    from tfdsl.running.plan import Program, Replica
    from tfdsl.running.restarts import Backoff

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
        """Its name."""
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
