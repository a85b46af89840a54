"""Files are written all or none."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from tests.skips import not_as_root
from tests.unit.cli.shell import environment
from tfdsl import writing
from tfdsl.writing import File, write_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def everything(folder: Path) -> dict[str, str]:
    """All files below ``folder``, hidden ones too, with their texts."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_new_folders_and_modes(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        assert (
            write_all([File(str(tmp_path / "a/b/c.yaml"), "x: 1\n"), File(str(tmp_path / "a/run.sh"), "#!\n", True)])
            is None
        )
    finally:
        os.umask(old)
    assert everything(tmp_path) == {"a/b/c.yaml": "x: 1\n", "a/run.sh": "#!\n"}
    assert stat.S_IMODE((tmp_path / "a/run.sh").stat().st_mode) == 0o750
    assert stat.S_IMODE((tmp_path / "a/b/c.yaml").stat().st_mode) == 0o640


def test_overwrites_and_keeps_the_mode_and_the_link(tmp_path: Path) -> None:
    place = tmp_path / "real.yaml"
    place.write_text("old")
    place.chmod(0o604)
    (tmp_path / "link.yaml").symlink_to("real.yaml")
    assert write_all([File(str(tmp_path / "link.yaml"), "new")]) is None
    assert (tmp_path / "link.yaml").is_symlink()
    assert place.read_text() == "new"
    assert stat.S_IMODE(place.stat().st_mode) == 0o604
    assert sorted(os.listdir(tmp_path)) == ["link.yaml", "real.yaml"]


def test_a_folder_in_the_way_leaves_all_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("old")
    (tmp_path / "b.yaml").mkdir()
    failure = write_all(
        [
            File(str(tmp_path / "new/c.yaml"), "c"),
            File(str(tmp_path / "a.yaml"), "a"),
            File(str(tmp_path / "b.yaml"), "b"),
        ]
    )
    assert failure is not None
    assert (failure.path, failure.reason) == (str(tmp_path / "b.yaml"), "it is a folder")
    assert everything(tmp_path) == {"a.yaml": "old"}
    assert not (tmp_path / "new").exists()


def test_a_file_in_the_way_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")
    failure = write_all([File(str(tmp_path / "out/a.yaml"), "a")])
    assert failure is not None
    assert everything(tmp_path) == {"out": "old"}


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_failing_rename_takes_everything_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    (tmp_path / "1.yaml").write_text("old")
    calls = 0
    real = os.replace

    def failing(source: str, place: str) -> None:
        nonlocal calls
        calls += 1
        if calls == at + 1:
            raise OSError(28, "No space left on device")
        real(source, place)

    monkeypatch.setattr(writing.os, "replace", failing)
    failure = write_all([File(str(tmp_path / f"{n}.yaml"), "new") for n in range(3)])
    assert failure is not None
    assert failure.reason == "no space left on device"
    assert everything(tmp_path) == {"1.yaml": "old"}


def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(source: str, place: str) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(writing.os, "link", no_links)
    (tmp_path / "a.yaml").write_text("old")
    assert write_all([File(str(tmp_path / "a.yaml"), "new")]) is None
    assert everything(tmp_path) == {"a.yaml": "new"}


def test_an_interrupt_takes_everything_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_all([File(str(tmp_path / "a/b.yaml"), "new")])
    assert os.listdir(tmp_path) == []


