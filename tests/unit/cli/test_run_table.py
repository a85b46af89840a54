"""The table of tasks below the lines of a run, on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import termios
from typing import TYPE_CHECKING

import pyte

from tests.unit.cli.shell import COMMAND, environment
from tests.unit.cli.test_run import IMAGE
from tests.unit.running.jobs import job
from tfdsl.lifecycle.behaviour import Behaviour
from tfdsl.lifecycle.machine import Machine
from tfdsl.running.screen import TableLine, table_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ROWS, COLUMNS = 24, 80


class Terminal:
    """What a terminal shows while a command runs on it. ``seen``: every screen, as lines with single spaces."""

    def __init__(self, folder: Path, *words: str, command: Sequence[str] = COMMAND, **more: str) -> None:
        screen = pyte.Screen(COLUMNS, ROWS)
        stream = pyte.ByteStream(screen)
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (ROWS, COLUMNS))
        env = environment(**{"TERM": "xterm"} | more)
        process = subprocess.Popen([*command, *words], cwd=folder, stdout=theirs, stderr=theirs, env=env)
        os.close(theirs)
        self.seen: list[list[str]] = []
        self.raw = b""
        try:
            while part := os.read(ours, 65536):
                self.raw += part
                stream.feed(part)
                self.seen.append([" ".join(line.split()) for line in screen.display])
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.status = process.wait()
        self.last = [line for line in self.seen[-1] if line]


def demo(folder: Path, *lines: str) -> str:
    body = "\n  ".join((IMAGE, *lines))
    (folder / "demo.tfjob").write_text(f"job demo {{\n  {body}\n}}\n", encoding="utf-8")
    return "demo.tfjob"


def test_a_terminal_has_a_table_below_the_lines(tmp_path: Path) -> None:
    """It is gone at the end, and what was written stays."""
    name = demo(
        tmp_path, 'role chief { command = "echo one; sleep 1; echo two" }', 'role worker { command = "sleep 60" }'
    )
    shown = Terminal(tmp_path, "run", name)
    assert shown.status == 0
    tables = [screen for screen in shown.seen if "chief[0] running" in screen]
    assert any("worker[0] running" in screen for screen in tables)
    assert any("chief[0] | one" in screen[: screen.index("chief[0] running")] for screen in tables)
    assert shown.last[-4:-1] == ["chief[0] | one", "chief[0] | two", "chief[0] has completed"]
    assert shown.last[-1].startswith("job demo has completed in ")
    assert b"\x1b[36mchief[0]  |\x1b[0m" in shown.raw


def test_a_plain_terminal_has_none(tmp_path: Path) -> None:
    name = demo(tmp_path, 'role worker { command = "echo one" }')
    shown = Terminal(tmp_path, "run", name, NO_COLOR="1")
    assert b"\x1b[36m" not in shown.raw
    dumb = Terminal(tmp_path, "run", name, TERM="dumb")
    assert dumb.status == 0
    assert b"\x1b" not in dumb.raw


def test_without_a_terminal_rich_is_not_loaded(tmp_path: Path) -> None:
    name = demo(tmp_path, 'role worker { command = ["true"] }')
    code = "import sys; from tfdsl.cli.main import main; main(sys.argv[1:]); print(*{'rich'} & {*sys.modules})"
    done = subprocess.run(
        [COMMAND[0], "-c", code, "run", name],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "\n"


def test_many_tasks_are_counted_by_role() -> None:
    machine = Machine(Behaviour(job('command = ["true"]', "role worker { replicas = 4000 }", "role ps { }")))
    machine.begin()
    assert table_lines([("", machine.state)]) == [
        TableLine("ps", "1 pending", 0),
        TableLine("worker", "4000 pending", 0),
    ]
    small = Machine(Behaviour(job('command = ["true"]', "role worker { }")))
    assert table_lines([("demo ", small.state)]) == [TableLine("demo worker[0]", "waiting", 0)]
