"""Outputs are copied, or not, as the program that does it on a cluster copies them."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.unit.running.runs import LONGEST, left, shell
from tfdsl.record import Record
from tfdsl.running.launch import Copied, Ended, Mounted
from tfdsl_backends.podspec.command import shell_program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.running.runs import Seen


class Case(Record):
    """A command, and what is copied afterwards: source, destination, when, overwrite."""

    text: str
    copied: tuple[tuple[str, str, str, bool], ...]
    before: str = "true"


CASES = {
    "a file": Case("echo x > a", (("a", "out/deep/b", "success", False),)),
    "a folder with links": Case("mkdir -p a/b; echo x > a/b/c; ln -s b/c a/d", (("a", "out", "success", False),)),
    "the status is kept": Case("echo x > a; exit 3", (("a", "out", "success", False), ("a", "f", "failure", False))),
    "always": Case("echo x > a; exit 143", (("a", "out", "always", False), ("a", "out2", "success", False))),
    "not on failure": Case("echo x > a", (("a", "out", "failure", False), ("a", "out2", "always", False))),
    "missing": Case("true", (("a", "out", "success", False),)),
    "missing after a failure": Case("exit 5", (("a", "out", "always", False),)),
    "one of two": Case("echo x > b", (("a", "out", "success", False), ("b", "out2", "success", False))),
    "is there": Case("echo x > a", (("a", "out", "success", False),), "echo old > out"),
    "is replaced": Case("echo x > a", (("a", "out", "success", True),), "echo old > out"),
    "a folder is replaced": Case("mkdir a; echo x > a/f", (("a", "out/", "success", True),), "mkdir out; touch out/g"),
    "a folder for a file": Case("echo x > a", (("a", "out", "success", True),), "mkdir out; touch out/g"),
    "a dangling link": Case("ln -s nowhere a", (("a", "out", "success", False),)),
    "a link": Case("echo x > b; ln -s b a", (("a", "out", "success", False),)),
    "its folder is a file": Case("echo x > a", (("a", "out/b", "success", False),), "echo file > out"),
    "odd names": Case('echo x > "a \'\\"$"', (("a '\"$", "o u't\"$/\N{PILE OF POO}", "success", False),)),
    "the only copy": Case("exit 1", (("a", "out", "always", False),), "echo kept > .old-worker-0-OLD"),
}


def tree(folder: Path) -> dict[str, str]:
    """All files below a folder: contents, and where links lead."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        found[name] = f"-> {os.readlink(path)}" if path.is_symlink() else path.read_text() if path.is_file() else "/"
    return found


def on_a_cluster(case: Case, folder: Path) -> int:
    words = ["worker", "0", str(len(case.copied))]
    for source, destination, when, overwrite in case.copied:
        words += [when, "every", "yes" if overwrite else "no", f"{folder}/{source}", f"{folder}/{destination}"]
    argv = ["/bin/sh", "-c", shell_program("output"), "sh", *words, "/bin/sh", "-c", case.text]
    return subprocess.run(argv, cwd=folder, check=False, capture_output=True).returncode


@pytest.mark.parametrize("name", CASES)
def test_as_on_a_cluster(seen: Seen, tmp_path: Path, name: str) -> None:
    case = CASES[name]
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        subprocess.run(["/bin/sh", "-c", case.before], cwd=folder, check=True)
    outputs = tuple(
        Copied(f"{here}/{source}", f"{here}/{destination}", when, overwrite)  # type: ignore[arg-type]
        for source, destination, when, overwrite in case.copied
    )
    seen.start(shell(case.text, cwd=str(here), outputs=outputs))
    (ended,) = seen.until(Ended)
    assert ended.status == on_a_cluster(case, there)
    assert tree(here) == tree(there)


