"""Mounts and outputs of emitted jobs that really run."""

from __future__ import annotations

import json
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.unit.backends.jobs import amount, job, policy, unit
from tests.unit.backends.yarn.cluster import Cluster, native
from tfdsl.ir.model import (
    ArchiveMount,
    HdfsMount,
    HostMount,
    Job,
    MemoryMount,
    Output,
    RunTimeText,
    ScratchMount,
    TaskIndex,
)

pytestmark = pytest.mark.slow


def test_mounts_are_there_and_nothing_of_the_source_is_lost(cluster: Cluster) -> None:
    """The link survives two relaunches in its folder, and so does all that it leads to (yarn-slider notes, 1.2)."""
    data = cluster.folder / "the data"
    data.mkdir()
    (data / "precious").write_text("kept")
    big = cluster.folder / "hdfs/data/set"
    big.mkdir(parents=True)
    (big / "part 1").write_text("one")
    with zipfile.ZipFile(cluster.folder / "hdfs/data/code.zip", "w") as opened:
        info = zipfile.ZipInfo("bin/run")
        info.external_attr = 0o755 << 16
        opened.writestr(info, "#!/bin/sh\necho ran >ran\n")
    mounts = (
        HostMount(at="in/data", source=f"{data}/", type="Directory"),
        HostMount(at=str(data), source=str(data)),
        HdfsMount(at="set", uri="hdfs:///data/set"),
        ArchiveMount(at=".", source="hdfs://nn:8020/data/code.zip"),
        ScratchMount(at="tmp/x"),
        MemoryMount(at="fast", size=amount("1Gi")),
    )
    script = (
        "echo x >>tries; cat in/data/precious 'set/part 1' >got; bin/run; touch tmp/x/t fast/t in/data/new; "
        '[ "$(wc -l <tries)" -ge 3 ]'
    )
    made = job(native("worker", 1, script, mounts=mounts), policies=(policy("failed", "restart container"),), retries=5)
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    place = cluster.containers()["worker[0]"]
    assert (place / "tries").read_text() == "x\n" * 3
    assert (place / "got").read_text() == "keptone"
    assert (place / "ran").exists()
    assert sorted(p.name for p in data.iterdir()) == ["new", "precious"]
    assert os.readlink(place / "in/data").rstrip("/") == str(data)
    assert not Path("/dev/shm", f"tfjob-{(place / 'fast').readlink().name.removeprefix('tfjob-')}").exists()
    gets = [json.loads(line) for line in (cluster.folder / "dfs").read_text().splitlines() if '"-get"' in line]
    assert len(gets) == 2  # the relaunches find what was fetched


def test_a_link_never_replaces_what_is_there(cluster: Cluster) -> None:
    data = cluster.folder / "data"
    data.mkdir()
    with tarfile.open(cluster.folder / "code.tar", "w") as opened:
        opened.add(data, "in")
    mounts = (
        ArchiveMount(at=".", source="code.tar"),
        HostMount(at="in", source=str(data)),
    )
    done = cluster.submit(unit(job(native("worker", 1, "true", mounts=mounts)), "yarn"))
    assert done.returncode == 2
    assert "in exists and is not a link; it is left as it is" in cluster.logs()


@pytest.mark.parametrize("name", ["code.tar", "code.zip"])
def test_nothing_is_unpacked_into_a_mounted_folder(cluster: Cluster, name: str) -> None:
    """Whatever the order of the mounts, and however often the task starts."""
    data = cluster.folder / "data"
    data.mkdir()
    (data / "precious").write_text("kept")
    (cluster.folder / "precious").write_text("other")
    with tarfile.open(cluster.folder / "code.tar", "w") as opened:
        opened.add(cluster.folder / "precious", "data/precious")
    with zipfile.ZipFile(cluster.folder / "code.zip", "w") as packed:
        packed.writestr("data/precious", "other")
    mounts = (
        HostMount(at="data", source=str(data)),
        ArchiveMount(at=".", source=name),
    )
    made = job(native("worker", 1, "true", mounts=mounts), policies=(policy("failed", "restart container"),), retries=2)
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 2
    assert (data / "precious").read_text() == "kept"
    assert "data exists and is not a link; it is left as it is" in cluster.logs()


