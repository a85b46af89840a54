"""When a program starts again in place: as the kubelet does it (kubernetes.io, "Pod Lifecycle").

"The kubelet restarts them with an exponential backoff delay (10s, 20s, 40s, …), that is capped at 300 seconds (5
minutes). Once a container has executed for 10 minutes without any problems, the kubelet resets the restart backoff
timer."
"""

from __future__ import annotations

from tfdsl.running.local_job import FIRST_PAUSE, Backoff


def test_the_pauses_of_the_kubelet() -> None:
    now: float = 1000.0
    backoff = Backoff(FIRST_PAUSE, lambda: now)
    pauses: list[float] = []
    for _ in range(9):
        now += 3
        pauses.append(backoff.pause())
        now += pauses[-1]
    assert pauses == [0, 10, 20, 40, 80, 160, 300, 300, 300]
    now += 599
    assert backoff.pause() == 300
    now += 300 + 600
    assert [backoff.pause(), backoff.pause()] == [0, 10]


def test_a_shorter_first_pause() -> None:
    backoff = Backoff(0.5, lambda: 0.0)
    assert [backoff.pause() for _ in range(12)] == [0, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300]
    backoff = Backoff(0, lambda: 0.0)
    assert {backoff.pause() for _ in range(12)} == {0}
