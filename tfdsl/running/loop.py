"""The loop of a run: one thread that waits for processes, their output, timers and signals."""

from __future__ import annotations

import heapq
import os
import selectors
import signal
import time
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType

    from tfdsl.running.local_job import LocalJob
    from tfdsl.running.screen import Result
    from tfdsl.vocabulary.quantities import Duration


ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""The signals that end a run: the first one politely, the second one at once, and SIGQUIT always at once."""


class Loop:
    """Waits for what all jobs of a run wait for. ``ended_by``: the signal that ends the run, if one came."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.timers = Timers(time.monotonic)
        self.ended_by: int | None = None
        self._tell = tell
        self._selector = selectors.DefaultSelector()
        self._running: list[LocalJob] = []

    @property
    def running(self) -> Sequence[LocalJob]:
        """The jobs that run."""
        return self._running

    # --- what jobs wait for ---

    def add(self, descriptor: int, todo: Callable[[], object]) -> None:
        """Call ``todo`` whenever ``descriptor`` can be read."""
        self._selector.register(descriptor, selectors.EVENT_READ, todo)

    def remove(self, descriptor: int) -> None:
        """Do not any more."""
        self._selector.unregister(descriptor)

    # --- the run ---

    def run(self, jobs: Iterable[Callable[[], LocalJob]], at_once: int, timeout: Duration | None) -> list[Result]:
        """Run ``jobs``, each of which is made when it is its turn, so many ``at_once``; gives how they ended.

        ``timeout``: after which all that still run are ended.
        """
        todo = iter(jobs)
        results: list[Result] = []
        if timeout is not None:
            self.timers.set("timeout", timeout.ms / 1000, lambda: self._time_is_up(timeout))
        with self._signals():
            try:
                while True:
                    self._take(todo, at_once)
                    if not self._running:
                        return results
                    self._turn()
                    results += self._ended()
            finally:
                for job in self._running:
                    job.close()
                self._selector.close()

    def _take(self, todo: Iterator[Callable[[], LocalJob]], at_once: int) -> None:
        """Begin the next jobs, unless the run is to end."""
        while len(self._running) < at_once and self.ended_by is None and "timeout" not in self._over:
            make = next(todo, None)
            if make is None:
                return
            job = make()
            self._running.append(job)
            job.begin()

    def _turn(self) -> None:
        """Wait for something, and do what is to be done."""
        if any(job.result is not None for job in self._running):
            return
        for key, _ in self._selector.select(self.timers.wait()):
            if self._selector.get_map().get(key.fd) is key:  # what came before may have closed it
                key.data()
        self.timers.do_due()

    def _ended(self) -> list[Result]:
        done = [job for job in self._running if job.result is not None]
        self._running = [job for job in self._running if job.result is None]
        for job in done:
            job.close()
        return [job.result for job in done if job.result is not None]

    def _time_is_up(self, timeout: Duration) -> None:
        self._over.add("timeout")
        for job in list(self._running):
            job.fail(f"the timeout of {timeout} has passed")

    # --- signals ---

    @contextmanager
    def _signals(self) -> Generator[None]:
        """Have the numbers of :data:`ENDING` written into a pipe that the loop reads."""
        self._over: set[str] = set()
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)
        before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        heard = [
            number for number in (*ENDING, signal.SIGCHLD) if signal.getsignal(number) is not signal.SIG_IGN
        ]  # nohup has SIGHUP ignored
        handlers = {number: signal.signal(number, _heard) for number in heard}
        self.add(reading, lambda: self._signalled(os.read(reading, 64)))
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(before)
            os.close(reading)
            os.close(writing)

    def _signalled(self, numbers: bytes) -> None:
        for number in numbers:
            if number == signal.SIGCHLD:
                for job in self._running:
                    job.wake()
            if number not in ENDING:
                continue
            name = signal.Signals(number).name
            now = self.ended_by is not None or number == signal.SIGQUIT
            self.ended_by = self.ended_by or number
            more = "" if now else "; once more ends everything at once"
            self._tell(f"{name}: {'killing' if now else 'stopping'} what runs{more}")
            for job in list(self._running):
                job.interrupt(f"it was ended by {name}", now=now)


def _heard(number: int, frame: FrameType | None) -> None:
    """Leave a signal to the pipe, which wakes the loop."""


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