def test_nothing_is_made_through_a_link_of_an_archive(cluster: Cluster) -> None:
    data = cluster.folder / "data"
    data.mkdir()
    (cluster.folder / "link").symlink_to(data)
    with tarfile.open(cluster.folder / "code.tar", "w") as opened:
        opened.add(cluster.folder / "link", "in")
    mounts = (
        ArchiveMount(at=".", source="code.tar"),
        HostMount(at="in/x", source=str(cluster.folder)),
    )
    done = cluster.submit(unit(job(native("worker", 1, "true", mounts=mounts)), "yarn"))
    assert done.returncode == 2
    assert f"in/x would be created through a link, in {data}" in cluster.logs()
    assert list(data.iterdir()) == []


def test_a_mount_that_is_not_there_is_named(cluster: Cluster) -> None:
    mounts = (HostMount(at="in", source="/no/such/folder"),)
    done = cluster.submit(unit(job(native("worker", 1, "true", mounts=mounts)), "yarn"))
    assert done.returncode == 2
    assert "/no/such/folder is not on this node" in cluster.logs()


@pytest.mark.parametrize(
    ("when", "status", "copied"),
    [("success", 0, True), ("success", 3, False), ("failure", 0, False), ("failure", 3, True), ("always", 3, True)],
)
def test_outputs_by_outcome(cluster: Cluster, when: str, status: int, copied: bool) -> None:
    output = Output(source="m", destination="hdfs:///runs/a b/m", when=when)
    made = job(native("worker", 1, f"mkdir m; echo 1 >m/f; exit {status}", outputs=(output,)))
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == (2 if status else 0), cluster.logs()
    assert (cluster.folder / "hdfs/runs/a b/m/f").exists() is copied
    assert (cluster.containers()["worker[0]"] / "status").read_text() == str(status)