def test_a_failed_copy_says_why(seen: Seen, tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    outputs = Copied("a", "b"), Copied(str(tmp_path), str(tmp_path / "out"))
    seen.start(shell("true", cwd=str(tmp_path), outputs=outputs))
    assert seen.until(Ended) == [Ended("worker[0]", 0, 74)]
    assert seen.written().splitlines() == [
        f"output: {tmp_path}/a is not there",
        "output: cannot copy a to b",
        f"output: {tmp_path}/out exists already; overwrite = true would replace it",
        f"output: cannot copy {tmp_path} to {tmp_path}/out",
    ]


def test_the_paths_are_those_that_the_command_sees(inside: Seen, tmp_path: Path) -> None:
    mounts = Mounted("/tfdsl/in", str(tmp_path / "in")), Mounted("/tfdsl/out", str(tmp_path / "out"))
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    copied = Copied("/tfdsl/in/x", "/tfdsl/out/deep/y")
    inside.start(shell("echo x > /tfdsl/in/x", mounts=mounts, outputs=(copied,)))
    assert inside.until(Ended)[0].status == 0
    assert (tmp_path / "out/deep/y").read_text() == "x\n"


def test_a_full_disk_and_a_readonly_folder_fail_the_copy(inside: Seen, tmp_path: Path) -> None:
    mounts = Mounted("/tfdsl/ram", "ram", memory=1 << 16), Mounted("/tfdsl/ro", str(tmp_path), readonly=True)
    for destination, why in (("/tfdsl/ram/x", "No space left on device"), ("/tfdsl/ro/x", "Read-only file system")):
        inside.events.clear()
        inside.outputs["worker[0]"] = b""
        text = f"head -c 1000000 /dev/zero > {tmp_path}/big"
        inside.start(shell(text, mounts=mounts, outputs=(Copied(f"{tmp_path}/big", destination),)))
        assert inside.until(Ended)[0].status == 74
        assert why in inside.written()
    assert os.listdir(tmp_path) == ["big"]
    inside.events.clear()
    inside.outputs["worker[0]"] = b""
    inside.start(shell("ls -A /tfdsl/ram", mounts=mounts))
    assert inside.written() == ""  # no half copy


def test_a_command_that_is_asked_to_end_is_copied_and_one_that_is_killed_is_not(seen: Seen, tmp_path: Path) -> None:
    for number, status in ((signal.SIGTERM, 143), (signal.SIGKILL, 137)):
        seen.events.clear()
        seen.outputs["worker[0]"] = b""
        outputs = (Copied("a", f"out-{status}", "failure"),)
        seen.start(shell("echo x > a; echo ready; exec sleep 1000", cwd=str(tmp_path), outputs=outputs))
        seen.written(mark=b"ready")
        seen.supervisor.signal("worker[0]", number)
        assert seen.until(Ended) == [Ended("worker[0]", 0, status)]
    assert sorted(os.listdir(tmp_path)) == ["a", "out-143"]


@pytest.mark.parametrize("how", ["killed", pytest.param("closed", marks=pytest.mark.slow)])
def test_a_copy_can_be_killed_and_leaves_nothing_beside_its_destination(seen: Seen, tmp_path: Path, how: str) -> None:
    """Whether the task is killed or tfdsl has gone; what was at the destination stays."""
    (tmp_path / "big").mkdir()
    for number in range(3000):
        (tmp_path / "big" / str(number)).touch()
    (tmp_path / "out").write_text("old")
    seen.start(shell("true", cwd=str(tmp_path), outputs=(Copied("big", "out", overwrite=True),)))
    until = time.monotonic() + LONGEST
    while not (tmp_path / ".part-worker[0]-0").exists():
        assert time.monotonic() < until
    if how == "killed":
        seen.supervisor.signal("worker[0]", signal.SIGKILL)
        assert seen.until(Ended) == [Ended("worker[0]", 0, 137)]
    else:
        seen.supervisor.close()
    assert sorted(os.listdir(tmp_path)) == ["big", "out"]
    assert (tmp_path / "out").read_text() == "old"
    assert not left()
