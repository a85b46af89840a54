"""Restarts on this machine: when a command starts again in place, and what no restart can mend."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tfdsl.lifecycle.behaviour import RESTARTS, SELF_CONTAINED, Behaviour, Decision

if TYPE_CHECKING:
    from tfdsl.ir.model import Job
    from tfdsl.lifecycle.events import Task
    from tfdsl.lifecycle.state import State

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
            return Decision("ignore" if task.role in SELF_CONTAINED else "fail job", f"{task} could not be started")
        return decision
