"""The life of one job: events in, orders out."""

from __future__ import annotations

from collections.abc import Iterable

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
    Outcome,
    Replica,
    SetTimer,
    Split,
    Start,
    Started,
    State,
    Stop,
    Task,
    Way,
)
from tfdsl.record import replace
from tfdsl.vocabulary.statements import RESTARTS

DEADLINE = "deadline"
_OUTCOMES: dict[str, Outcome] = {"complete job": "succeeded", "fail job": "failed", "abort job": "aborted"}


class Machine:
    """One job under one behaviour. After the end, events change nothing but the phases of what is left.

    ``began``: the replicas whose commands run since the last event.
    """

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.state = State(behaviour.job)
        self._orders: list[Order] = []
        self._waiting: set[str] = {role.name for role in behaviour.job.roles}
        self._timers: set[str] = set()
        self._delayed: dict[str, tuple[Task, Decision]] = {}
        self._named: dict[str, Task] = {}
        self.began: list[Task] = []

    def begin(self) -> list[Order]:
        """The orders with which the job begins."""
        deadline = self.behaviour.deadline()
        if deadline is not None:
            self._set(DEADLINE, deadline.ms)
        self._start_waiting()
        return self._given()

    def step(self, event: Event) -> list[Order]:
        """What has to be done because of ``event``."""
        self.began.clear()
        if isinstance(event, Due):
            self._due(event.timer)
        elif isinstance(event, Split):
            self._do(self.behaviour.on_split(), None)
        else:
            replica = self.state.replicas.get(event.task)
            if replica is not None and (replica.alive or isinstance(event, Started)):
                self._happened(event, event.task, replica)
        return self._given()

    # --- what happens to a replica ---

    def _happened(self, event: Started | Exited | Lost, task: Task, replica: Replica) -> None:
        if isinstance(event, Started):
            if replica.phase == "pending":
                self._arrived(task, replica)
            return
        self._clear_of("pending", task)
        if self.state.finish is not None or self.behaviour.part_of(task) in self.state.parts:
            replica.phase = "stopped" if isinstance(event, Lost) or event.status else "succeeded"
            return
        self._ended(event, replica)
        first = self.behaviour.on_event(self.state)
        if first is not None:
            self._do(first, task)
        else:
            self._decide(event, task)
        self._start_waiting()  # what has ended while it was prepared keeps nobody waiting
        self._end_if_nothing_is_left()

    def _arrived(self, task: Task, replica: Replica) -> None:
        replica.arrived = True
        self._clear_of("pending", task)
        self._clear_of("delay", task)
        if self._delayed:
            self._delayed.pop(f"delay {task}", None)
        for other in list(self.behaviour.begins(task, self.state)):
            self.state.replicas[other].phase = "running"
            self.began.append(other)
        self._start_waiting()
        first = self.behaviour.on_event(self.state)
        if first is not None:
            self._do(first, task)

    @staticmethod
    def _ended(event: Exited | Lost, replica: Replica) -> None:
        if isinstance(event, Lost):
            replica.phase, replica.status = "gone" if event.deleted else "lost", None
        else:
            replica.phase, replica.status = "failed" if event.status else "succeeded", event.status

    def _decide(self, event: Exited | Lost, task: Task) -> None:
        if isinstance(event, Lost):
            self._do(self._loss(event), task)
        elif event.status:
            decide = self.behaviour.on_oom if event.oom else self.behaviour.on_exit
            self._do(decide(task, event.status, self.state), task)
        else:
            self._succeeded(task)

    def _loss(self, event: Lost) -> Decision:
        behaviour = self.behaviour
        if event.with_node:
            return behaviour.on_node_loss(event.task, event.status, self.state)
        decide = behaviour.on_preemption if event.deleted else behaviour.on_loss
        return decide(event.task, event.status, self.state)

    def _succeeded(self, task: Task) -> None:
        alone = self.behaviour.on_success(task, self.state)
        if alone is not None:
            self._do(alone, task)
        else:
            self._complete()

    def _complete(self) -> None:
        decision = self.behaviour.on_completion(self.state)
        if decision is not None:
            self._do(decision, None)

    def _due(self, timer: str) -> None:
        if self.state.finish is not None or timer not in self._timers:
            return
        self._timers.discard(timer)
        if timer == DEADLINE:
            for decision in list(self.behaviour.on_job_deadline(self.state)):
                self._do(decision, None)
        elif timer in self._delayed:
            task, decision = self._delayed.pop(timer)
            self._do(replace(decision, delay=None), task)
            self._end_if_nothing_is_left()
        elif timer.startswith("pending "):
            self._late(self._named[timer])
        elif timer.startswith(f"{DEADLINE} "):
            self._ran_too_long(self._named[timer])

    def _late(self, task: Task) -> None:
        decision = self.behaviour.on_pending(task)
        if decision is not None and self.state.replicas[task].phase == "pending":
            self._do(replace(decision, delay=None), task)
            self._end_if_nothing_is_left()

    def _ran_too_long(self, task: Task) -> None:
        replica = self.state.replicas[task]
        if not replica.alive:
            return
        self._clear_of("pending", task)
        self._orders.append(Stop(task, gone=False))
        replica.phase, replica.status = "failed", None
        self._do(self.behaviour.on_deadline(task, self.state), task)
        self._end_if_nothing_is_left()

    # --- what is done ---

    def _do(self, decision: Decision, task: Task | None) -> None:
        if self.state.finish is not None:
            return
        if decision.delay is not None and task is not None:
            timer = f"delay {task}"
            self._delayed[timer] = (task, decision)
            self._set(timer, decision.delay.ms)
        elif decision.action in _OUTCOMES:
            self._end(_OUTCOMES[decision.action], decision.why, task, decision.part)
        elif decision.action in RESTARTS:
            self._restart(decision, task)
        elif task is not None and not self.state.replicas[task].alive:
            self.state.replicas[task].ignored = True
            self._complete()

    def _restart(self, decision: Decision, task: Task | None) -> None:
        subject = task if task is not None else next(iter(self.state.replicas))
        if decision.counted and not self.behaviour.may_restart(decision, subject, self.state):
            self._give_up(decision, task)
            self._end("failed", f"{decision.why}, and no retry is left", task, decision.part)
            return
        again = list(self.behaviour.restarted_by(decision, subject, self.state))
        beside = list(self.behaviour.restarted_beside(decision, subject, self.state))
        for other in again:
            self._take_down(other)
        lost = self.state.replicas[subject].phase in ("lost", "gone")  # which has no place to start again in
        in_place = decision.action == "restart container" and not lost
        if in_place:
            self._start_in_place(again)
        elif decision.action == "restart job":  # in the order of their after, as at first
            for other in again:
                self.state.replicas[other].phase = "waiting"
                self._waiting.add(other.role)
            self._start_waiting()
        else:
            for other in again:
                self._start(other, "pod")
        for other in beside:
            self._take_down(other)
        self._start_in_place(beside)
        decided = self.behaviour.on_restarted(subject, self.state) if in_place else None
        if decided is not None:
            self._do(decided, task)

    def _give_up(self, decision: Decision, task: Task | None) -> None:
        for other in list(self.behaviour.given_up(decision, task, self.state)):
            self._take_down(other)
            self.state.replicas[other].phase = "gone"

    def _take_down(self, task: Task) -> None:
        """End what there is of a replica that starts again. A delayed action about it waits on: it may not run soon."""
        replica = self.state.replicas[task]
        if replica.alive:
            self._orders.append(Stop(task, gone=True))
        self._clear_of("pending", task)
        replica.ignored = replica.arrived = False

    def _start_in_place(self, tasks: list[Task]) -> None:
        for task in tasks:
            replica = self.state.replicas[task]
            replica.restarts += 1
            replica.phase = "pending"
            self._orders.append(Start(task, "container"))

    def _start_waiting(self) -> None:
        """Start the roles for which the others of their ``after`` run."""
        if self.state.finish is not None or not self._waiting:
            return
        for role in self.behaviour.job.roles:
            if role.name in self._waiting and self.behaviour.may_start(role, self.state):
                self._waiting.discard(role.name)
                for task, replica in self.state.of(role.name):
                    if replica.phase == "waiting":
                        self._start(task, "first" if not replica.starts else "pod")

    def _start(self, task: Task, way: Way) -> None:
        replica = self.state.replicas[task]
        replica.phase = "pending"
        replica.starts += 1
        self._orders.append(Start(task, way))
        late = self.behaviour.on_pending(task)
        if late is not None and late.delay is not None:
            self._set_for(task, f"pending {task}", late.delay.ms)
        deadline = self.behaviour.deadline_of(task)
        if deadline is not None:
            self._set_for(task, f"{DEADLINE} {task}", deadline.ms)

    def _end_if_nothing_is_left(self) -> None:
        if self.state.finish is None and not self._delayed and self.behaviour.nothing_left(self.state):
            self._do(self.behaviour.on_nothing_left(self.state), None)

    def _end(self, outcome: Outcome, cause: str, task: Task | None, part: str) -> None:
        """End ``part``, and the job with the last of its parts."""
        if not part:
            self._finish(outcome, cause, task)
            return
        finish = self.state.parts[part] = Finish(outcome, cause, task, part)
        self._stop(self.behaviour.stopped_with_part(part, self.state))
        self._orders.append(finish)
        ended = self.state.parts
        if len(ended) == len(list(self.behaviour.parts())):
            failed = next((one for one in ended.values() if one.outcome == "failed"), finish)
            self._finish(failed.outcome, failed.cause, failed.task)

    def _stop(self, replicas: Iterable[tuple[Task, bool]]) -> None:
        for task, gone in list(replicas):
            replica = self.state.replicas[task]
            if replica.alive:
                self._orders.append(Stop(task, gone))
            self._clear_of("pending", task)
            replica.phase = "gone" if gone else "stopped"

    def _finish(self, outcome: Outcome, cause: str, task: Task | None) -> None:
        finish = Finish(outcome, cause, task)
        self.state.finish = finish
        self._stop(self.behaviour.stopped_at_the_end(outcome, self.state))
        self._delayed.clear()
        for timer in sorted(self._timers):
            self._orders.append(ClearTimer(timer))
        self._timers.clear()
        self._orders.append(finish)

    def _set_for(self, task: Task, timer: str, ms: int) -> None:
        self._named[timer] = task
        self._set(timer, ms)

    def _set(self, timer: str, ms: int) -> None:
        self._timers.add(timer)
        self._orders.append(SetTimer(timer, ms))

    def _clear_of(self, what: str, task: Task) -> None:
        if self._timers:  # mostly there is none, and thousands of replicas
            self._clear(f"{what} {task}")

    def _clear(self, timer: str) -> None:
        if timer in self._timers:
            self._timers.discard(timer)
            self._orders.append(ClearTimer(timer))

    def _given(self) -> list[Order]:
        orders, self._orders = self._orders, []
        return orders