@pytest.mark.parametrize("place", ["hdfs:///runs/m", "here/m"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_an_existing_output_stays_unless_it_may_be_replaced(cluster: Cluster, place: str, overwrite: bool) -> None:
    here = cluster.folder / ("hdfs/runs" if place.startswith("hdfs") else "results")
    (here / "m").mkdir(parents=True)
    (here / "m/old").write_text("old")
    output = Output(source="m", destination=place, overwrite=overwrite)
    mounts = (HostMount(at="here", source=str(cluster.folder / "results")),)
    (cluster.folder / "results").mkdir(exist_ok=True)
    made = job(native("worker", 1, "mkdir m; echo 1 >m/new", outputs=(output,), mounts=mounts))
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == (0 if overwrite else 2), cluster.logs()
    assert [p.name for p in (here / "m").iterdir()] == (["new"] if overwrite else ["old"])
    assert [p.name for p in here.iterdir()] == ["m"]
    assert (cluster.containers()["worker[0]"] / "status").read_text() == ("0" if overwrite else "74")


AGAIN = (policy("failed", "restart container"),)


def copies(cluster: Cluster, place: str, script: str, **fields: object) -> tuple[Job, Path]:
    """A worker whose file m is copied to ``place``, m, always; and the folder that it is copied into."""
    results = cluster.folder / ("hdfs/runs" if place.startswith("hdfs") else "results")
    results.mkdir(parents=True)
    mounts = (HostMount(at="here", source=str(cluster.folder / "results")),)
    (cluster.folder / "results").mkdir(exist_ok=True)
    output = Output(source="m", destination=place, when="always")
    return job(native("worker", 1, script, mounts=mounts, outputs=(output,)), policies=AGAIN, retries=3), results


@pytest.mark.parametrize("place", ["hdfs:///runs/m", "here/m"])
@pytest.mark.parametrize("xattrs", ["yes", "no"])
def test_a_restart_may_replace_what_its_own_run_has_copied(cluster: Cluster, place: str, xattrs: str) -> None:
    """``on always`` copies after every try: the one before must not make the last, good one fail."""
    made, results = copies(cluster, place, 'echo x >>tries; mkdir -p m; cp tries m/; [ "$(wc -l <tries)" -ge 3 ]')
    done = cluster.submit(unit(made, "yarn"), STUB_XATTRS=xattrs)
    assert done.returncode == 0, cluster.logs()
    assert (results / "m/tries").read_text() == "x\n" * 3
    assert [p.name for p in results.iterdir()] == ["m"]


@pytest.mark.parametrize("xattrs", ["yes", "no"])
def test_a_restart_replaces_copies_of_every_application_of_the_run(cluster: Cluster, xattrs: str) -> None:
    """Roles of unlike size are applications of their own, and one failure starts all of them again.

    worker[0] has succeeded and been copied when worker[1] fails, and ps, in another application, copies at each try.
    """
    (cluster.folder / "hdfs/runs").mkdir(parents=True)
    copied = 'echo x >>tries; echo "$TFJOB_ROLE$TFJOB_INDEX" "$(wc -l <tries)" >m; '

    def always(name: str) -> Output:
        place = RunTimeText(parts=(f"hdfs:///runs/{name}", TaskIndex()))
        return Output(source="m", destination=place, when="always")

    fails_once = copied + '[ "$TFJOB_INDEX" = 0 ] || { sleep 1; [ "$(wc -l <tries)" -ge 2 ]; }'
    made = job(
        native(
            "ps",
            1,
            copied + "trap 'exit 143' TERM; while :; do sleep 0.1; done",
            memory=amount("4Gi"),
            outputs=(always("ps"),),
        ),
        native("worker", 2, fails_once, outputs=(always("worker"),)),
        policies=AGAIN,
        retries=3,
    )
    done = cluster.submit(unit(made, "yarn"), STUB_XATTRS=xattrs)
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert len(cluster.clients()) == 2
    found = {path.name: path.read_text() for path in (cluster.folder / "hdfs/runs").iterdir()}
    assert found == {"ps0": "ps0 2\n", "worker0": "worker0 2\n", "worker1": "worker1 2\n"}


@pytest.mark.parametrize("place", ["hdfs:///runs/m", "here/m"])
def test_a_restart_replaces_nothing_else(cluster: Cluster, place: str) -> None:
    """Another's file that took the place of the copy meanwhile stays; and it is no reason to train again."""
    results = cluster.folder / ("hdfs/runs" if place.startswith("hdfs") else "results")
    script = (
        f'echo x >>tries; echo 1 >m; [ "$(wc -l <tries)" -ge 2 ] || exit 1; cd "{results}"; echo other >new; mv new m'
    )
    made, results = copies(cluster, place, script)
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 2, cluster.logs()
    assert (results / "m").read_text() == "other\n"
    assert (cluster.containers()["worker[0]"] / "status").read_text() == "74"
    assert (cluster.containers()["worker[0]"] / "tries").read_text() == "x\n" * 2


def test_a_failed_copy_does_not_start_a_gang_again(cluster: Cluster) -> None:
    output = Output(source="missing", destination=RunTimeText(parts=("hdfs:///runs/m", TaskIndex())))
    made = job(native("worker", 2, "echo x >>tries", outputs=(output,)), policies=AGAIN, retries=3)
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 2
    places = cluster.containers()
    assert {(places[f"worker[{at}]"] / "tries").read_text() for at in (0, 1)} == {"x\n"}
    assert "exited with 74: its outputs could not be copied" in cluster.logs()


ODD = "-a[1] {b,c}*? %41 ^\\d"
"""A name that is a pattern, an option and a URI of something else."""


def test_names_are_taken_as_they_are(cluster: Cluster) -> None:
    """``hdfs dfs`` reads paths of HDFS as patterns, and those of the node as URIs and options."""
    data = cluster.folder / "hdfs/data"
    data.mkdir(parents=True)
    (data / ODD).write_text("right")
    (data / "a1.txt").write_text("wrong")
    (data / "a[1].txt").write_text("right too")
    mounts = (
        HdfsMount(at=ODD, uri=f"hdfs:///data/{ODD}"),
        HdfsMount(at="b", uri="hdfs:///data/a[1].txt"),
    )
    outputs = (
        Output(source=ODD, destination=f"hdfs:///out [1]/{ODD}"),
        Output(source="b", destination="hdfs:///out [1]/b"),
    )
    done = cluster.submit(unit(job(native("worker", 1, "true", mounts=mounts, outputs=outputs)), "yarn"))
    assert done.returncode == 0, cluster.logs()
    out = cluster.folder / "hdfs/out [1]"
    assert {p.name: p.read_text() for p in out.iterdir()} == {ODD: "right", "b": "right too"}


def test_a_put_that_fails_leaves_nothing(cluster: Cluster) -> None:
    """Neither in HDFS nor on the node."""
    output = Output(source="m", destination="hdfs:///runs/m")
    script = "mkdir m; echo 1 >m/a; ln -s nowhere m/b"
    done = cluster.submit(unit(job(native("worker", 1, script, outputs=(output,))), "yarn"))
    assert done.returncode == 2
    assert list((cluster.folder / "hdfs/runs").iterdir()) == []
    assert not list((cluster.containers()["worker[0]"] / ".tfjob").glob("put-*"))


def test_only_the_named_replica_copies(cluster: Cluster) -> None:
    results = cluster.folder / "results"
    results.mkdir()
    output = Output(source="m", destination=f"{results}/m", index=1)
    mounts = (HostMount(at=str(results), source=str(results)),)
    made = job(native("worker", 2, 'echo "$TFJOB_INDEX" >m', outputs=(output,), mounts=mounts))
    assert cluster.submit(unit(made, "yarn")).returncode == 0
    assert (results / "m").read_text() == "1\n"


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_copy_that_a_killed_try_has_moved_away_comes_back(cluster: Cluster, overwrite: bool) -> None:
    done, results = copied_after(
        cluster, 'mkdir "$R/m.part-$CONTAINER_ID.old"; echo 1 >"$R/m.part-$CONTAINER_ID.old/old"', overwrite
    )
    assert done == "74", "there is nothing to copy"
    assert [str(p.relative_to(results)) for p in results.rglob("*")] == ["m", "m/old"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_appears_during_the_copy_is_not_replaced_without_saying_so(cluster: Cluster, overwrite: bool) -> None:
    slow = cluster.folder / "bin/cp"
    slow.parent.mkdir(exist_ok=True)
    slow.write_text(f'#!/bin/sh\nPATH={os.environ["PATH"]}\ncp "$@" && echo other >"{cluster.folder}/results/m"\n')
    slow.chmod(0o755)
    cluster.env["PATH"] = f"{slow.parent}:{cluster.env['PATH']}"
    done, results = copied_after(cluster, "echo new >m", overwrite)
    assert done == ("0" if overwrite else "74")
    assert [p.name for p in results.iterdir()] == ["m"]
    assert (results / "m").read_text() == ("new\n" if overwrite else "other\n")


def copied_after(cluster: Cluster, command: str, overwrite: bool) -> tuple[str, Path]:
    """The task's status after ``command``, whose ``m`` is put out to the folder ``R``; that folder."""
    results = cluster.folder / "results"
    results.mkdir()
    output = Output(source="m", destination=f"{results}/m", overwrite=overwrite, when="always")
    mounts = (HostMount(at=str(results), source=str(results)),)
    cluster.submit(unit(job(native("worker", 1, f"R={results}; {command}", outputs=(output,), mounts=mounts)), "yarn"))
    return (cluster.containers()["worker[0]"] / "status").read_text(), results
