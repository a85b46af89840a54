"""Opening files: nothing blocks, nothing but a regular file is read unasked."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from tfdsl.source_files import NOT_REGULAR, Outside, beginning, contents, read
from tfdsl.text import Source

if TYPE_CHECKING:
    from pathlib import Path


def test_a_fifo_without_a_writer_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read(str(tmp_path / "pipe")) == NOT_REGULAR


def test_a_link_to_a_device_is_a_device(tmp_path: Path) -> None:
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert read(str(tmp_path / "zero")) == NOT_REGULAR
    assert read("/dev/tty") == NOT_REGULAR


def test_a_socket_is_not_read(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "s"))
        assert read(str(tmp_path / "s")) == NOT_REGULAR


def test_a_regular_file_of_the_kernel_does_not_block() -> None:
    # Endless, and it waits for the next line of the kernel's log.
    if not os.access("/proc/kmsg", os.R_OK):
        pytest.skip("the kernel denies it: this user may not read its log")
    assert isinstance(read("/proc/kmsg"), (str, Source))


def test_a_descriptor_of_the_caller_is_read_to_its_end() -> None:
    out, into = os.pipe()

    def write() -> None:
        with os.fdopen(into, "wb") as pipe:
            pipe.write(b"job a { }\n")

    writer = threading.Timer(0.2, write)  # later than the read: the reader has to wait for it
    writer.start()
    try:
        found = read(f"/dev/fd/{out}")
    finally:
        writer.join()
        os.close(out)
    assert isinstance(found, Source)
    assert found.text == "job a { }\n"


def test_a_bound_on_the_size(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"x" * (1 << 20))
    assert contents(str(tmp_path / "x"), 1 << 20) == b"x" * (1 << 20)
    (tmp_path / "x").write_bytes(b"x" * ((1 << 20) + 1))
    assert contents(str(tmp_path / "x"), 1 << 20) == "it is larger than 1 MiB"


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
def test_what_is_no_name(path: str) -> None:
    assert read(path) == "it is not a file name"


# --- what a text or a folder names -------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a repository, beside which is a file that is none of its business."""
    project = tmp_path.resolve() / "project"
    (project / ".git/modules/sub").mkdir(parents=True)
    (project / "sub").mkdir()
    for path in (project.parent / "outside", *(project / name for name in (".git/config", ".git/modules/sub/config"))):
        path.write_text("s3cret")
    (project / "sub/.git").write_text("s3cret")
    (project / "inside").write_text("welcome")
    return project


def below(project: Path, name: str, *more: str) -> bytes | str:
    return contents(str(project / name), roots=(str(project), *more))


def test_what_is_below_a_root_is_read(project: Path) -> None:
    (project / "link").symlink_to("inside")
    assert below(project, "inside") == below(project, "link") == b"welcome"
    assert below(project, "../outside", str(project.parent)) == b"s3cret"


def test_a_link_that_leads_out_says_where_it_may_lead(project: Path) -> None:
    (project / "link").symlink_to("../outside")
    assert below(project, "link") == Outside(str(project))
    assert below(project, "link") == f"it is outside {project}"


GIT = (
    *(".git/config", ".GIT/config", ".git/modules/sub/config", "sub/.git", "sub/.Git", "link", "folder/config"),
    *(".g\u200cit/config", "git~1/config", ".git./config", ".git /config", ".git::$INDEX_ALLOCATION/config"),
)


@pytest.mark.parametrize("name", GIT)
def test_nothing_in_a_git_folder_is_read(project: Path, name: str) -> None:
    (project / "link").symlink_to(".git/config")
    (project / "folder").symlink_to(".git")
    if not (project / name).exists():  # a file system on which this is no other name of it
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("s3cret")
    assert below(project, name) == "nothing in .git is ever read"


def test_a_git_folder_that_is_a_link_is_one(project: Path) -> None:
    (project / ".git").rename(project / "kept")
    (project / ".git").symlink_to("kept")
    assert below(project, ".git/config") == "nothing in .git is ever read"


@pytest.mark.parametrize("name", [".gitignore", ".github/x", "x.git/y", "gitdir", ".git-x", "...git"])
def test_names_that_only_begin_alike(project: Path, name: str) -> None:
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text("welcome")
    assert below(project, name) == b"welcome"


def test_a_worktree_that_somebody_keeps_in_a_git_folder_is_read(project: Path) -> None:
    (project / ".git/tree").mkdir()
    (project / ".git/tree/x").write_text("welcome")
    assert contents(str(project / ".git/tree/x"), roots=(str(project / ".git/tree"),)) == b"welcome"


def test_files_that_the_kernel_makes_are_not_regular() -> None:
    """They are regular files by their mode, and the root of a job in ``/`` is ``/``."""
    assert contents("/proc/self/environ", roots=("/",)) == NOT_REGULAR
    assert contents("/proc/self/status", roots=("/proc",)) == NOT_REGULAR


@pytest.mark.parametrize("name", ["pipe", "link", "socket", "folder", "nothing"])
def test_what_is_no_regular_file_below_a_root(project: Path, name: str) -> None:
    os.mkfifo(project / "pipe")
    (project / "link").symlink_to("pipe")
    (project / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as door, contextlib.chdir(project):
        door.bind("socket")
        reason = {"folder": "it is a folder", "nothing": "there is no such file"}.get(name, NOT_REGULAR)
        assert below(project, name) == reason
        assert beginning(str(project / name), 5, (str(project),)) == b""


@pytest.mark.parametrize("way", ["folder", "file"])
@pytest.mark.parametrize("proc", [True, False])
def test_a_link_that_is_put_there_in_between_leads_nowhere(
    project: Path, monkeypatch: pytest.MonkeyPatch, way: str, proc: object
) -> None:
    """The folder, or the file, is replaced by a link after it was looked at and before it is opened."""
    (project / "a").mkdir()
    (project / "a/config").write_text("welcome")
    opened = os.open

    def replacing(path: str, flags: int, *more: int) -> int:
        monkeypatch.setattr(os, "open", opened)
        (project / "a").rename(project / "was")
        if way == "folder":
            (project / "a").symlink_to(".git")
        else:
            (project / "a").mkdir()
            (project / "a/config").symlink_to("../../outside")
        return opened(path, flags, *more)

    monkeypatch.setattr(os, "open", replacing)
    if not proc:
        monkeypatch.setattr(os, "readlink", _no_proc)
    found = below(project, "a/config")
    assert isinstance(found, str)
    assert found == ("nothing in .git is ever read" if way == "folder" else "too many levels of symbolic links")


def _no_proc(path: str) -> str:
    if path.startswith("/proc/"):
        raise FileNotFoundError(path)
    return os.fsdecode(_readlink(path))


_readlink = os.readlink


def test_the_gate_needs_no_proc(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "readlink", _no_proc)
    assert below(project, "inside") == b"welcome"


def test_a_descriptor_is_none_that_a_text_names(project: Path) -> None:
    handle = os.open(project.parent / "outside", os.O_RDONLY)
    try:
        for path in (f"/dev/fd/{handle}", f"/proc/self/fd/{handle}"):
            assert contents(path) == b"s3cret"
            assert contents(path, roots=("/dev", "/proc", str(project))) == Outside("/dev")
    finally:
        os.close(handle)
