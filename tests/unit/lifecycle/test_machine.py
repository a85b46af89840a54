"""What holds in every life of every job."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, get_args

from hypothesis import given, strategies as st

from tests.unit.lifecycle.jobs import CHIEF, WORKERS, job
from tfdsl.lifecycle.behaviour import (
    Behaviour,
    ClearTimer,
    Due,
    Event,
    Exited,
    Finish,
    Lost,
    Order,
    Phase,
    SetTimer,
    Split,
    Start,
    Started,
    Stop,
    Task,
)
from tfdsl.lifecycle.machine import Machine

if TYPE_CHECKING:
    from tfdsl.ir.model import Job

JOBS = (
    (CHIEF,),
    (WORKERS, "on failed => restart pod", "retries = 2"),
    (WORKERS, "on failed => restart container", "on worker restarted 2 => restart job", "retries = 4"),
    (CHIEF, "on failed => restart role", "on exit 3 => ignore", 'cleanup = "none"'),
    (WORKERS, "on failed after 5s => restart job", "on pending after 9s => fail job", "deadline = 1h"),
    ('role worker { replicas = 2, after = ["ps"] }', "role ps { replicas = 2 }", "on evicted => restart job"),
    (WORKERS, "on worker completed => restart job", "on unknown => restart job", 'cleanup = "all"'),
    (WORKERS, "on pending after 9s => restart pod", "on evicted after 5s => restart role", "on failed => ignore"),
    (CHIEF, "on worker[1] failed => abort job", "on worker failed => restart container", "on evicted => restart pod"),
    (
        WORKERS,
        'role tensorboard { logdir = "/runs" }',
        'mount pvc "runs" at "/runs"',
        "on tensorboard exit 3 => restart job",
        "on failed => restart pod",
        "retries = 1",
    ),
)


@cache
def _job(number: int) -> Job:
    return job(*JOBS[number])


TASKS = [Task(role, index) for role in ("chief", "ps", "worker") for index in (0, 1)] + [Task("tensorboard", 0)]
EVENTS = st.one_of(
    st.builds(Started, st.sampled_from(TASKS)),
    st.builds(Exited, st.sampled_from(TASKS), st.sampled_from((0, 1, 3, 137))),
    st.builds(Lost, st.sampled_from(TASKS), st.just(143), st.booleans()),
    st.just(Split()),
    st.builds(Due, st.sampled_from(("deadline", "pending worker[0]", "delay worker[1]", "delay ps[0]"))),
)


class Driver:
    """Drives a machine as whoever has processes does, and checks each order when it is given."""

    def __init__(self, number: int) -> None:
        self.machine = Machine(Behaviour(_job(number)))
        self.alive: set[Task] = set()
        self.timers: set[str] = set()
        self.finished = False
        self.obey(self.machine.begin())

    def step(self, event: Event) -> None:
        """Let something happen. A timer is only due while it is set, and what has ended cannot end."""
        if isinstance(event, Due):
            if event.timer not in self.timers:
                return
            self.timers.discard(event.timer)
        before = self.seen() if self.finished else None
        orders = self.machine.step(event)
        if isinstance(event, Exited | Lost):
            self.alive.discard(event.task)
        assert not (before and orders), "nothing is ordered after the end"
        assert before is None or self.seen() == before, "nothing changes after the end"
        self.obey(orders)

    def obey(self, orders: list[Order]) -> None:
        """Do what is ordered."""
        for order in orders:
            assert not self.finished, "the end is the last order"
            if isinstance(order, Stop):
                assert order.task in self.alive, "what does not run is not stopped"
                self.alive.discard(order.task)
            elif isinstance(order, Start):
                assert order.task not in self.alive, "what runs is not started"
                self.alive.add(order.task)
            elif isinstance(order, SetTimer):
                self.timers.add(order.timer)
            elif isinstance(order, ClearTimer):
                assert order.timer in self.timers, "what is not set is not cleared"
                self.timers.discard(order.timer)
            else:
                assert isinstance(order, Finish)
                self.finished = True
        state = self.machine.state
        assert state.retries <= self.machine.behaviour.job.retries
        assert self.alive == {task for task, replica in state.replicas.items() if replica.alive}
        assert self.finished == (state.finish is not None)
        if self.finished:
            assert not self.timers, "timers are cleared at the end"
            if self.machine.behaviour.job.cleanup != "none" or (state.finish and state.finish.outcome == "aborted"):
                assert not self.alive, "what was started has ended"

    def seen(self) -> tuple[object, ...]:
        """All that is known but the phases."""
        state = self.machine.state
        replicas = [(one.starts, one.restarts, one.status) for one in state.replicas.values()]
        return replicas, state.retries, dict(state.counts), state.finish


@given(st.integers(0, len(JOBS) - 1), st.lists(EVENTS, max_size=40))
def test_what_holds_in_every_life(number: int, events: list[Event]) -> None:
    driver = Driver(number)
    for event in events:
        driver.step(event)


@given(st.integers(0, len(JOBS) - 1), st.lists(EVENTS, max_size=40))
def test_phases_are_counted_as_they_are(number: int, events: list[Event]) -> None:
    driver = Driver(number)
    for event in events:
        driver.step(event)
        state = driver.machine.state
        for role in state.job.roles:
            phases = [one.phase for _, one in state.of(role.name)]
            assert all(state.number(role.name, phase) == phases.count(phase) for phase in get_args(Phase))
            ended = [one for _, one in state.of(role.name) if one.phase == "succeeded" or one.ignored]
            assert state.ended_well(role.name) == len(ended)


@given(st.integers(0, len(JOBS) - 1), st.lists(EVENTS, max_size=12), st.sampled_from((1, 3, 137)))
def test_what_fails_at_every_start_ends_the_job_by_its_retries(number: int, events: list[Event], status: int) -> None:
    """Whatever has happened before: every replica that starts runs, fails and fails again."""
    driver = Driver(number)
    for event in events:
        driver.step(event)
    for _ in range(200):
        if driver.finished:
            return
        for task in sorted(driver.alive, key=str):
            driver.step(Started(task))
            driver.step(Exited(task, status))
        for timer in sorted(driver.timers):
            driver.step(Due(timer))
    raise AssertionError("it goes on for ever")


AT_ONCE = st.lists(st.sampled_from((Task("worker", 0), Task("worker", 1), Task("ps", 0))), unique=True, min_size=2)


@given(st.data(), AT_ONCE, st.sampled_from((1, 2)))
def test_the_order_of_what_happens_at_once_does_not_matter(data: st.DataObject, tasks: list[Task], number: int) -> None:
    """Starts and failures that have the same policy: whichever is told first, the same is left."""
    ends: set[object] = set()
    for order in (tasks, data.draw(st.permutations(tasks))):
        machine = Machine(Behaviour(_job(number)))
        machine.begin()
        for task in (*order, *machine.state.replicas):
            machine.step(Started(task))
        for task in order:
            machine.step(Exited(task, 1))
        state = machine.state
        finish = state.finish.outcome if state.finish is not None else None
        restarted = frozenset((task, one.starts, one.restarts) for task, one in state.replicas.items() if not finish)
        ends.add((finish, state.retries, restarted))
    assert len(ends) == 1


@given(st.permutations([Exited(Task("worker", 0), 0), Exited(Task("worker", 1), 0), Exited(Task("ps", 0), 0)]))
def test_the_order_of_completions_does_not_matter(events: list[Event]) -> None:
    machine = Machine(Behaviour(_job(1)))
    machine.begin()
    for task in machine.state.replicas:
        machine.step(Started(task))
    for event in events:
        machine.step(event)
    assert machine.state.finish is not None
    assert machine.state.finish.outcome == "succeeded"


def test_four_thousand_workers_cost_little() -> None:
    machine = Machine(Behaviour(job("role worker { replicas = 4000 }", "role ps { }")))
    orders = machine.begin()
    assert sum(isinstance(order, Start) for order in orders) == 4001
    for task in list(machine.state.replicas):
        machine.step(Started(task))
