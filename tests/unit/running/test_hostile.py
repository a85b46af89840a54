"""Commands that do not want to end, or to be found."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from tests.unit.running.runs import left, python, shell
from tfdsl.running.launch import Ended

if TYPE_CHECKING:
    from tests.unit.running.runs import Seen

STUBBORN = "trap '' TERM INT HUP QUIT USR1 USR2"

HOSTILE = {
    "ignores signals": shell(f"{STUBBORN}; echo ready; while :; do sleep 1; done"),
    "leaves its session twice": shell(
        f"echo ready; {STUBBORN}; setsid setsid sh -c 'while :; do sleep 1; done'; sleep 1000"
    ),
    "closes its output": shell("echo ready; exec >/dev/null 2>&1; (setsid sleep 1000 &); sleep 1000"),
    "stops itself": shell("echo ready; kill -STOP $$; sleep 1000"),
    "stops its children": shell("sleep 1000 & kill -STOP $!; echo ready; wait"),
    "has an odd name": python(
        "import ctypes, os, time; ctypes.CDLL(None).prctl(15, b') S 1 1 (', 0, 0, 0); os.fork() or os.fork()\n"
        "os.write(1, b'ready\\n')\ntime.sleep(1000)"
    ),
    "has many children": python(
        "import os, time\nfor _ in range(6): os.fork()\nos.write(1, b'ready\\n')\ntime.sleep(1000)"
    ),
    "starts ever new processes": python(
        "import os, time\nfor _ in range(3):\n if os.fork() == 0:\n"
        "  end = time.monotonic() + 20\n  while time.monotonic() < end:\n   if os.fork(): os._exit(0)\n  os._exit(0)\n"
        "os.write(1, b'ready\\n')\ntime.sleep(1000)"
    ),
    "starts ever new sessions": python(
        "import os, time\nfor _ in range(2):\n if os.fork() == 0:\n"
        "  end = time.monotonic() + 20\n  while time.monotonic() < end:\n   os.setsid()\n   if os.fork(): os._exit(0)\n"
        "  os._exit(0)\nos.write(1, b'ready\\n')\ntime.sleep(1000)"
    ),
    "grows": python(
        "import os, time\nos.write(1, b'ready\\n')\nend = time.monotonic() + 20\nfor depth in range(9):\n os.fork()\n"
        " time.sleep(0.002)\nwhile time.monotonic() < end: time.sleep(0.1)"
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_nothing_is_left_of_a_command_that_is_killed(seen: Seen, kind: str) -> None:
    seen.start(HOSTILE[kind])
    seen.written(mark=b"ready")
    time.sleep(0.05)
    seen.supervisor.signal("worker[0]", signal.SIGKILL)
    assert seen.until(Ended) == [Ended("worker[0]", 0, 137)]
    assert not left()
    seen.written()


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_nothing_is_left_when_the_run_is_closed(seen: Seen, kind: str) -> None:
    seen.start(HOSTILE[kind])
    seen.written(mark=b"ready")
    seen.supervisor.close()
    assert not left()
    assert not os.path.exists(seen.supervisor.scratch)


def test_a_command_cannot_keep_its_keeper_from_reporting(seen: Seen) -> None:
    """It may kill its keeper where that is one of its own processes, and ends with it; elsewhere it cannot."""
    seen.start(shell("kill -STOP $PPID; kill -9 $PPID; (setsid sleep 1000 &) ; sleep 0.2; exit 4"))
    (ended,) = seen.until(Ended)
    if seen.supervisor.namespaced:
        assert ended == Ended("worker[0]", 0, 4)
    else:
        assert ended == Ended("worker[0]", 0, 137, why="the process that kept it was killed")
    assert not left()


STOPS_ALL = python(
    "import os, signal, time\n"
    "keeper = os.getppid()\n"
    "above = int(open(f'/proc/{keeper}/stat').read().rpartition(')')[2].split()[1])\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "for one in (keeper, above): os.kill(one, signal.SIGSTOP)\n"
    "os.write(1, b'ready\\n')\n"
    "end = time.monotonic() + 60\n"
    "while time.monotonic() < end:\n for one in (keeper, above):\n"
    "  try: os.kill(one, signal.SIGSTOP)\n  except OSError: pass"
)
"""Stops the two processes above it over and over."""


def test_a_command_that_stops_its_keeper_is_heard_all_the_same(seen: Seen) -> None:
    seen.start(shell("kill -STOP $PPID; exit 4"))
    assert seen.until(Ended) == [Ended("worker[0]", 0, 4)]


@pytest.mark.slow
def test_a_keeper_that_is_stopped_for_good_is_killed(plain: Seen) -> None:
    text = "echo ready; while kill -STOP $PPID; do :; done"
    plain.start(shell(text))
    plain.written(mark=b"ready")
    plain.supervisor.signal("worker[0]", signal.SIGKILL)
    (ended,) = plain.until(Ended)
    assert ended.status == 137
    assert not left()


def test_a_supervisor_that_is_stopped_is_ended_with_all_that_is_below_it(plain: Seen) -> None:
    plain.start(HOSTILE["leaves its session twice"], 1)
    plain.written(mark=b"ready")
    plain.start(STOPS_ALL, 2)
    plain.written(mark=b"ready\nready")
    plain.supervisor.end()
    assert {one.status for one in plain.until(Ended, 2)} == {137}
    plain.supervisor.close()
    assert not left()
    assert not os.path.exists(plain.supervisor.scratch)


@pytest.mark.slow
def test_a_run_whose_supervisor_is_stopped_can_be_closed(plain: Seen) -> None:
    plain.start(shell("kill -STOP $(cut -d ' ' -f 4 /proc/$PPID/stat); echo ready; sleep 1000"))
    plain.written(mark=b"ready")
    plain.supervisor.close()
    assert not left()


def test_others_live_on_when_one_is_killed(seen: Seen) -> None:
    seen.start(shell("echo ready; sleep 1000", "worker[1]"))
    seen.written("worker[1]", b"ready")
    seen.start(HOSTILE["has many children"])
    seen.written(mark=b"ready")
    seen.supervisor.signal("worker[0]", signal.SIGKILL)
    seen.until(Ended)
    assert len(left()) >= 2
    seen.supervisor.signal("worker[1]", signal.SIGTERM)
    assert seen.until(Ended, 2)[-1].status == 143


@pytest.mark.slow
def test_many_at_once(seen: Seen) -> None:
    for index in range(40):
        seen.start(shell(f"exit {index}", f"worker[{index}]"))
    ended = seen.until(Ended, 40)
    assert {one.name: one.status for one in ended} == {f"worker[{index}]": index for index in range(40)}
