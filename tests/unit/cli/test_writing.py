"""Files are written all or none."""

from __future__ import annotations

import os
import signal
import stat
from typing import TYPE_CHECKING

import pytest

from tfdsl.cli import writing
from tfdsl.cli.writing import File, write_all

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
    assert stat.S_IMODE((tmp_path / "a/run.sh").stat().st_mode) == 0o755
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


@pytest.mark.usefixtures("unhandled")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_to_end_takes_everything_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, status: int
) -> None:
    (tmp_path / "old.yaml").write_text("old")
    with monkeypatch.context() as patched:
        patched.setattr(writing.os, "fsync", lambda handle: os.kill(os.getpid(), number))
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


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
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
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no such device here")
    failure = write_all([File("/dev/full", "x")])
    assert failure is not None
    assert failure.reason == "no space left on device"


@pytest.mark.parametrize("length", [255, 256])
def test_long_names(tmp_path: Path, length: int) -> None:
    failure = write_all([File(str(tmp_path / ("x" * length)), "1")])
    assert (failure is None) == (length == 255)
