"""When injected faults happen to the replicas of one job."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.lifecycle.events import Event, Split, Task

if TYPE_CHECKING:
    from tfdsl.ir.model import Job
    from tfdsl.lifecycle.faults import Injected


class Faults:
    """The faults of a run. ``stuck``: replicas that do not start; ``timed``: what happens so many seconds later."""

    def __init__(self, job: Job, injected: Sequence[Injected]) -> None:
        self.stuck: set[Task] = set()
        self.timed: list[tuple[float, tuple[Event, ...]]] = []
        self._at_start: dict[Task, deque[Injected]] = {}
        for one in injected:
            self._add(one, one.tasks(job))

    def _add(self, one: Injected, tasks: Sequence[Task]) -> None:
        if one.what == "pending":
            self.stuck.update(tasks)
        elif one.role is None:
            self.timed.append(((one.after_ms or 0) / 1000, (Split(),)))
        elif one.after_ms is None or one.always:
            for task in tasks:
                self._at_start.setdefault(task, deque()).append(one)
        elif tasks:
            events = (one.event(task) for task in tasks)
            self.timed.append((one.after_ms / 1000, tuple(event for event in events if event is not None)))

    def from_start(self, task: Task) -> Iterator[tuple[float, Event]]:
        """What happens to ``task`` this time that it has started, and how many seconds later."""
        planned = self._at_start.get(task)
        if not planned:
            return
        one = planned[0]
        if not one.always:
            planned.popleft()
        event = one.event(task)
        if event is not None:
            yield (one.after_ms or 0) / 1000, event
