"""Timers of a loop."""

from __future__ import annotations

from tfdsl.running.local_job import Timers


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_timers() -> None:
    clock, done = Clock(), list[str]()
    timers = Timers(clock)
    assert timers.wait() is None
    timers.set("b", 2, lambda: done.append("b"))
    timers.set("a", 1, lambda: done.append("a"))
    timers.set("c", 1.5, lambda: done.append("c"))
    timers.set("b", 3, lambda: done.append("later"))
    timers.clear("c")
    timers.clear("never set")
    assert timers.wait() == 1
    clock.now = 2.5
    timers.do_due()
    assert done == ["a"]
    assert timers.wait() == 0.5
    clock.now = 9
    timers.do_due()
    assert done == ["a", "later"]
    assert timers.wait() is None
