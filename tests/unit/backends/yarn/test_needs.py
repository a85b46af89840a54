"""A job's scripts hold the parts that it uses, all of them, and nothing else."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import job, policy, unit
from tests.unit.backends.yarn.cluster import Cluster, native, scripts, text
from tests.unit.backends.yarn.test_scripts import everything, seed
from tfdsl.ir import model
from tfdsl.ir.model import ArchiveMount, EnvVar, HdfsMount, HostMount, Job, Output
from tfdsl_backends.yarn.assembly import entries as all_entries, program
from tfdsl_backends.yarn.needs import entries, has_rendezvous, uses_store

if TYPE_CHECKING:
    from tfdsl.backend import OptionValue

RUFF = Path(sys.executable).with_name("ruff")
NAMENODE = "http://nn:9870"


def mounted(*mounts: model.BaseMount) -> Job:
    return job(native("worker", 2, mounts=mounts))


def archive(source: object, at: str = "code") -> ArchiveMount:
    return ArchiveMount.model_validate({"at": at, "source": source})


def hdfs(uri: object) -> HdfsMount:
    return HdfsMount.model_validate({"at": "data", "uri": uri})


def put_out(destination: object) -> Job:
    output = Output.model_validate({"source": "model", "destination": destination})
    mounts = tuple(HostMount(at=at, source="/results") for at in ("/results", "results"))
    return job(native("worker", 2, outputs=(output.but(index=0),), mounts=mounts))


MEETING = {"COMMANDS.run", "STORES.client"}
FETCHING = MEETING | {"COMMANDS.fetch"}
PUTTING = MEETING | {"COMMANDS.put"}
COPYING = MEETING | {"COMMANDS.copied", "COMMANDS.mark"}


@pytest.mark.parametrize(
    ("made", "version", "options", "expected"),
    [
        (job(native("worker", 2)), "3.4", {}, MEETING),
        (job(native("worker", 2)), "3.4", {"webhdfs": NAMENODE}, {"COMMANDS.run", "STORES.webhdfs"}),
        (job(native("worker", 2)), "3.4", {"store": "/shared"}, {"COMMANDS.run", "STORES.path"}),
        (job(native("worker", 2)), "3.4", {"store": "hdfs://nn/x"}, MEETING),
        (job(native("ps", server=True), native("worker")), "3.4", {}, MEETING),
        (job(native("worker")), "3.4", {}, {"COMMANDS.alone"}),
        (job(native("worker")), "3.4", {"store": "/shared"}, {"COMMANDS.alone"}),
        (job(native("worker")), "3.1", {}, {"COMMANDS.alone"}),
        (job(native("worker")), "2.10", {}, MEETING),
        (seed(), "3.3", {"dialect": "yarn-tf"}, {"COMMANDS.given", "COMMANDS.fetch", "FETCH.client"}),
        (mounted(HostMount(at="x", source="/x")), "3.4", {}, MEETING),
        (mounted(hdfs("hdfs:///d")), "3.4", {}, FETCHING | {"FETCH.client"}),
        (mounted(hdfs("hdfs:///d")), "3.4", {"store": "/s", "webhdfs": NAMENODE},
         {"COMMANDS.run", "STORES.path", "COMMANDS.fetch", "FETCH.webhdfs"}),
        (mounted(hdfs(text("hdfs:///d/", model.TaskIndex()))), "3.4", {}, FETCHING | {"FETCH.client"}),
        (mounted(hdfs(text(EnvVar(name="DATA"), "/x"))), "3.4", {},
         FETCHING | {"FETCH.client", "FETCH.http", "FETCH.path", "FETCH.webhdfs"}),
        (mounted(archive("code.tar")), "3.4", {}, FETCHING | {"FETCH.path"}),
        (mounted(archive("code.zip")), "3.4", {}, FETCHING | {"FETCH.path", "COMMANDS.unzip"}),
        (mounted(archive("code.tar")), "3.1", {}, FETCHING | {"FETCH.client"}),
        (mounted(archive("code.tar")), "3.1", {"store": "/s"},
         {"COMMANDS.run", "STORES.path", "COMMANDS.fetch", "FETCH.path"}),
        (job(native("worker", 2)), "3.4", {"files": ("a",)}, FETCHING | {"FETCH.path"}),
        (job(native("worker", 2)), "3.1", {"files": ("a",)}, FETCHING | {"FETCH.client"}),
        (mounted(archive("https://x.example/code.tgz")), "3.4", {}, FETCHING | {"FETCH.http"}),
        (mounted(archive("s3a://x/code.tgz")), "3.4", {}, FETCHING | {"FETCH.client"}),
        (put_out("/results/m"), "3.4", {}, COPYING),
        (put_out("results/m"), "3.4", {}, COPYING),
        (put_out(text("results/", model.TaskIndex())), "3.4", {}, COPYING),
        (put_out("hdfs:///results"), "3.4", {}, PUTTING | {"PUT.client"}),
        (put_out("hdfs:///results"), "3.4", {"webhdfs": NAMENODE},
         {"COMMANDS.run", "STORES.webhdfs", "COMMANDS.put", "PUT.webhdfs"}),
    ],
)  # fmt: skip
def test_what_a_job_needs(made: Job, version: str, options: dict[str, OptionValue], expected: set[str]) -> None:
    assert entries(unit(made, "yarn", version, **options)) == expected


@pytest.mark.parametrize(
    ("made", "version", "options", "expected"),
    [
        (job(native("worker", 2)), "3.4", {}, (True, True)),
        (job(native("worker")), "3.4", {}, (False, False)),
        (job(native("worker")), "2.10", {}, (True, True)),
        (job(native("worker", mounts=(archive("code.tar"),))), "3.4", {}, (False, False)),
        (job(native("worker", mounts=(archive("code.tar"),))), "3.1", {}, (False, True)),
        (job(native("worker")), "3.1", {"files": ("a",)}, (False, True)),
        (seed(), "3.3", {"dialect": "yarn-tf"}, (False, False)),
    ],
)
def test_who_has_a_store(made: Job, version: str, options: dict[str, OptionValue], expected: tuple[bool, bool]) -> None:
    one = unit(made, "yarn", version, **options)
    assert (has_rendezvous(one), uses_store(one)) == expected


STARTS = [{"COMMANDS.run", "STORES.path"}, {"COMMANDS.run", "STORES.client"}, {"COMMANDS.run", "STORES.webhdfs"},
          {"COMMANDS.alone"}, {"COMMANDS.given"}]  # fmt: skip
MORE = [{"COMMANDS.unzip"}, {"COMMANDS.fetch", "FETCH.path"}, {"COMMANDS.fetch", "FETCH.client"},
        {"COMMANDS.fetch", "FETCH.http", "FETCH.webhdfs"}, {"COMMANDS.put", "PUT.client"},
        {"COMMANDS.put", "PUT.webhdfs"}]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("start", STARTS, ids=lambda start: "+".join(sorted(start)))
def test_every_composition_is_whole_and_holds_nothing_unused(start: set[str], tmp_path: Path) -> None:
    added = chain.from_iterable(combinations(MORE, count) for count in (0, 1, len(MORE)))
    for number, parts in enumerate(added):
        source = program(start.union(*parts))
        (tmp_path / f"program{number}.py").write_text(source)
        assert unused(source) == []
        assert "# type:" not in source
        assert "\n\n\n\n" not in source
    done = subprocess.run(
        [
            str(RUFF),
            "check",
            "--isolated",
            "--no-cache",
            "--select",
            "F,E9",
            "--output-format",
            "concise",
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def unused(source: str) -> list[str]:
    """The functions and classes that nothing in ``source`` names again."""
    made = [n.name for n in ast.parse(source).body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    return [name for name in made if len(re.findall(rf"\b{name}\b", source)) < 2]


def test_each_entry_brings_code_of_its_own() -> None:
    """A registered entry that changes nothing would be a part that is always in."""
    whole = program(all_entries())
    for entry in sorted(all_entries()):
        assert len(program(all_entries() - {entry})) < len(whole), entry


MARKS = {
    "class Coordinator": "COMMANDS.run", "class FolderStore": "STORES.path", "class HdfsStore": "STORES.client",
    "class WebHdfsStore": "STORES.webhdfs", "class Alone": "COMMANDS.alone", "\ndef cluster_of_flags": "COMMANDS.given",
    "\ndef unzip(": "COMMANDS.unzip", "import zipfile": "COMMANDS.unzip",
    "\ndef fetch(": "COMMANDS.fetch", "\ndef put(": "COMMANDS.put", "urlopen": "FETCH.http",
}  # fmt: skip


@pytest.mark.parametrize("made", [seed(), everything(), job(native("worker")), job(native("worker", 2)),
                                  put_out("hdfs:///x"), mounted(archive("a.zip"))])  # fmt: skip
@pytest.mark.parametrize("options", [{}, {"webhdfs": NAMENODE}, {"store": "/s"}])
def test_the_script_holds_exactly_the_parts_of_the_job(made: Job, options: dict[str, str]) -> None:
    one = unit(made, "yarn", "3.4", **options)
    script = scripts(one)["job.sh"]
    assert {mark: mark in script for mark in MARKS} == {mark: part in entries(one) for mark, part in MARKS.items()}
    assert ("class WebHdfs(" in script) == any(part.endswith(".webhdfs") for part in entries(one))


def test_the_smallest_job_has_a_small_script() -> None:
    script = scripts(unit(job(native("worker")), "yarn"))["job.sh"]
    assert len(script.splitlines()) < 580
    for absent in ("docker", "WebHDFS", "hdfs dfs", "unzip", "coordinator", "select", "copy_out", "tar -x"):
        assert absent not in script


# --- a task alone --------------------------------------------------------------------------------------------------


def test_a_task_alone_needs_no_hdfs(cluster: Cluster) -> None:
    made = job(native("worker", 1, 'printf %s "$TF_CONFIG" >config'))
    done = cluster.submit(unit(made, "yarn"))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    assert cluster.hdfs_calls() == []
    place = cluster.containers()["worker[0]"]
    assert re.fullmatch(
        r'\{"cluster":\{"worker":\["localhost:2\d{4}"\]\},"task":\{"type":"worker","index":0\},"environment":"cloud"\}',
        (place / "config").read_text(),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policies", "retries", "expected"),
    [
        ((), 0, (2, "7")),
        ((policy("failed", "ignore"),), 0, (0, "0")),
        ((policy("exit", "ignore", codes=(7,)),), 0, (0, "0")),
        ((policy("failed", "restart container"),), 2, (0, "0")),
        ((policy("failed", "restart container"), policy("exit", "fail job", codes=(7,))), 2, (2, "7")),
    ],
)
def test_how_a_task_alone_ends(
    policies: tuple[model.Policy, ...], retries: int, expected: tuple[int, str], cluster: Cluster
) -> None:
    script = 'echo x >>tries; [ "$(wc -l <tries)" -ge 3 ] || exit 7'
    done = cluster.submit(unit(job(native("worker", 1, script), policies=policies, retries=retries), "yarn"))
    place = cluster.containers()["worker[0]"]
    assert (done.returncode, (place / "status").read_text()) == expected, done.stdout + cluster.logs()


def test_a_container_too_many_does_not_do_the_work_again(cluster: Cluster) -> None:
    """DistributedShell may get one more than it asked for, and numbers it on."""
    place = cluster.folder / "c2"
    place.mkdir()
    script = place / "ExecScript.sh"
    script.write_text(scripts(unit(job(native("worker", 1, "echo ran >ran")), "yarn"))["job.sh"])
    env = cluster.env | {"YARN_SHELL_ID": "2", "USER": "alice"}
    done = subprocess.run(["bash", str(script)], cwd=place, env=env, capture_output=True, text=True)
    assert (done.returncode, (place / "ran").exists()) == (77, False)
    assert "the job has one task, and this is container 2" in done.stderr


def test_only_jobs_that_restart_count_their_tries() -> None:
    again = job(native("worker", 2), policies=(policy("failed", "restart job"),), retries=1)
    assert "TFJOB_TRY" in scripts(unit(again, "yarn"))["job.sh"].split("\nwrite_program()")[0]
    assert "TFJOB_TRY" not in scripts(unit(job(native("worker", 2)), "yarn"))["job.sh"].split("\nwrite_program()")[0]
