"""How a job lives and ends on YARN: what its tasks decide among themselves, and what the application master counts.

Both are asked where they are: the plan comes out of ``job.sh``, and the class that reads it is the one that reads it in
the containers. The rest is what the coordinator does (:mod:`tfdsl_backends.yarn.programs.coordinator`) and what was
seen of DistributedShell 3.4: a container that exits with another status than 0, or is killed as a whole, makes its
application fail when the last one has ended, and is not replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tfdsl.backend import Document, TargetObject, Unit
from tfdsl.ir.model import Role
from tfdsl.lifecycle.behaviour import Behaviour, Decision, Replica, State, Task
from tfdsl.vocabulary.quantities import Duration
from tfdsl_backends.hadoop.lifecycle import Meeting
from tfdsl_backends.yarn.applications import Application, Size, applications, per_role
from tfdsl_backends.yarn.lower import appname
from tfdsl_backends.yarn.needs import has_rendezvous
from tfdsl_backends.yarn.options import is_yarn_tf
from tfdsl_backends.yarn.programs.plan import Plan

LOST = ("lost", "gone")
"""The phases of a replica whose container is no more while the job runs."""

PLAN = "<<'TFJOB_PLAN'\n", "TFJOB_PLAN\n"
"""What stands before and after the plan in ``job.sh``."""


def behaviour(unit: Unit, documents: Sequence[Document]) -> Behaviour:
    """How the job of ``unit`` lives and ends."""
    if is_yarn_tf(unit):
        return ModifiedClient(unit.job)
    plan = Plan(next(_plan(str(document.data)) for document in documents if document.file == "job.sh"))
    return Gang(unit, plan) if has_rendezvous(unit) else Alone(unit, plan)


def _plan(script: str) -> str:
    begin, end = PLAN
    return script.partition(begin)[2].partition(end)[0]


class Tasks(Meeting):
    """What tasks that run by a plan have in common."""

    def __init__(self, unit: Unit, plan: Plan) -> None:
        required = [role.name for role in unit.job.roles if role.name not in plan.optional]
        super().__init__(unit.job, awaited=required, waiting=required, after=plan.after)
        self.plan = plan
        self.slots = {Task(role, index): slot for slot, (role, index) in enumerate(plan.slots)}
        self.apart = per_role(unit)

    def on_exit(self, task: Task, status: int, state: State) -> Decision:
        """What the plan says of the status. Every restart is one of all containers."""
        what = f"{task} exited {status}"
        if task.role in self.plan.again:
            return Decision("restart container", f"{what} and starts again by itself")
        action = self.plan.action_at_end(self.slots[task], status, False)
        if action == "restart":
            return self.restart(what, state)
        return self.ignored(task, what, state) if action == "ignore" else Decision("fail job", what)

    def restart(self, what: str, state: State) -> Decision:
        """What is done because all tasks restart: YARN relaunches the containers that are still there."""
        needed = [
            task for task, replica in state.replicas.items() if replica.phase in LOST and task.role in self.awaited
        ]
        if needed:
            return Decision("fail job", f"{what}, and YARN does not relaunch the container of {needed[0]}")
        return Decision("restart container", what)

    def ignored(self, task: Task, what: str, state: State) -> Decision:
        """What is done because ``task`` counts as ended, though it has failed."""
        return self.completion(state, task) or Decision("ignore", what)

    def on_success(self, task: Task, state: State) -> Decision | None:
        """Only tensorboard starts again, unless a policy says that its failures end the job."""
        again = task.role in self.plan.again
        return Decision("restart container", f"{task} starts again by itself") if again else None

    def on_completion(self, state: State) -> Decision | None:
        """What is done when all tasks that complete the job have ended."""
        return self.completion(state)

    def completion(self, state: State, *more: Task) -> Decision | None:
        """The same when ``more`` have ended, too. The plan is asked with all tasks only when it will say something."""
        if not any(self._may_complete(role, index, state, more) for role, index in self.plan.complete):
            return None
        who = self.plan.completed({self.slots[task] for task in (*self.ended(state), *more)})
        return self.completed(who, state) if who else None

    @staticmethod
    def _may_complete(role: str, index: int, state: State, more: Sequence[Task]) -> bool:
        """Whether ``role`` or one of it has ended; ``more`` are counted on top, though they may be counted already."""
        if index < 0:
            return state.ended_well(role) + len(more) >= len(state.of(role))
        task = Task(role, index)
        replica = state.replicas.get(task)
        return replica is not None and (replica.phase == "succeeded" or replica.ignored or task in more)

    def completed(self, who: str, state: State) -> Decision:
        """The tasks end well, but an application that has lost a container fails."""
        lost = [task for task, replica in state.replicas.items() if self.counts_as_failed(task, replica)]
        if lost:
            return Decision("fail job", f"{who} completed, but YARN counts the lost container of {lost[0]} as failed")
        return Decision("complete job", f"{who} completed")

    def counts_as_failed(self, task: Task, replica: Replica) -> bool:
        """Whether YARN counts the container of ``task`` as failed, and the job with it."""
        return replica.phase in LOST and not (self.apart and task.role in self.plan.again)

    @staticmethod
    def ended(state: State) -> Iterable[Task]:
        """The tasks that have succeeded, and those of which a policy ignores the failure."""
        return [task for task, replica in state.replicas.items() if replica.phase == "succeeded" or replica.ignored]

    def may_restart(self, decision: Decision, task: Task, state: State) -> bool:
        """Whether the NodeManagers relaunch the containers once more: each counts its own, and all restart together."""
        if task.role in self.plan.again:
            return True
        if state.retries >= self.plan.restarts:
            return False
        state.retries += 1
        return True

    def restarted_by(self, decision: Decision, task: Task, state: State) -> Iterable[Task]:
        """All tasks, also those that have ended; tensorboard alone when it is its own command that starts again."""
        if task.role in self.plan.again:
            return [task]
        return [other for other, replica in state.replicas.items() if replica.phase not in LOST]

    def on_restarted(self, task: Task, state: State) -> Decision | None:
        """Nothing: the table refuses such policies."""
        return None


class Alone(Tasks):
    """One task without peers: its end is that of the application."""

    def on_loss(self, task: Task, status: int, state: State) -> Decision:
        """A container that is killed as a whole makes the application fail."""
        return Decision("fail job", f"{task} was lost")

    def on_pending(self, task: Task) -> Decision | None:
        """Nothing: nobody waits for it."""
        return None

    def completion(self, state: State, *more: Task) -> Decision | None:
        """The job is complete whenever its only task has ended well, or as if."""
        done = [*self.ended(state), *more]
        return self.completed(str(done[0]), state) if done else None


class Gang(Tasks):
    """Tasks that meet, with a coordinator in the first of them."""

    def on_loss(self, task: Task, status: int, state: State) -> Decision:
        """What the coordinator does when a container is killed as a whole, or its node is lost.

        YARN does not relaunch it, so the gang cannot restart. With the first task the coordinator itself is gone.
        """
        what = f"{task} was lost"
        if task.role in self.plan.optional:
            ends = self.apart and task.role not in self.plan.again  # submit.sh notices that its application has failed
            return Decision("fail job" if ends else "ignore", what)
        slot = self.slots[task]
        if slot and self.have_met(state) and self.plan.action(slot, 0) == "ignore":
            return self.ignored(task, what, state)
        return Decision("fail job", what)

    def on_pending(self, task: Task) -> Decision | None:
        """The time limit of the rendezvous, for all tasks that must be there."""
        if task.role in self.plan.optional:
            return None
        limit = Duration(f"{int(self.plan.limit * 1000)}ms")
        return Decision("fail job", f"{task} is missing at the time limit of the rendezvous", limit)

    def on_split(self) -> Decision:
        """Tasks are missing at the time limit, unless there is only one."""
        one = sum(role.replicas for role in self.job.roles if role.name in self.awaited) == 1
        return Decision("ignore" if one else "fail job", "tasks are missing at the time limit of the rendezvous")


class ModifiedClient(Behaviour):
    """The client of the dialect ``yarn-tf``: the application master of DistributedShell, and nothing that watches it.

    It waits for all containers, parameter servers too, and fails if one of them has. Known from its sources alone.
    """

    limits_time = evicted_stay = False

    def may_start(self, role: Role, state: State) -> bool:
        """All roles start at once."""
        return True

    def on_exit(self, task: Task, status: int, state: State) -> Decision:
        """The other tasks run on."""
        return Decision("ignore", f"{task} exited {status}")

    def on_loss(self, task: Task, status: int, state: State) -> Decision:
        """The other tasks run on."""
        return Decision("ignore", f"{task} was lost")

    def on_pending(self, task: Task) -> Decision | None:
        """Nothing counts the time."""
        return None

    def on_split(self) -> Decision:
        """Nothing notices that a part of the job waits."""
        return Decision("ignore", "part of the job waits")

    def on_completion(self, state: State) -> Decision | None:
        """No task ends the others."""
        return None

    def on_nothing_left(self, state: State) -> Decision:
        """Succeeded is what has no container that failed."""
        failed = [task for task, replica in state.replicas.items() if replica.phase != "succeeded"]
        return (
            Decision("fail job", f"the container of {failed[0]} has failed")
            if failed
            else Decision("complete job", "all containers have ended")
        )


def objects(unit: Unit, documents: Sequence[Document]) -> list[TargetObject]:
    """The applications, and the files that submit them."""
    files = tuple(document.file for document in documents if document.file is not None)
    apps = applications(unit)
    if len(apps) == 1:
        return [_application(appname(unit, apps[0]), apps[0], "", files)]
    whole = TargetObject("YARN applications", unit.job.name, lines=files)
    return [
        whole,
        *(_application(appname(unit, application), application, application.name, ()) for application in apps),
    ]


def _application(name: str, application: Application, role: str, files: tuple[str, ...]) -> TargetObject:
    containers = "1 container" if application.containers == 1 else f"{application.containers:,} containers"
    return TargetObject("YARN application", name, role, (containers, *_size(application.size), *files))


def _size(size: Size) -> Iterator[str]:
    others = "".join(f", {count} {name}" for name, count in size.others)
    yield f"{size.memory} MB, {size.vcores} vcores{others}"
