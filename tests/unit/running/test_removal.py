"""Folders that do not want to be removed."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import ROOT
from tests.unit.running.conftest import as_user
from tests.unit.running.runs import Seen, python
from tfdsl.running.launch import Copied, Ended, Mounted, pod_folder
from tfdsl.running.supervision.scratch import empty, remove

if TYPE_CHECKING:
    from pathlib import Path

DEEP = """
import os
os.chdir({folder!r})
for _ in range({levels}):
    os.mkdir({name!r})
    os.chdir({name!r})
open("file", "w").close()
"""
"""A program that makes folders, each in the one before."""


@pytest.mark.parametrize(("levels", "name"), [(1500, "d"), (300, "a-name-of-20-letters")])
def test_folders_deeper_than_the_stack_and_the_longest_path(tmp_path: Path, levels: int, name: str) -> None:
    """A path may have 4,096 bytes (limits.h, PATH_MAX), Python 1,000 frames."""
    text = DEEP.format(folder=str(tmp_path), levels=levels, name=name)
    subprocess.run([sys.executable, "-I", "-S", "-c", text], check=True)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/dev/fd"))) + 5, before[1]))
    try:
        empty(str(tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert os.listdir(tmp_path) == []


def test_links_are_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    (kept / "below").mkdir(parents=True)
    (kept / "file").write_text("text")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "to-folder").symlink_to(kept)
    (folder / "to-file").symlink_to(kept / "file")
    (folder / "to-nothing").symlink_to("nothing")
    os.mkfifo(folder / "pipe")
    (tmp_path / "link").symlink_to(kept)
    assert remove(str(folder))
    assert remove(str(tmp_path / "link"))
    assert remove(str(tmp_path / "none"))
    assert sorted(os.listdir(tmp_path)) == ["kept"]
    assert sorted(os.listdir(kept)) == ["below", "file"]
    assert (kept / "file").read_text() == "text"


def test_folders_that_are_closed_to_their_owner(tmp_path: Path) -> None:
    text = (
        f"import sys, os; sys.path.append({str(ROOT)!r}); os.chdir({str(tmp_path)!r})\n"
        "from tfdsl.running.supervision.scratch import remove\n"
        "os.makedirs('top/a/b/c'); open('top/a/b/file', 'w').close()\n"
        "for path, mode in (('top/a/b/c', 0), ('top/a/b', 0o100), ('top/a', 0o500), ('top', 0)): os.chmod(path, mode)\n"
        "print(remove('top'), os.listdir())"
    )
    done = subprocess.run([*as_user(), sys.executable, "-I", "-S", "-c", text], capture_output=True, check=True)
    assert done.stdout == b"True []\n", done.stderr


@pytest.mark.slow
def test_the_supervisor_removes_a_deep_pod_between_two_and_at_the_end(inside: Seen) -> None:
    text = DEEP.format(folder="/tfdsl-scratch", levels=1500, name="d")
    for pod in range(2):
        mounts = tuple(
            Mounted(f"/tfdsl-{kind}", f"{pod_folder('worker[0]', pod)}/{kind}", memory=memory)
            for kind, memory in (("scratch", None), ("memory", 1 << 24))
        )
        fill = f"{text}\n{DEEP.format(folder='/tfdsl-memory', levels=1500, name='d')}"
        inside.start(python(fill, mounts=mounts, pod=pod), pod)
        assert inside.until(Ended, pod + 1)[-1] == Ended("worker[0]", pod, 0), inside.outputs
    assert os.listdir(f"{inside.supervisor.scratch}/pods/worker[0]") == ["1"]
    inside.supervisor.close()
    assert not os.path.exists(inside.supervisor.scratch)


@pytest.mark.slow
def test_an_output_that_is_too_deep_is_not_copied(seen: Seen, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    outputs = (Copied("out", "copies/out"),)
    text = DEEP.format(folder=str(tmp_path / "out"), levels=1500, name="d")
    seen.start(python(text, cwd=str(tmp_path), outputs=outputs))
    assert seen.until(Ended)[0].status == 74
    written = seen.written()
    assert "cannot copy out to copies/out" in written
    assert "Traceback" not in written
    assert os.listdir(tmp_path / "copies") == []
    empty(str(tmp_path))
