"""What a table of a run shows: each task of a small job, each role of a large one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.lifecycle.events import Task
    from tfdsl.lifecycle.state import Replica, State

MOST_TASKS: Final = 12
"""Tasks of all jobs together that are shown one by one."""

_WORDS: Final = {"succeeded": "completed", "gone": "stopped", "lost": "evicted"}


class Line(Record):
    """One line. ``restarts``: of all kinds together."""

    name: str
    phase: str
    restarts: int


def lines(states: Iterable[tuple[str, State]]) -> list[Line]:
    """The lines of some jobs, each with what is before the names of its tasks."""
    jobs = list(states)
    every = [(prefix, task, one) for prefix, state in jobs for task, one in state.replicas.items()]
    if len(every) <= MOST_TASKS:
        return [Line(f"{prefix}{task}", word(one.phase), _restarts(one)) for prefix, task, one in every]
    return list(_by_role(every))


def _by_role(every: Iterable[tuple[str, Task, Replica]]) -> Iterator[Line]:
    roles: dict[str, list[Replica]] = {}
    for prefix, task, one in every:
        roles.setdefault(f"{prefix}{task.role}", []).append(one)
    for name, replicas in roles.items():
        phases = Counter(word(one.phase) for one in replicas)
        counted = ", ".join(f"{count} {phase}" for phase, count in phases.most_common())
        yield Line(name, counted, sum(map(_restarts, replicas)))


def word(phase: str) -> str:
    """A phase as the language has it."""
    return _WORDS.get(phase, phase)


def _restarts(one: Replica) -> int:
    return max(one.starts - 1, 0) + one.restarts
