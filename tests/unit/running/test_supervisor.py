from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import ROOT
from tests.unit.running.runs import Seen, left, python, shell
from tfdsl.running.launch import Ended, Launch, Running
from tfdsl.running.supervisor import Supervisor

if TYPE_CHECKING:
    from pathlib import Path

SLOW = {"contextvars", "dataclasses", "inspect", "json", "logging", "random", "re", "shutil", "subprocess", "tempfile"}
"""Modules that take as long to import as all that the supervisor needs."""


def test_the_supervisor_imports_next_to_nothing() -> None:
    code = f"import sys; sys.path.append({str(ROOT)!r}); import tfdsl.running.supervision.program; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert not modules & {*SLOW, "typing"}
    assert {name for name in modules if name.startswith("tfdsl")} <= {
        *("tfdsl", "tfdsl.running", "tfdsl.running.supervision"),
        *(name for name in modules if name.startswith("tfdsl.running.supervision.")),
    }


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file is not a folder"):
        Supervisor(str(tmp_path / "file"))
    with pytest.raises(OSError, match="none does not exist"):
        Supervisor(str(tmp_path / "none"))
    assert not left()


@pytest.mark.parametrize(
    ("text", "status"), [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137), ("kill -TERM $$", 143), ("exit 255", 255)]
)
def test_a_command_ends_with_its_status(seen: Seen, text: str, status: int) -> None:
    seen.start(shell(f"echo one; echo two >&2; {text}"))
    assert seen.until(Ended) == [Ended("worker[0]", 0, status)]
    assert seen.events[0] == Running("worker[0]", 0)
    assert seen.written() == "one\ntwo\n"


@pytest.mark.parametrize(
    ("argv", "cwd", "status", "why"),
    [
        (("no-such-program",), "/", 127, "no-such-program: No such file or directory"),
        (("/etc/passwd",), "/", 126, "/etc/passwd: Permission denied"),
        (("true",), "/no/such/folder", 128, "/no/such/folder: No such file or directory"),
        (("a\0b",), "/", 126, "embedded null byte"),
    ],
)
def test_a_command_that_cannot_run_says_why(seen: Seen, argv: tuple[str, ...], cwd: str, status: int, why: str) -> None:
    seen.start(Launch("worker[0]", argv, {}, cwd))
    assert seen.until(Ended) == [Ended("worker[0]", 0, status, started=False, why=why)]


def test_arguments_and_variables_pass_byte_for_byte(seen: Seen) -> None:
    words = ("a b", "$HOME", "'\"`\\", "\N{PILE OF POO}", "\udcff", "", "x" * 100_000, "\n")
    text = "import os, sys; os.write(1, ascii([sys.argv[1:], os.environ['V']]).encode())"
    launch = python(text)
    launch = Launch("worker[0]", (*launch.argv, *words), {"V": "".join(words)}, "/")
    seen.start(launch)
    assert seen.written() == ascii([list(words), "".join(words)])


def test_a_command_gets_nothing_but_its_three_descriptors(seen: Seen) -> None:
    seen.supervisor.hold(3)
    seen.start(python("import os; print(sorted(map(int, os.listdir('/dev/fd'))))"))
    assert seen.written() == "[0, 1, 2, 3]\n"  # 3: the folder that it lists


def test_a_signal_reaches_every_process(seen: Seen) -> None:
    waits = "trap 'echo got \\$0; exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    seen.start(shell(f"""trap 'wait; exit 6' TERM; sh -c "{waits}" child & wait"""))
    seen.written(mark=b"ready")
    seen.supervisor.signal("worker[0]", signal.SIGTERM)
    assert seen.until(Ended)[0].status == 6
    assert "got child" in seen.written()


def test_signals_are_those_of_a_new_process(seen: Seen) -> None:
    """But for those of the C library itself (32 and 33), which nobody can set and some callers leave ignored."""
    seen.start(shell("grep -E 'Sig(Blk|Ign)' /proc/self/status"))
    own = 0b11 << 31
    assert {int(line.split()[1], 16) & ~own for line in seen.written().splitlines()} == {0}


def test_what_a_command_leaves_behind_ends_with_it(seen: Seen, tmp_path: Path) -> None:
    hidden = "setsid setsid sh -c 'trap \"\" TERM; echo > here; while :; do sleep 1; done'"
    seen.start(shell(f"({hidden} &); while [ ! -e here ]; do sleep 0.05; done", cwd=str(tmp_path)))
    assert seen.until(Ended) == [Ended("worker[0]", 0, 0)]
    assert not left()


def test_ports_are_held_until_the_command_starts_and_again_when_it_has_ended(seen: Seen) -> None:
    (port, other) = seen.supervisor.hold(2)
    assert not _is_free(port)
    assert not _is_free(other)
    text = f"import socket; s = socket.socket(); s.bind(('127.0.0.1', {port})); s.listen(); print(s.getsockname()[1])"
    for generation in range(2):
        seen.start(python(text, port=port), generation)
        assert seen.until(Ended, generation + 1)[-1].status == 0
        assert not _is_free(port)
    seen.supervisor.close()
    assert _is_free(port)
    assert _is_free(other)


def _is_free(port: int) -> bool:
    with socket.socket() as one, suppress(OSError):
        one.bind(("127.0.0.1", port))
        return True
    return False


def test_closing_ends_everything(seen: Seen) -> None:
    for index in range(3):
        seen.start(shell("trap '' TERM; echo $$; setsid sleep 1000", f"worker[{index}]"))
    for index in range(3):
        seen.written(f"worker[{index}]", b"\n")
    assert len(left()) >= 3
    seen.supervisor.close()
    assert not left()
    assert not os.path.exists(seen.supervisor.scratch)
