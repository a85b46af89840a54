"""Timers of one loop, by key."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable


class Timers:
    """What is to be done later. ``now`` gives the time in seconds, of a clock that never goes back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self._queue: list[tuple[float, int]] = []
        self._set: dict[Hashable, int] = {}
        self._todo: dict[int, tuple[Hashable, Callable[[], None]]] = {}
        self._number = 0

    def set(self, key: Hashable, seconds: float, todo: Callable[[], None]) -> None:
        """Do ``todo`` in ``seconds``, instead of what ``key`` was set to before."""
        self.clear(key)
        self._number += 1
        self._set[key] = self._number
        self._todo[self._number] = key, todo
        heapq.heappush(self._queue, (self.now() + seconds, self._number))

    def clear(self, key: Hashable) -> None:
        """Forget ``key``, if it is set."""
        number = self._set.pop(key, None)
        if number is not None:
            del self._todo[number]

    def wait(self) -> float | None:
        """Seconds until the next timer is due; ``None`` without one."""
        while self._queue and self._queue[0][1] not in self._todo:
            heapq.heappop(self._queue)
        return max(0.0, self._queue[0][0] - self.now()) if self._queue else None

    def do_due(self) -> None:
        """Do what is due, in the order of time."""
        while self.wait() == 0.0:
            _, number = heapq.heappop(self._queue)
            key, todo = self._todo.pop(number)
            del self._set[key]
            todo()
