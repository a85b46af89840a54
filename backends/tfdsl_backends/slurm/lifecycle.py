"""How a job lives and ends on Slurm: as the language says, but that Slurm takes the allocation back whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfdsl.backend import Document, Unit
from tfdsl.ir.model import Policy
from tfdsl.ir.policies import on_eviction
from tfdsl.lifecycle.behaviour import Behaviour, Decision, Outcome, State, Task
from tfdsl_backends.slurm.policies import LOST_STATUS, decided


def behaviour(unit: Unit, documents: Sequence[Document]) -> Behaviour:
    """How the job of ``unit`` lives."""
    return BatchScript(unit)


class BatchScript(Behaviour):
    """The loop of job.sbatch, and Slurm around it."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit.job)
        self._evicted = decided(unit).evicted

    def on_oom(self, task: Task, status: int, state: State) -> Decision:
        """The kernel ends the whole step, which leaves no mark: the replica alone is lost."""
        policy = on_eviction(self.job, self.role(task), task.index)
        if policy is None:
            return super().on_exit(task, LOST_STATUS, state)
        return self.decision(policy, f"{task} was killed with its step, status {LOST_STATUS}")

    def on_loss(self, task: Task, status: int, state: State) -> Decision:
        """Slurm ends all steps; then the job fails, is held, or starts again from the queue."""
        return Decision(self._evicted, f"{task} was lost, and Slurm took the nodes back")

    def on_pending(self, task: Task) -> Decision | None:
        """All replicas start at once; Slurm removes the job while it waits."""
        pending: Policy | None = next((policy for policy in self.job.policies if policy.event == "pending"), None)
        return self.decision(pending, "the job has not started in time") if pending is not None else None

    def stopped_at_the_end(self, outcome: Outcome, state: State) -> Iterable[tuple[Task, bool]]:
        """All steps end with the job, whatever ``cleanup`` says; their logs stay."""
        return [(task, True) for task, replica in state.replicas.items() if replica.alive]
