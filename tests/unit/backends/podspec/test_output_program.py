"""The program around a command with outputs, run in the shells that images have."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.backends import jobs
from tests.unit.backends.podspec import kubelet
from tfdsl.emit.located import plain
from tfdsl.ir.model import RunTimeText, TaskIndex
from tfdsl_backends.podspec.plan import PodPlan, index_of
from tfdsl_backends.podspec.pods import container

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

FIELD = "metadata.labels['index']"
HOSTILE = [
    "",
    " ",
    "a b",
    "'",
    '"',
    "$HOME",
    "$(HOME)",
    "$$",
    "$(",
    "`id`",
    "\\",
    "a\nb",
    "*",
    "--",
    "-e",
    "é$é",
    "😀",
    "$",
]
SHOW = "import json, sys; print(json.dumps(sys.argv[1:]))"


def output(source: object, destination: object, **fields: object) -> dict[str, object]:
    return {"source": source, "destination": destination, **fields}


def made(command: list[str], *outputs: dict[str, object], replicas: int = 1) -> dict[str, Any]:
    """The container of a worker with these outputs."""
    mounts = tuple({"kind": "host", "source": folder, "at": folder} for folder in ("/tmp", "/dev", "/proc"))
    worker = jobs.role("worker", replicas, command=tuple(command), outputs=outputs, mounts=mounts)
    plan = PodPlan(index_of(worker, FIELD))
    data = plain(container(jobs.job(worker), worker, plan, []))
    assert isinstance(data, dict)
    return data


def python(text: str, *args: str) -> list[str]:
    return [sys.executable, "-c", text, *args]


def leave(path: Path, status: int = 0) -> list[str]:
    """A command that writes ``path`` and exits with ``status``."""
    return python(f"import sys; open(sys.argv[1], 'w').write('new'); sys.exit({status})", str(path))


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_arguments_reach_the_command_byte_for_byte(shell: tuple[str, ...], tmp_path: Path) -> None:
    done = kubelet.run(
        made(python(SHOW, *HOSTILE), output(str(tmp_path), str(tmp_path / "c"), when="failure")), {}, shell
    )
    assert json.loads(done.stdout) == HOSTILE
    assert done.returncode == 0


@pytest.mark.parametrize("status", [0, 1, 74, 126, 127, 128, 143, 255])
def test_the_exit_status_is_kept(shell: tuple[str, ...], tmp_path: Path, status: int) -> None:
    command = python(f"raise SystemExit({status})")
    elsewhere = output("/nowhere", str(tmp_path / "c"), when="failure", index=1)
    done = kubelet.run(made(command, elsewhere, replicas=2), {FIELD: "0"}, shell)
    assert done.returncode == status


def test_a_command_that_is_not_there_ends_with_127(shell: tuple[str, ...], tmp_path: Path) -> None:
    done = kubelet.run(made(["/no/such/program"], output("/nowhere", str(tmp_path / "c"))), {}, shell)
    assert done.returncode == 127


@pytest.mark.parametrize(
    ("when", "status", "copied"),
    [
        ("success", 0, True),
        ("success", 3, False),
        ("failure", 0, False),
        ("failure", 3, True),
        ("always", 0, True),
        ("always", 3, True),
    ],
)
def test_when_it_copies(shell: tuple[str, ...], tmp_path: Path, when: str, status: int, copied: bool) -> None:
    runs = tmp_path / "runs"
    command = leave(tmp_path / "model", status)
    done = kubelet.run(made(command, output(str(tmp_path / "model"), str(runs / "a/model"), when=when)), {}, shell)
    assert done.returncode == status
    assert runs.exists() == copied
    if copied:
        assert (runs / "a/model").read_text() == "new"
        assert names(runs / "a") == ["model"]


@pytest.mark.parametrize(
    "name", ["a b", "it's", 'q"q', "$(touch hit)", "`touch hit`", "new\nline", "-rf", "*", "é", "x;y"]
)
def test_hostile_paths(shell: tuple[str, ...], tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "file").write_text("data")
    done = kubelet.run(made(["true"], output(f"{tmp_path}/{name}", f"{tmp_path}/to/{name}/")), {}, shell, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "to" / name / "file").read_text() == "data"
    assert names(tmp_path / "to") == [name]
    assert not (tmp_path / "hit").exists()


def test_folders_are_copied_with_links_and_modes(shell: tuple[str, ...], tmp_path: Path) -> None:
    tree = tmp_path / "1234"
    (tree / "sub").mkdir(parents=True)
    (tree / "sub/run.sh").write_text("x")
    (tree / "sub/run.sh").chmod(0o755)
    (tree / "link").symlink_to("sub/run.sh")
    (tmp_path / "latest").symlink_to(tree)
    done = kubelet.run(made(["true"], output(str(tmp_path / "latest"), str(tmp_path / "out"))), {}, shell)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "out").is_symlink()
    assert os.readlink(tmp_path / "out/link") == "sub/run.sh"
    assert (tmp_path / "out/sub/run.sh").stat().st_mode & 0o777 == 0o755


def test_an_existing_destination_fails_the_task(shell: tuple[str, ...], tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    (target / "old").write_text("old")
    done = kubelet.run(made(leave(tmp_path / "m"), output(str(tmp_path / "m"), str(target))), {}, shell)
    assert done.returncode == 74
    assert "overwrite = true" in done.stderr
    assert names(target) == ["old"]
    assert names(tmp_path) == ["m", "out"]


@pytest.mark.parametrize("old", ["file", "folder", "dangling link"])
def test_overwrite_replaces_whatever_is_there(shell: tuple[str, ...], tmp_path: Path, old: str) -> None:
    target = tmp_path / "runs/out"
    target.parent.mkdir()
    if old == "file":
        target.write_text("old")
    elif old == "folder":
        (target / "deep").mkdir(parents=True)
    else:
        target.symlink_to("/nowhere/at/all")
    done = kubelet.run(made(leave(tmp_path / "m"), output(str(tmp_path / "m"), str(target), overwrite=True)), {}, shell)
    assert done.returncode == 0, done.stderr
    assert target.read_text() == "new"
    assert names(target.parent) == ["out"]


def test_a_source_that_is_missing_fails_the_task(shell: tuple[str, ...], tmp_path: Path) -> None:
    done = kubelet.run(made(["true"], output(str(tmp_path / "m"), str(tmp_path / "out"))), {}, shell)
    assert done.returncode == 74
    assert f"{tmp_path}/m is not there" in done.stderr


def test_a_copy_that_fails_after_a_failure_keeps_the_status(shell: tuple[str, ...], tmp_path: Path) -> None:
    done = kubelet.run(made(["false"], output(str(tmp_path / "m"), str(tmp_path / "out"), when="always")), {}, shell)
    assert done.returncode == 1


def test_a_folder_that_cannot_be_made_fails_the_task_and_the_other_output_is_copied(
    shell: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "blocked").write_text("a file, not a folder")
    first = output(str(tmp_path / "m"), str(tmp_path / "blocked/out"))
    second = output(str(tmp_path / "m"), str(tmp_path / "fine/out"))
    done = kubelet.run(made(leave(tmp_path / "m"), first, second), {}, shell)
    assert done.returncode == 74
    assert (tmp_path / "fine/out").read_text() == "new"


def test_parts_of_a_killed_attempt_are_cleared_away(shell: tuple[str, ...], tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    for start in (".part", ".old"):
        (runs / f"{start}-worker-0-1-{os.uname().nodename}").mkdir()
    copy = output(str(tmp_path / "m"), str(runs / "out"), overwrite=True)
    done = kubelet.run(made(leave(tmp_path / "m"), copy), {}, shell)
    assert done.returncode == 0, done.stderr
    assert names(runs) == ["out"]


@pytest.mark.parametrize("source", ["m", "runs"])
def test_a_copy_that_was_moved_away_comes_back(shell: tuple[str, ...], tmp_path: Path, source: str) -> None:
    runs = tmp_path / "runs"
    (runs / f".old-worker-0-1-{os.uname().nodename}/old").mkdir(parents=True)
    copy = output(str(tmp_path / source), str(runs / "out"), overwrite=True)
    done = kubelet.run(made(["true"], copy), {}, shell)
    assert done.returncode == 74, "m is not there, and a folder cannot be copied into itself"
    assert names(runs) == ["out"]
    assert names(runs / "out") == ["old"]


@pytest.mark.parametrize(("replica", "copied"), [("1", True), ("0", False), ("11", False)])
def test_only_the_named_replica_copies(shell: tuple[str, ...], tmp_path: Path, replica: str, copied: bool) -> None:
    worker = made(leave(tmp_path / "m"), output(str(tmp_path / "m"), str(tmp_path / "out"), index=1), replicas=12)
    done = kubelet.run(worker, {FIELD: replica}, shell)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out").exists() == copied


def test_each_replica_copies_to_its_own_place(shell: tuple[str, ...], tmp_path: Path) -> None:
    place = RunTimeText(parts=(f"{tmp_path}/$", TaskIndex()))
    done = kubelet.run(
        made(leave(tmp_path / "m"), output(str(tmp_path / "m"), place), replicas=12), {FIELD: "11"}, shell
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "$11").read_text() == "new"


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("times", [1, 3])
def test_a_signal_reaches_the_command_at_once_and_its_status_is_kept(
    shell: tuple[str, ...], tmp_path: Path, sent: signal.Signals, times: int
) -> None:
    text = """
