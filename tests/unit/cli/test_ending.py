"""How the program leaves: at once, unless something waits for the end of the interpreter."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import COMMAND, environment
from tfdsl import __version__

if TYPE_CHECKING:
    from pathlib import Path

VERSION = f"tfdsl {__version__}\n"
LAST_WORDS = "class Last:\n    def __del__(self, say=print):\n        say('taken down', flush=True)\nlast = Last()\n"


def after(begin: str, *options: str, words: tuple[str, ...] = ("--version",)) -> subprocess.CompletedProcess[str]:
    """Run the program after ``begin``; the interpreter says ``taken down`` if it ends in order."""
    code = f"import sys\n{LAST_WORDS}{begin}\nfrom tfdsl.cli.main import program\nprogram()\n"
    command = [sys.executable, *options, "-c", code, *words]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60, check=False)


def test_it_leaves_at_once() -> None:
    done = after("")
    assert (done.returncode, done.stdout, done.stderr) == (0, VERSION, "")


def test_the_status_is_that_of_the_command() -> None:
    assert after("", words=("--wrong",)).returncode == 2


WAITS = """
import threading
threading.Thread(target=lambda: (threading.main_thread().join(), print("waited for"))).start()
"""


@pytest.mark.parametrize(
    ("begin", "told"),
    [
        ("import atexit; atexit.register(print, 'called')", "called\n"),
        ("import logging", ""),  # it registers a function that flushes its handlers
        (WAITS, "waited for\n"),
        ("sys.setprofile(eval('lambda *event: None', {}))", ""),  # a function that does not hold ``last``
        ("sys.settrace(eval('lambda *event: None', {}))", ""),
    ],
    ids=["atexit", "logging", "thread", "profile", "trace"],
)
def test_what_waits_for_the_end_gets_it(begin: str, told: str) -> None:
    done = after(begin)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{VERSION}{told}taken down\n", "")


def test_in_the_development_mode_the_interpreter_ends_in_order() -> None:
    assert after("", "-X", "dev").stdout == f"{VERSION}taken down\n"


def test_what_a_target_has_printed_is_flushed() -> None:
    """``print`` into a pipe stays in a buffer; tfdsl flushes what it writes itself."""
    begin = (
        "import tfdsl.cli.main as m\n"
        "def run(words): print('half a line', end=''); print('told', end='', file=sys.stderr); return 1\n"
        "m._run = run"
    )
    done = after(begin)
    assert (done.returncode, done.stdout, done.stderr) == (1, "half a line", "told")


@pytest.mark.parametrize("module", ["tfdsl", "tfdsl.cli.main"])
@pytest.mark.parametrize("words", [("--help",), ("explain", "gpu"), ("check", "none.tfjob", "--format", "json")])
def test_a_full_disk_is_2_with_its_reason(tmp_path: Path, module: str, words: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", module, *words],
            cwd=tmp_path, env=environment(), stdout=full, stderr=subprocess.PIPE, check=False, text=True,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "tfdsl: cannot write to standard output: No space left on device\n")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_closed_streams(tmp_path: Path, closed: str) -> None:
    """As POSIX permits them. What has nowhere to go is a failure to write; what is not needed is not missed."""
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *COMMAND, "--version"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == (2 if closed.startswith(">") else 0)
    assert "Traceback" not in done.stderr


def test_callers_in_the_same_process_go_on() -> None:
    done = after("import tfdsl.cli.main as m\nprint(m.main(['--version']), flush=True)\nm.program = lambda: 0")
    assert done.stdout == f"{VERSION}0\ntaken down\n"