@pytest.fixture
def unhandled() -> Iterator[None]:
    """The signals as a shell leaves them, whatever the tests run under (nohup ignores SIGHUP)."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def deliver(number: int) -> None:
    """Let a signal come just now; of two real ones, Python may see the second one first."""
    handler = signal.getsignal(number)
    assert callable(handler)
    handler(number, None)


@pytest.mark.usefixtures("unhandled")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_to_end_takes_everything_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, status: int
) -> None:
    (tmp_path / "old.yaml").write_text("old")
    with monkeypatch.context() as patched:
        patched.setattr(writing.os, "fsync", lambda handle: deliver(number))
        with pytest.raises(SystemExit) as ended:
            write_all([File(str(tmp_path / "old.yaml"), "new"), File(str(tmp_path / "a/b.yaml"), "new")])
    assert ended.value.code == status
    assert everything(tmp_path) == {"old.yaml": "old"}
    assert signal.getsignal(number) is signal.SIG_DFL


@pytest.mark.usefixtures("unhandled")
def test_a_signal_that_the_caller_ignores_stays_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    monkeypatch.setattr(writing.os, "fsync", lambda handle: os.kill(os.getpid(), signal.SIGHUP))
    assert write_all([File(str(tmp_path / "a.yaml"), "new")]) is None
    assert everything(tmp_path) == {"a.yaml": "new"}


def test_an_input_is_never_overwritten_under_any_name(tmp_path: Path) -> None:
    (tmp_path / "job.tfjob").write_text("job")
    (tmp_path / "other.tfjob").symlink_to("job.tfjob")
    failure = write_all([File(str(tmp_path / "other.tfjob"), "x")], [str(tmp_path / "job.tfjob")])
    assert failure is not None
    assert (tmp_path / "job.tfjob").read_text() == "job"


def test_two_outputs_of_one_name(tmp_path: Path) -> None:
    failure = write_all([File(str(tmp_path / "a"), "1"), File(str(tmp_path / "./a"), "2")])
    assert failure is not None
    assert everything(tmp_path) == {}


@not_as_root
def test_a_read_only_folder(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    failure = write_all([File(str(tmp_path / "a"), "1"), File(str(locked / "b"), "2")])
    assert failure is not None
    assert failure.reason == "permission denied"
    assert everything(tmp_path) == {}


def test_a_device_is_written_to() -> None:
    assert write_all([File(os.devnull, "x")]) is None
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_full_device_is_told() -> None:
    failure = write_all([File("/dev/full", "x")])
    assert failure is not None
    assert failure.reason == "no space left on device"


@pytest.mark.parametrize("length", [255, 256])
def test_long_names(tmp_path: Path, length: int) -> None:
    failure = write_all([File(str(tmp_path / ("x" * length)), "1")])
    assert (failure is None) == (length == 255)


# --- modes ---------------------------------------------------------------------------------------------------------


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    ("mask", "executable", "private", "expected"),
    [
        (0o022, False, False, 0o644),
        (0o022, True, False, 0o755),
        (0o077, True, False, 0o700),
        (0o022, False, True, 0o600),
        (0o022, True, True, 0o700),
    ],
)
def test_a_new_file_has_what_the_umask_grants(
    tmp_path: Path, mask: int, executable: bool, private: bool, expected: int
) -> None:
    old = os.umask(mask)
    try:
        assert write_all([File(str(tmp_path / "x"), "", executable, private)]) is None
    finally:
        os.umask(old)
    assert mode(tmp_path / "x") == expected


@pytest.mark.parametrize(("before", "after"), [(0o700, 0o700), (0o600, 0o700), (0o750, 0o750)])
def test_a_script_that_is_there_stays_as_private_as_it_is(tmp_path: Path, before: int, after: int) -> None:
    place = tmp_path / "run.sh"
    place.write_text("old")
    place.chmod(before)
    assert write_all([File(str(place), "new", executable=True)]) is None
    assert mode(place) == after


def test_what_is_not_in_its_place_yet_is_readable_by_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    monkeypatch.setattr(writing.os, "fsync", lambda handle: seen.append(stat.S_IMODE(os.fstat(handle).st_mode)))
    assert write_all([File(str(tmp_path / "x"), "password")]) is None
    assert seen[0] == 0o600


# --- links and pipes -----------------------------------------------------------------------------------------------


def test_a_name_that_the_user_did_not_write_leads_nowhere_else(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    victim.chmod(0o644)
    out = tmp_path / "out"
    (out / "job").mkdir(parents=True)
    (out / "job/submit.sh").symlink_to(victim)
    (out / "up").symlink_to(tmp_path)
    for name in ("job/submit.sh", "up/victim", "up/new"):
        failure = write_all([File(str(out / "a"), "a"), File(str(out / name), "x", executable=True, root=str(out))])
        assert failure is not None
        assert "leads out of" in failure.reason
    assert (victim.read_text(), mode(victim)) == ("mine", 0o644)
    assert not (out / "a").exists()


def test_a_link_inside_of_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "out").symlink_to(".")
    assert write_all([File(str(tmp_path / "out/link"), "new", root=str(tmp_path / "out"))]) is None
    assert (tmp_path / "real").read_text() == "new"


def test_a_pipe_in_the_way_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    failure = write_all([File(str(tmp_path / "pipe"), "x", root=str(tmp_path))])
    assert failure is not None
    assert failure.reason == "it is not a regular file"
    failure = write_all([File(str(tmp_path / "pipe"), "x")])  # the user has named it, but nobody reads
    assert failure is not None
    assert failure.reason == "no such device or address"


def test_a_pipe_of_the_caller_gets_all_of_it() -> None:
    out, into = os.pipe()
    text = "x" * 200_000  # more than a pipe holds
    got: list[bytes] = []

    def read() -> None:
        with os.fdopen(out, "rb") as pipe:
            got.append(pipe.read())

    reader = threading.Thread(target=read)
    reader.start()
    try:
        assert write_all([File(f"/dev/fd/{into}", text)]) is None
    finally:
        os.close(into)
        reader.join()
    assert got == [text.encode()]


# --- signals and kills ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("unhandled")
def test_a_second_signal_does_not_stop_the_taking_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        (tmp_path / f"{number}.yaml").write_text("old")
    real = os.replace

    def impatient(source: str, place: str) -> None:
        real(source, place)
        deliver(signal.SIGTERM)
        deliver(signal.SIGINT)

    with monkeypatch.context() as patched:
        patched.setattr(writing.os, "replace", impatient)
        with pytest.raises(SystemExit):
            write_all([File(str(tmp_path / f"{n}.yaml"), "new") for n in range(4)])
    assert everything(tmp_path) == {f"{number}.yaml": "old" for number in range(4)}


@pytest.mark.usefixtures("unhandled")
@pytest.mark.parametrize("name", ["replace", "link", "open", "chmod"])
def test_an_interrupt_at_any_call_leaves_old_or_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = {f"{number}.yaml": "old" for number in range(3)}
    after = {f"{number}.yaml": "new" for number in range(3)}
    for at in range(12):
        for file in before:
            (tmp_path / file).write_text("old")
        calls = 0
        real = getattr(os, name)

        def interrupted(*words: object, **more: object) -> object:
            nonlocal calls
            calls += 1
            done = real(*words, **more)  # noqa: B023  (called within the round)
            if calls == at + 1:  # noqa: B023
                deliver(signal.SIGINT)
            return done

        with monkeypatch.context() as patched:
            patched.setattr(writing.os, name, interrupted)
            try:
                write_all([File(str(tmp_path / file), "new") for file in before])
            except KeyboardInterrupt:
                assert calls > at
        assert everything(tmp_path) in (before, after)


KILLED = """\
import os, sys
from tfdsl import writing
from tfdsl.writing import File, write_all
count, calls = int(sys.argv[2]), 0
real = os.replace
def replace(source, place):
    global calls
    calls += 1
    if calls == count:
        os.kill(os.getpid(), 9)
    real(source, place)
