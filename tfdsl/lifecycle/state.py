"""What is known of a job at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.ir.model import Job
    from tfdsl.lifecycle.events import Finish, Task

Phase: TypeAlias = Literal["waiting", "pending", "running", "succeeded", "failed", "lost", "stopped", "gone"]
"""Of a replica. ``waiting``: for the roles of its ``after``; ``pending``: started, but its command does not run yet;
``stopped``: by the end of the job or of its role, ``gone``: so that nothing of it is left."""

ALIVE: tuple[Phase, ...] = ("pending", "running")
ENDED: tuple[Phase, ...] = ("succeeded", "failed", "lost", "stopped", "gone")


class Replica:
    """One replica.

    ``starts``: how many pods it has had; ``restarts``: how often its command was started again in place; ``status``:
    with which its command ended last. ``ignored``: it failed, and counts as ended. ``arrived``: what was started
    last is there, though its command may not run yet.
    """

    def __init__(self) -> None:
        self.phase: Phase = "waiting"
        self.starts = 0
        self.restarts = 0
        self.status: int | None = None
        self.ignored = False
        self.arrived = False

    @property
    def alive(self) -> bool:
        """Whether it runs or will."""
        return self.phase in ALIVE


class State:
    """A job. ``retries``: how many restarts have been used; ``counts``: those of a target's own counters.

    ``parts``: those that have ended, of a job that is several objects.
    """

    def __init__(self, job: Job) -> None:
        from tfdsl.lifecycle.events import Task

        self.job = job
        self.replicas: dict[Task, Replica] = {
            Task(role.name, index): Replica() for role in job.roles for index in range(role.replicas)
        }
        self._of: dict[str, list[tuple[Task, Replica]]] = {}
        for task, replica in self.replicas.items():
            self._of.setdefault(task.role, []).append((task, replica))
        self.retries = 0
        self.counts: dict[str, int] = {}
        self.finish: Finish | None = None
        self.parts: dict[str, Finish] = {}

    def of(self, role: str) -> Sequence[tuple[Task, Replica]]:
        """The replicas of ``role``."""
        return self._of.get(role, ())

    def count(self, counter: str) -> int:
        """One more of ``counter``; gives how many there are now."""
        self.counts[counter] = self.counts.get(counter, 0) + 1
        return self.counts[counter]
