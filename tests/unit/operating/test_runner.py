"""Clients that do not behave: they hang, leave others running, or are no programs."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.unit.cli.shell import COMMAND, environment
from tests.unit.operating.conftest import Kubectl, kubectl as kubectl
from tfdsl.backend.cluster import Answer, Call
from tfdsl.operating.problem import ProblemError
from tfdsl.operating.runner import Streams, ask, listen

CASES = [  # a client, its answer
    ("exec >&- 2>&-; sleep 60", 124, ""),
    ("sleep 60", 124, ""),
    ("sleep 60 & echo $!", 0, "a number"),
    ("(trap '' HUP TERM; sleep 60) & echo $!; exit 3", 3, "a number"),
    ("exec >&- 2>&-; sleep 0.1; exit 4", 4, ""),
    ("echo whole; echo wrong >&2; exit 5", 5, "whole\n"),
]


def is_gone(pid: int) -> bool:
    for _ in range(100):
        with suppress(FileNotFoundError, ProcessLookupError):  # gone before it is opened, or while it is read
            if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z":
                time.sleep(0.02)
                continue
        return True
    return False


@pytest.mark.parametrize(("script", "status", "out"), CASES, ids=[one[0] for one in CASES])
def test_a_client_never_takes_longer_than_it_may(script: str, status: int, out: str) -> None:
    start = time.monotonic()
    (answer,) = ask([Call(("sh", "-c", script), "it")], 0.6)
    assert time.monotonic() < start + 10
    assert answer.status == status
    if out == "a number":
        assert is_gone(int(answer.out))
    else:
        assert answer.out == out


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_client_that_may_not_be_ended_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that runs as another user."""

    groups: list[int] = []

    def refused(group: int, number: int) -> None:
        groups.append(group)
        raise PermissionError(group, number)

    monkeypatch.setattr("tfdsl.operating.runner._CLOSING", 0.05)
    monkeypatch.setattr("tfdsl.operating.runner.os.killpg", refused)
    start = time.monotonic()
    (answer,) = ask([Call(("sleep", "20"), "it")], 0.1)
    monkeypatch.undo()
    os.killpg(groups[0], signal.SIGKILL)
    assert (answer.status, time.monotonic() < start + 10) == (124, True)


def test_an_answer_that_is_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfdsl.operating.runner.LONGEST", 1 << 20)
    assert ask([Call(("yes",), "it")]) == [Answer(1, "", "the answer has more than 1 MiB")]


def test_the_same_where_it_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfdsl.operating.runner._CLOSING", 0.1)
    streams, shown = Streams(), bytearray()
    for at in (0, 2):
        streams.start(at, Call(("sh", "-c", CASES[at][0]), "it", stays=True))
    ended: dict[object, Answer] = {}
    until = time.monotonic() + 10
    while len(ended) < 2 and time.monotonic() < until:
        ended |= dict(streams.wait(0.2, lambda key, data: shown.extend(data)))
    streams.close()
    assert set(ended) == {0, 2}
    assert ended[2].status == 0
    assert is_gone(int(shown))


def test_what_is_no_program_is_said(tmp_path: Path) -> None:
    (tmp_path / "client").write_bytes(b"\x7fELF\x02")
    (tmp_path / "client").chmod(0o755)
    with pytest.raises(ProblemError, match="client: Exec format error"):
        ask([Call((str(tmp_path / "client"),), "it")])


def test_a_signal_to_end_ends_the_client(kubectl: Kubectl) -> None:
    program, note = kubectl.folder / "bin/kubectl", kubectl.folder / "pid"
    program.write_text(f"#!/bin/sh\necho $$ > {note}.new && mv {note}.new {note}\nexec sleep 60\n")
    words = [*COMMAND, "status", "tfjob/train"]
    running = subprocess.Popen(words, cwd=kubectl.folder, env=environment(PATH=kubectl.path))
    until = time.monotonic() + 20
    while not note.exists() and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(running.pid, signal.SIGTERM)
    assert running.wait(10) == 143
    assert is_gone(int(note.read_text()))


class UntilHeard(float):
    """A time that comes when something was heard, however long a program needs to start."""

    def __new__(cls, heard: bytearray) -> UntilHeard:
        made = super().__new__(cls)
        made.heard = heard
        return made

    heard: bytearray

    def __gt__(self, now: float) -> bool:
        return not self.heard


LEAVES = "trap 'echo it goes on; exit 130' TERM; echo first; while :; do sleep 0.01; done"


def test_what_stays_is_heard_as_it_comes_and_says_what_it_leaves() -> None:
    heard = bytearray()
    answer = listen(Call(("sh", "-c", "echo one; sleep 0.05; echo two; echo no >&2; exit 3"), "it"), heard.extend)
    assert answer == Answer(3, "one\ntwo\n", "no\n")
    assert heard == b"one\ntwo\n"
    del heard[:]
    answer = listen(Call(("sh", "-c", LEAVES), "it"), heard.extend, UntilHeard(heard))
    assert (answer.status, answer.out) == (124, "first\nit goes on\n")

    def interrupt(data: bytes) -> None:
        heard.extend(data)
        if data == b"first\n":
            raise KeyboardInterrupt

    del heard[:]
    with pytest.raises(KeyboardInterrupt):
        listen(Call(("sh", "-c", LEAVES), "it"), interrupt)
    assert heard == b"first\nit goes on\n"


def test_that_it_does_not_say_what_it_leaves_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfdsl.operating.runner._TO_SAY", 0.2)
    heard = bytearray()
    call = Call(("sh", "-c", "trap '' TERM; echo up; sleep 60"), "job a")
    answer = listen(call, heard.extend, UntilHeard(heard))
    assert answer.status == 124
    assert (
        heard == b"up\nwhat submits job a has not said within 0.2 s what it leaves: tfdsl status says what is there\n"
    )
