"""What holds in every life of every job."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.lifecycle.jobs import CHIEF, WORKERS, job
from tfdsl.lifecycle.behaviour import Behaviour
from tfdsl.lifecycle.events import Due, Event, Exited, Finish, Lost, Order, SetTimer, Split, Start, Started, Stop, Task
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
)


@cache
def _job(number: int) -> Job:
    return job(*JOBS[number])


TASKS = [Task(role, index) for role in ("chief", "ps", "worker") for index in (0, 1)]
EVENTS = st.one_of(
    st.builds(Started, st.sampled_from(TASKS)),
    st.builds(Exited, st.sampled_from(TASKS), st.sampled_from((0, 1, 3, 137))),
    st.builds(Lost, st.sampled_from(TASKS)),
    st.just(Split()),
    st.builds(Due, st.sampled_from(("deadline", "pending worker[0]", "delay worker[1]", "delay ps[0]"))),
)


@given(st.integers(0, len(JOBS) - 1), st.lists(EVENTS, max_size=40))
def test_what_holds_in_every_life(number: int, events: list[Event]) -> None:
    machine = Machine(Behaviour(_job(number)))
    given_orders = machine.begin()
    alive: set[Task] = set()
    timers: set[str] = set()
    finished = False
    for event in (None, *events):
        if isinstance(event, Exited | Lost):
            alive.discard(event.task)
        if isinstance(event, Due) and event.timer not in timers:
            continue  # who drives a machine says only what was asked for
        if isinstance(event, Due):
            timers.discard(event.timer)
        orders: list[Order] = given_orders if event is None else machine.step(event)
        assert not (finished and orders), "nothing is ordered after the end"
        for order in orders:
            assert not finished, "the end is the last order"
            if isinstance(order, Stop):
                assert order.task in alive, "what does not run is not stopped"
                alive.discard(order.task)
            elif isinstance(order, Start):
                assert order.task not in alive, "what runs is not started"
                alive.add(order.task)
            elif isinstance(order, SetTimer):
                timers.add(order.timer)
            elif isinstance(order, Finish):
                finished = True
        assert machine.state.retries <= machine.behaviour.job.retries
        assert alive == {task for task, replica in machine.state.replicas.items() if replica.alive}
        assert finished == (machine.state.finish is not None)


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
