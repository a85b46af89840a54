"""How the tasks of a job begin on YARN, where all containers are requested at once and find each other themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from tfdsl.ir.model import Job, Role
from tfdsl.lifecycle.behaviour import Behaviour, Outcome, State, Task
from tfdsl.vocabulary.quantities import Duration


class Meeting(Behaviour):
    """Commands begin when all tasks whose addresses they need are there.

    ``awaited``: the roles whose tasks must all be there; ``waiting``: those whose commands wait for them; ``after``:
    role → the roles whose commands must run before its own.
    """

    limits_time = evicted_stay = False

    def __init__(
        self, job: Job, *, awaited: Collection[str], waiting: Collection[str], after: Mapping[str, Sequence[str]]
    ) -> None:
        super().__init__(job)
        self.awaited, self.waiting, self.after = awaited, waiting, after

    def may_start(self, role: Role, state: State) -> bool:
        """The containers of all roles are requested at once, whatever the order of their commands."""
        return True

    def begins(self, task: Task, state: State) -> Iterable[Task]:
        """The commands that can start, because everything they wait for has happened."""
        met = self.have_met(state)
        begun: dict[str, Sequence[Task]] = {}
        roles = [role.name for role in self.job.roles if met or role.name not in self.waiting]
        for _ in roles:  # each round may start roles that wait for those of the round before
            for role in roles:
                if role not in begun and all(self._runs(before, state, begun) for before in self.after.get(role, ())):
                    begun[role] = self._ready(role, task, state)
        return [other for tasks in begun.values() for other in tasks]

    @staticmethod
    def _ready(role: str, task: Task, state: State) -> Sequence[Task]:
        """The replicas of ``role`` that have arrived, of which ``task`` is the last, and whose commands do not run."""
        ready = state.ready(role)
        if ready <= 1 and (not ready or task.role == role):  # of thousands mostly none or this one
            return [task] * ready
        return [other for other, replica in state.of(role) if replica.phase == "pending" and replica.arrived]

    def have_met(self, state: State) -> bool:
        """Whether all tasks that others wait for are there, or were."""
        return all(state.all_arrived(role) for role in self.awaited)

    @staticmethod
    def _runs(role: str, state: State, begun: Mapping[str, Sequence[Task]]) -> bool:
        """Whether the commands of all tasks of ``role`` run, or have run."""
        return state.number(role, "waiting", "pending") == len(begun.get(role, ()))

    def stopped_at_the_end(self, outcome: Outcome, state: State) -> Iterable[tuple[Task, bool]]:
        """All containers end with their application, whatever ``cleanup`` says; YARN keeps the logs of all."""
        return [(task, True) for task, replica in state.replicas.items() if replica.alive]

    def removed_after(self, outcome: Outcome) -> Duration | None:
        """The ResourceManager has rules of its own for ended applications."""
        return None
