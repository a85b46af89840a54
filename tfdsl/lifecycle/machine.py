"""The life of one job: events in, orders out."""

from __future__ import annotations

from collections.abc import Collection, Iterable

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
from tfdsl.record import Record, replace
from tfdsl.vocabulary.statements import RESTARTS

DEADLINE = "deadline"
_OUTCOMES: dict[str, Outcome] = {"complete job": "succeeded", "fail job": "failed", "abort job": "aborted"}


class _Restart(Record):
    """A restart that is to come. ``about``: the replica that has failed; ``again``: those that start again."""

    decision: Decision
    about: Task | None
    again: list[Task]


class Machine:
    """One job under one behaviour. After the end, events change nothing but the phases of what is left.

    ``rare``: of what the order of messages decides, that which goes the other way (:meth:`State.chance`). ``began``:
    the replicas whose commands run since the last event.
    """

    def __init__(self, behaviour: Behaviour, rare: Collection[str] = ()) -> None:
        self.behaviour = behaviour
        self.state = State(behaviour.job, rare)
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

    def step(self, *events: Event) -> list[Order]:
        """What has to be done because of ``events``, which happen at one moment: nothing is decided before all have."""
        self.began.clear()
        ended = [(event, task) for event in events if (task := self._happened(event)) is not None]
        if ended:
            self._decide(ended)
            self._start_waiting()  # what has ended while it was prepared keeps nobody waiting
            self._end_if_nothing_is_left()
        return self._given()

    # --- what happens to a replica ---

    def _happened(self, event: Event) -> Task | None:
        """The replica that has ended by ``event``, if something has to be decided about that."""
        if isinstance(event, Split):
            self._do(self.behaviour.on_split(), None)
            return None
        task = self._due(event.timer) if isinstance(event, Due) else event.task
        replica = self.state.replicas.get(task) if task is not None else None
        if task is None or replica is None or not replica.alive:
            return None
        if isinstance(event, Started):
            if replica.phase == "pending":
                self._arrived(task, replica)
            return None
        if isinstance(event, Exited) and self._is_sidecar(event):
            self._do_if(self.behaviour.on_sidecar_exit(task, self.state), task)
            return None
        self._clear_of("pending", task)
        if self._is_over(task):
            replica.phase = "succeeded" if isinstance(event, Exited) and not event.status else "stopped"
            return None
        self._ended(event, task, replica)
        return task

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
        self._do_if(self.behaviour.on_event(self.state), task)

    def _is_over(self, task: Task) -> bool:
        """Whether the job has ended, or the part of it that ``task`` belongs to."""
        return self.state.finish is not None or self.behaviour.part_of(task) in self.state.parts

    def _is_sidecar(self, event: Exited) -> bool:
        steps = self.behaviour.role(event.task).steps if event.step else ()
        return any(step.name == event.step and step.kind == "sidecar" for step in steps)

    def _ended(self, event: Event, task: Task, replica: Replica) -> None:
        if isinstance(event, Lost):
            stays = self.behaviour.evicted_stay and not event.deleted
            replica.phase, replica.status = "lost" if stays else "gone", None
        elif isinstance(event, Exited):
            replica.phase, replica.status = "failed" if event.status else "succeeded", event.status
        else:  # its deadline
            self._orders.append(Stop(task, gone=False))
            replica.phase, replica.status = "failed", None

    def _decide(self, ended: list[tuple[Event, Task]]) -> None:
        """Decide about what has ended at one moment. What starts again does so last, if nothing has ended the job."""
        counting = self.behaviour.counting(self.state) if len(ended) > 1 else "restarts"
        restarts: list[_Restart] = []
        exhausted = False
        by_job: dict[Task, bool] = {}  # what starts again already: whether the whole job does
        for event, task in ended:
            whole = by_job.get(task)
            over = self._is_over(task)
            if whole or (whole is not None and counting != "ends") or (over and not exhausted):
                continue
            decision = self.behaviour.on_event(self.state)
            about: Task | None = task
            if decision is None:
                decision, about = self._decision(event, task)
            if decision is None or decision.delay is not None or decision.action not in RESTARTS:
                self._do_if(decision, about)
            elif over:
                self._give_up(decision, about)
            elif not (counting == "one" and restarts) and not self._may_restart(decision, about):
                exhausted = True
                for restart in restarts:
                    self._give_up(restart.decision, restart.about)
                self._no_retry_is_left(decision, about)
            elif whole is None:
                new = self._planned(decision, about)
                by_job.update(dict.fromkeys(new.again, decision.action == "restart job"))
                if len(new.again) > 1:
                    wider = set(new.again)
                    restarts = [restart for restart in restarts if not wider.issuperset(restart.again)]
                restarts.append(new)
        for restart in restarts:
            self._restart(restart)

    def _decision(self, event: Event, task: Task) -> tuple[Decision | None, Task | None]:
        """What is done about ``event``, and the replica that it is done about; none for what has completed."""
        behaviour, state = self.behaviour, self.state
        if isinstance(event, Lost):
            lost = behaviour.on_preemption if event.deleted else behaviour.on_loss
            return (behaviour.on_node_loss if event.with_node else lost)(task, event.status, state), task
        if not isinstance(event, Exited):
            return behaviour.on_deadline(task, state), task
        if event.status:
            if event.step:
                return behaviour.on_prepare_exit(task, event.step, event.status, state), task
            return (behaviour.on_oom if event.oom else behaviour.on_exit)(task, event.status, state), task
        alone = behaviour.on_success(task, state)
        return (alone, task) if alone is not None else (behaviour.on_completion(state), None)

    def _due(self, timer: str) -> Task | None:
        """Do what was to be done then; gives a replica whose deadline has passed."""
        if self.state.finish is not None or timer not in self._timers:
            return None
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
            return self._named[timer]
        return None

    def _late(self, task: Task) -> None:
        decision = self.behaviour.on_pending(task)
        if decision is not None and self.state.replicas[task].phase == "pending":
            self._do(replace(decision, delay=None), task)
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
            if self._may_restart(decision, task):
                self._restart(self._planned(decision, task))
            else:
                self._no_retry_is_left(decision, task)
        elif task is not None and not self.state.replicas[task].alive:
            self.state.replicas[task].ignored = True
            self._do_if(self.behaviour.on_completion(self.state), None)

    def _do_if(self, decision: Decision | None, task: Task | None) -> None:
        if decision is not None:
            self._do(decision, task)

    def _subject(self, task: Task | None) -> Task:
        return task if task is not None else next(iter(self.state.replicas))

    def _may_restart(self, decision: Decision, task: Task | None) -> bool:
        return not decision.counted or self.behaviour.may_restart(decision, self._subject(task), self.state)

    def _no_retry_is_left(self, decision: Decision, task: Task | None) -> None:
        self._give_up(decision, task)
        self._end("failed", f"{decision.why}, and no retry is left", task, decision.part)

    def _planned(self, decision: Decision, task: Task | None) -> _Restart:
        return _Restart(decision, task, list(self.behaviour.restarted_by(decision, self._subject(task), self.state)))

    def _restart(self, restart: _Restart) -> None:
        decision, task, again = restart.decision, restart.about, restart.again
        subject = self._subject(task)
        if self._is_over(subject):
            return
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
        self._do_if(self.behaviour.on_restarted(subject, self.state) if in_place else None, task)

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
