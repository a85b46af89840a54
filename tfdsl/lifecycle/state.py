"""What is known of a job at one moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from tfdsl.lifecycle.events import Finish, Task

if TYPE_CHECKING:
    from tfdsl.ir.model import Job

Phase: TypeAlias = Literal["waiting", "pending", "running", "succeeded", "failed", "lost", "stopped", "gone"]
"""Of a replica. ``waiting``: for the roles of its ``after``; ``pending``: started, but its command does not run yet;
``stopped``: by the end of the job or of its role, ``gone``: so that nothing of it is left."""

ALIVE: tuple[Phase, ...] = ("pending", "running")
ENDED: tuple[Phase, ...] = ("succeeded", "failed", "lost", "stopped", "gone")

_IGNORED = "ignored"
_ARRIVED = "arrived"
_READY = "ready"


class Replica:
    """One replica.

    ``starts``: how many pods it has had; ``restarts``: how often its command was started again in place; ``status``:
    with which its command ended last. ``arrived``: what was started last is there, though its command may not run yet.
    ``numbers``: how many replicas of its role are in each phase, have arrived and so on, which it keeps.
    """

    __slots__ = ("_arrived", "_ignored", "_numbers", "_phase", "restarts", "starts", "status")

    def __init__(self, numbers: dict[str, int]) -> None:
        self._numbers = numbers
        self._phase: Phase = "waiting"
        self._ignored = self._arrived = False
        self._count("waiting", 1)
        self.starts = 0
        self.restarts = 0
        self.status: int | None = None

    @property
    def phase(self) -> Phase:
        """Where it is in its life."""
        return self._phase

    @phase.setter
    def phase(self, phase: Phase) -> None:
        self._count(self._phase, -1)
        self._count(phase, 1)
        if self._arrived:
            self._count(_READY, (phase == "pending") - (self._phase == "pending"))
        self._phase = phase

    @property
    def ignored(self) -> bool:
        """Whether it failed and counts as ended."""
        return self._ignored

    @ignored.setter
    def ignored(self, ignored: bool) -> None:
        self._count(_IGNORED, int(ignored) - int(self._ignored))
        self._ignored = ignored

    @property
    def arrived(self) -> bool:
        """Whether what was started last is there, though its command may not run yet."""
        return self._arrived

    @arrived.setter
    def arrived(self, arrived: bool) -> None:
        change = int(arrived) - int(self._arrived)
        self._count(_ARRIVED, change)
        if self._phase == "pending":
            self._count(_READY, change)
        self._arrived = arrived

    @property
    def alive(self) -> bool:
        """Whether it runs or will."""
        return self._phase in ALIVE

    @property
    def generation(self) -> int:
        """Which start of its command this is, counted over pods and restarts in place."""
        return self.starts + self.restarts

    def _count(self, what: str, change: int) -> None:
        self._numbers[what] = self._numbers.get(what, 0) + change


class State:
    """A job. ``retries``: how many restarts have been used; ``counts``: those of a target's own counters.

    ``parts``: those that have ended, of a job that is several objects.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.replicas: dict[Task, Replica] = {}
        self._of: dict[str, list[tuple[Task, Replica]]] = {}
        self._numbers: dict[str, dict[str, int]] = {}
        for role in job.roles:
            numbers = self._numbers[role.name] = {}
            tasks = [(Task(role.name, index), Replica(numbers)) for index in range(role.replicas)]
            self._of[role.name] = tasks
            self.replicas.update(tasks)
        self.retries = 0
        self.counts: dict[str, int] = {}
        self.finish: Finish | None = None
        self.parts: dict[str, Finish] = {}

    def of(self, role: str) -> Sequence[tuple[Task, Replica]]:
        """The replicas of ``role``."""
        return self._of.get(role, ())

    def number(self, role: str, *phases: Phase) -> int:
        """How many replicas of ``role`` are in one of ``phases``; costs the same for four thousand as for one."""
        numbers = self._numbers.get(role, {})
        return sum(numbers.get(phase, 0) for phase in phases)

    def total(self, *phases: Phase) -> int:
        """The same of all roles."""
        return sum(self.number(role, *phases) for role in self._numbers)

    def all_in(self, role: str, *phases: Phase) -> bool:
        """Whether every replica of ``role`` is in one of ``phases``; not of a role that has none."""
        replicas = len(self.of(role))
        return replicas > 0 and self.number(role, *phases) == replicas

    def all_arrived(self, role: str) -> bool:
        """Whether every replica of ``role`` has arrived."""
        return self._kept(role, _ARRIVED) == len(self.of(role))

    def ready(self, role: str) -> int:
        """How many replicas of ``role`` have arrived, but their commands do not run yet."""
        return self._kept(role, _READY)

    def ended_well(self, role: str) -> int:
        """How many replicas of ``role`` have succeeded, or have failed and count as ended."""
        return self.number(role, "succeeded") + self._kept(role, _IGNORED)

    def count(self, counter: str) -> int:
        """One more of ``counter``; gives how many there are now."""
        self.counts[counter] = self.counts.get(counter, 0) + 1
        return self.counts[counter]

    def _kept(self, role: str, what: str) -> int:
        return self._numbers.get(role, {}).get(what, 0)