os.replace = replace
write_all([File(f"{sys.argv[1]}/{n}.yaml", "new") for n in range(3)])
"""


@pytest.mark.usefixtures("umask_022")
@pytest.mark.parametrize("at", [1, 2, 3])
def test_after_a_kill_each_file_is_whole_and_a_later_run_tidies_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    for number in range(3):
        (tmp_path / f"{number}.yaml").write_text("old")
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), str(at)], env=environment(), cwd=tmp_path, check=False
    )
    assert ran.returncode == -signal.SIGKILL
    left = everything(tmp_path)
    assert {left[f"{number}.yaml"] for number in range(3)} <= {"old", "new"}
    hidden = [name for name in left if name.startswith(".tfdsl-")]
    assert hidden
    waiting = [name for name in hidden if left[name] == "new"]
    assert sorted(mode(tmp_path / name) for name in waiting) == sorted([0o600] * (len(waiting) - 1) + [0o644])
    (tmp_path / f".tfdsl-{os.getpid()}-0123456789ab").write_text("of a run that goes on")
    (tmp_path / ".tfdsl-notes").write_text("the user's")
    monkeypatch.setattr(writing.time, "time", lambda: 4e9)
    assert write_all([File(str(tmp_path / f"{number}.yaml"), "newer") for number in range(3)]) is None
    assert everything(tmp_path) == {
        **{f"{number}.yaml": "newer" for number in range(3)},
        f".tfdsl-{os.getpid()}-0123456789ab": "of a run that goes on",
        ".tfdsl-notes": "the user's",
    }


def test_what_is_young_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".tfdsl-999999999-0123456789ab").write_text("of another container")
    assert write_all([File(str(tmp_path / "x"), "x")]) is None
    assert (tmp_path / ".tfdsl-999999999-0123456789ab").exists()


def test_what_cannot_be_put_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "ab":
        (tmp_path / name).write_text("old")
    real = os.replace
    calls = 0

    def failing(source: str, place: str) -> None:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OSError(30, "Read-only file system")
        real(source, place)

    monkeypatch.setattr(writing.os, "replace", failing)
    failure = write_all([File(str(tmp_path / name), "new") for name in "ab"])
    assert failure is not None
    assert failure.reason.startswith("read-only file system; the old text of")
    old = failure.reason.rpartition(" ")[2]
    assert open(old, encoding="utf-8").read() == "old"  # noqa: SIM115
