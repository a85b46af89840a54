"""What replicas see at the paths of their mounts, with namespaces."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.running.runs import Seen, shell
from tfdsl.running.launch import Ended, Mounted, pod_folder
from tfdsl.running.supervisor import Supervisor

NAMES = [
    "data",
    "with space",
    "'quoted'",
    '"double"',
    "$HOME",
    "\N{PILE OF POO}",
    "a,b=c",
    "back\\slash",
    "new*?[",
    "tab\\040x",
]


def shown(inside: Seen, text: str, *mounts: Mounted, generation: int = 0, **fields: object) -> str:
    """What a shell program writes that sees ``mounts``."""
    inside.events.clear()
    inside.outputs["worker[0]"] = b""
    inside.start(shell(text, mounts=mounts, **fields), generation)  # type: ignore[arg-type]
    ended = inside.until(Ended)[-1]
    written = inside.written()
    assert ended.started, ended.why
    return written.strip() + (f" [{ended.status}]" if ended.status else "")


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_is_seen_at_the_path_as_it_is_written(inside: Seen, tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "file").write_text("inside")
    path = f"/tfdsl-no-such/{name}/deep"
    quoted = path.replace("'", "'\\''")
    text = f"cat '{quoted}/file'; echo new > '{quoted}/made'"
    assert shown(inside, text, Mounted(path, str(tmp_path / name))) == "inside"
    assert (tmp_path / name / "made").read_text() == "new\n"
    assert not os.path.exists("/tfdsl-no-such")


def test_everything_else_is_as_on_this_machine(inside: Seen, tmp_path: Path) -> None:
    (tmp_path / "here").write_text("here")
    text = f"cat {tmp_path}/here; cd /; for i in * .[!.]*; do [ -e $i ] && echo $i; done; ls /dev/null /usr >/dev/null"
    first, *names = shown(inside, text, Mounted("/tfdsl-data", str(tmp_path)), cwd=str(tmp_path)).split("\n")
    assert first.startswith("here")
    top = {entry.name for entry in os.scandir("/") if os.path.exists(entry.path)}
    assert {first.removeprefix("here"), *names} == {*top, "tfdsl-data"}


def test_a_replica_sees_its_own_processes_only(inside: Seen, tmp_path: Path) -> None:
    text = "cd /proc; echo [0-9]* $$"
    pids = shown(inside, text, Mounted("/tfdsl-data", str(tmp_path))).split()
    assert pids == ["1", "2", "2"]
    assert shown(inside, text).split() == pids  # also without a mount


def test_a_readonly_mount_cannot_be_written(inside: Seen, tmp_path: Path) -> None:
    mounts = Mounted("/tfdsl/in", str(tmp_path), readonly=True), Mounted("/tfdsl/out", str(tmp_path))
    assert "Read-only file system" in shown(inside, "LC_ALL=C touch /tfdsl/in/x 2>&1 || touch /tfdsl/out/y", *mounts)
    assert [path.name for path in tmp_path.iterdir()] == ["y"]


def test_mounts_in_mounts_whatever_their_order(inside: Seen, tmp_path: Path) -> None:
    for name in ("outer", "inner", "innermost"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    mounts = (
        Mounted("/tfdsl/a/b/c/d", str(tmp_path / "innermost")),
        Mounted("/tfdsl", str(tmp_path / "outer")),
        Mounted("/tfdsl/a/b", str(tmp_path / "inner"), readonly=True),
    )
    assert (
        shown(inside, "cd /tfdsl; echo * a/* a/b/* a/b/c/d/*", *mounts)
        == "a outer a/b a/b/c a/b/inner a/b/c/d/innermost"
    )
    assert (tmp_path / "outer/a/b").is_dir()  # as on a cluster


def test_a_mount_in_a_folder_that_nothing_can_be_created_in(inside: Seen, tmp_path: Path) -> None:
    source, shut = tmp_path / "source", tmp_path / "shut"
    for path in (source, shut / "beside"):
        path.mkdir(parents=True)
        (path / "file").touch()
    (shut / "link").symlink_to("beside")
    shut.chmod(0o555)
    for folder, beside in ((shut, "link/file"), (Path("/proc/sys/kernel"), "ostype")):
        text = f"cd {folder}; ls {folder}/new/data; ls {beside}; id -u; touch x 2>/dev/null || echo shut"
        first, second, user, *rest = shown(inside, text, Mounted(f"{folder}/new/data", str(source))).split()
        assert (first, second) == ("file", beside)
        assert rest == ["shut"] or user == "0"
        assert not (folder / "new").exists()


def test_folders_of_the_system_are_left_alone(inside: Seen, tmp_path: Path) -> None:
    assert shown(inside, "ls -d /usr/tfdsl-data /usr/lib", Mounted("/usr/tfdsl-data", str(tmp_path))).split() == [
        "/usr/lib",
        "/usr/tfdsl-data",
    ]
    inside.supervisor.close()
    assert not os.path.exists("/usr/tfdsl-data")


def test_a_mount_over_a_folder_of_this_machine(inside: Seen, tmp_path: Path) -> None:
    (tmp_path / "only").touch()
    assert shown(inside, "echo /opt/* /etc/*", Mounted("/opt", str(tmp_path)), Mounted("/etc", str(tmp_path))) == (
        "/opt/only /etc/only"
    )


def test_a_file_is_mounted_as_a_file(inside: Seen, tmp_path: Path) -> None:
    (tmp_path / "settings").write_text("one")
    mounts = Mounted("/etc/passwd", str(tmp_path / "settings")), Mounted("/tfdsl/x/y", str(tmp_path / "settings"))
    assert shown(inside, "cat /etc/passwd /tfdsl/x/y", *mounts) == "oneone"


def test_links_on_the_way_are_followed(inside: Seen, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "absolute").symlink_to(tmp_path / "real")
    (tmp_path / "source").mkdir()
    (tmp_path / "source/file").write_text("x")
    for link in ("link", "absolute"):
        text = f"cat {tmp_path}/{link}/data/file {tmp_path}/real/data/file"
        assert shown(inside, text, Mounted(f"{tmp_path}/{link}/data", str(tmp_path / "source"))) == "xx"


def test_links_in_a_circle_are_told(inside: Seen, tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    inside.start(shell("true", mounts=(Mounted(f"{tmp_path}/circle/data", str(tmp_path)),)))
    (ended,) = inside.until(Ended)
    assert (ended.started, ended.status) == (False, 128)
    assert ended.why == f"{tmp_path}/circle/data: Too many levels of symbolic links"


def test_a_relative_path_is_in_the_work_folder_and_does_not_stay_there(inside: Seen, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "source").mkdir()
    (tmp_path / "source/file").write_text("x")
    text = "cat deep/keys/file; touch beside"
    assert shown(inside, text, Mounted("deep/keys", str(tmp_path / "source")), cwd=str(tmp_path / "work")) == "x"
    inside.supervisor.close()
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["beside"]


def test_the_place_of_a_relative_mount_goes_with_the_last_of_the_runs_that_overlap(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    mounts = (Mounted("place", str(tmp_path / "source")),)
    for order in ((0, 1), (1, 0)):
        runs = [Seen(Supervisor(str(tmp_path))) for _ in order]
        for run in runs:
            if not run.supervisor.namespaced:
                pytest.skip(f"the kernel denies it: {run.supervisor.denied}")
            run.start(shell("test -d place", cwd=str(tmp_path), mounts=mounts))
            assert run.until(Ended)[0].status == 0
        for at in order:
            assert (tmp_path / "place").is_dir()
            runs[at].supervisor.close()
        assert os.listdir(tmp_path) == ["source"]


def test_a_work_folder_in_a_mount_is_made(inside: Seen) -> None:
    assert shown(inside, "pwd", Mounted("/tfdsl", "own"), cwd="/tfdsl/app/src") == "/tfdsl/app/src"


def test_a_folder_and_a_file_are_not_mounted_at_each_other(inside: Seen, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for at, source, kind in ((f"{tmp_path}/file", tmp_path, "a folder"), ("/usr", tmp_path / "file", "a file")):
        inside.events.clear()
        inside.start(shell("true", mounts=(Mounted(at, str(source)),)))
        assert inside.until(Ended)[0].why == f"{at}: cannot mount {kind} there"


def test_scratch_lives_as_long_as_the_pod(inside: Seen) -> None:
    def start(text: str, generation: int, pod: int) -> str:
        folder = pod_folder("worker[0]", pod)
        mounts = Mounted("/tfdsl/disk", f"{folder}/disk"), Mounted("/tfdsl/ram", f"{folder}/ram", memory=1 << 20)
        return shown(inside, text, *mounts, generation=generation, pod=pod)

    assert start("cd /tfdsl; echo disk > disk/x; echo ram > ram/x", 0, 0) == ""
    assert start("cd /tfdsl; cat disk/x ram/x", 1, 0).split() == ["disk", "ram"]
    assert start("cd /tfdsl; ls disk ram", 2, 1).split() == ["disk:", "ram:"]
    assert os.listdir(f"{inside.supervisor.scratch}/pods/worker[0]") == ["1"]


def test_memory_has_its_size(inside: Seen) -> None:
    mount = Mounted("/dev/shm", f"{pod_folder('worker[0]', 0)}/shm", memory=1 << 20)
    text = "head -c 2000000 /dev/zero > /dev/shm/x 2>&1; stat -c %s /dev/shm/x"
    assert shown(inside, text, mount).splitlines()[-1] == str(1 << 20)


def test_the_root_beside_the_mounts_is_small_and_gone_at_the_end(inside: Seen, tmp_path: Path) -> None:
    text = "echo x > /tfdsl-file && cat /tfdsl-file; head -c 100000000 /dev/zero > /tfdsl-file 2>/dev/null || echo full"
    assert shown(inside, text, Mounted("/tfdsl-data", str(tmp_path))).split() == ["x", "full"]
    assert shown(inside, "ls /tfdsl-file 2>/dev/null || echo gone", Mounted("/tfdsl-data", str(tmp_path))) == "gone"