import signal, sys, time
caught = []
signal.signal(signal.SIGTERM, lambda *ignored: caught.append(1))
print("up", flush=True)
while not caught:
    time.sleep(0.01)
time.sleep(0.3)
open(sys.argv[1], "w").write("saved")
sys.exit(7)
"""
    container = made(
        python(text, str(tmp_path / "m")), output(str(tmp_path / "m"), str(tmp_path / "out"), when="failure")
    )
    argv, variables = kubelet.process(container, {}, shell)
    with kubelet.started(argv, {**os.environ, **variables}) as running:
        begun = time.monotonic()
        for _ in range(times):
            running.send_signal(sent)
            time.sleep(0.05)
        assert running.wait(10) == 7
        assert time.monotonic() - begun < 5
    assert (tmp_path / "out").read_text() == "saved"


def test_a_command_that_a_signal_kills_ends_with_128_and_its_number(shell: tuple[str, ...], tmp_path: Path) -> None:
    container = made(
        python("import time; print('up', flush=True); time.sleep(30)"), output("/nowhere", str(tmp_path / "o"))
    )
    argv, variables = kubelet.process(container, {}, shell)
    with kubelet.started(argv, {**os.environ, **variables}) as running:
        running.terminate()
        assert running.wait(10) == 143
    done = kubelet.run(
        made(python("import os; os.kill(os.getpid(), 9)"), output("/nowhere", str(tmp_path / "o"))), {}, shell
    )
    assert done.returncode == 137
