"""The option ``files`` in jobs that really run: what submit.sh sends is in the work folder of every task."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import job, policy, unit
from tests.unit.backends.yarn.cluster import Cluster, native
from tfdsl.ir.model import ArchiveMount, HostMount

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

HOSTILE = "-a, b:'\"$(id)`id`\\ {{x}}\n*é😀"
CONTENTS = bytes(range(256)) * 3

EVERY_WAY = [
    ("3.4", {}),
    ("3.3", {"webhdfs": ""}),
    ("3.1", {}),
    ("3.1", {"store": "shared"}),
    ("2.10", {}),
]


def write_sources(folder: Path) -> None:
    """A file with every byte, a file with a hostile name, and a folder with a program, a hidden file and a link."""
    (folder / "src").mkdir()
    (folder / "src/data.bin").write_bytes(CONTENTS)
    (folder / HOSTILE).write_text("hostile")
    conf = folder / "conf"
    (conf / "empty").mkdir(parents=True)
    (conf / ".hidden").write_text("hidden")
    (conf / "linked").symlink_to(folder / "src/data.bin")
    run = conf / "run me"
    run.write_text("#!/bin/sh\necho ran\n")
    run.chmod(0o755)


@pytest.mark.parametrize(("version", "options"), EVERY_WAY)
def test_every_task_has_the_files(tmp_path: Path, version: str, options: dict[str, str]) -> None:
    cluster = Cluster(tmp_path, version)
    write_sources(tmp_path)
    sent = ("src/data.bin", HOSTILE, "conf/")
    script = "'conf/run me' >got; ls -A conf >listed"
    made = job(native("worker", 2, script), native("ps", 1, script + "; sleep 60"))
    given = {name: str(tmp_path / value) if name == "store" else value for name, value in options.items()}
    done = cluster.submit(unit(made, "yarn", version, **given, files=sent))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    places = cluster.containers()
    assert sorted(places) == ["ps[0]", "worker[0]", "worker[1]"]
    for place in places.values():
        assert (place / "data.bin").read_bytes() == CONTENTS
        assert (place / HOSTILE).read_text() == "hostile"
        assert (place / "conf/linked").read_bytes() == CONTENTS
        assert not (place / "conf/linked").is_symlink()
        assert (place / "conf/.hidden").read_text() == "hidden"
        assert (place / "conf/empty").is_dir()
    assert (places["worker[0]"] / "got").read_text() == "ran\n"


def test_a_relaunch_keeps_what_the_task_has_changed(cluster: Cluster) -> None:
    (cluster.folder / "state").write_text("0\n")
    script = "echo x >>state; [ $(wc -l <state) -ge 3 ]"
    made = job(native("worker", 1, script), policies=(policy("failed", "restart container"),), retries=3)
    done = cluster.submit(unit(made, "yarn", files=("state",)))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert (cluster.containers()["worker[0]"] / "state").read_text() == "0\nx\nx\n"


def test_files_replace_what_an_archive_has(cluster: Cluster) -> None:
    (cluster.folder / "default").write_text("default")
    (cluster.folder / "config").write_text("mine")
    with tarfile.open(cluster.folder / "code.tar", "w") as opened:
        opened.add(cluster.folder / "default", "config")
    mounts = (HostMount(at="disk", source=str(cluster.folder)), ArchiveMount(at=".", source="code.tar"))
    made = job(native("worker", 1, "cp config got", mounts=mounts))
    done = cluster.submit(unit(made, "yarn", files=("config",)))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert (cluster.containers()["worker[0]"] / "got").read_text() == "mine"


@pytest.mark.parametrize("version", ["3.4", "3.1"])
def test_a_file_that_is_not_there_is_named_and_nothing_is_submitted(tmp_path: Path, version: str) -> None:
    cluster = Cluster(tmp_path, version)
    done = cluster.submit(unit(job(native("worker", 2, "true")), "yarn", version, files=("none.py",)))
    assert done.returncode == 1
    assert "none.py does not exist; call submit.sh in the folder that the path starts from" in done.stderr
    assert not (tmp_path / "clients").exists()
    assert list((tmp_path / "hdfs/user/alice/.tfjobs").iterdir()) == []


@pytest.mark.parametrize(
    ("version", "options", "line"),
    [
        ("3.4", {}, "tar -cf - -C "),
        ("3.1", {}, "hdfs dfs -put "),
        ("3.1", {"store": "/shared"}, "cp -- "),
    ],
)
def test_print_shows_what_is_sent(cluster: Cluster, version: str, options: dict[str, str], line: str) -> None:
    made = unit(job(native("worker", 2, "true")), "yarn", version, **options, files=("none.py",))
    done = cluster.submit(made, "--print")
    assert done.returncode == 0, done.stderr
    assert [words for words in done.stdout.splitlines() if words.startswith(line)]
    assert done.stdout.splitlines()[-1].startswith("yarn jar ")
    assert done.stderr == "mnist: none.py does not exist, seen from this folder\n"
