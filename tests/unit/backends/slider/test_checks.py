"""What is checked beyond the table, each rule with a job that breaks it and one that just does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import amount, job, role, unit
from tests.unit.backends.slider.parts import mount, output
from tests.unit.backends.verdicts import codes, report
from tfdsl.ir.model import Cluster, Job, Role, RunTimeText, SecretRef, TaskIndex
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.backend import OptionValue

MEMORY: dict[str, object] = {"memory": amount("4Gi")}
ALONE = Cluster(discovery="none")


def worker(**fields: object) -> Role:
    return role("worker", **{**MEMORY, **fields})


def found(made: Job, **options: OptionValue) -> list[str]:
    """Codes that check() gives (1xx) for ``made``."""
    return [code for code in codes(unit(made, "slider", **options)) if code >= "SLI100"]


def mounted(kind: str, at: str, *, image: str | None = "i:1", **fields: object) -> Job:
    return job(worker(mounts=(mount(kind, at, **fields),), image=image, workdir="w"))


def nested(outer: str, inner: str) -> Job:
    mounts = (mount("host", outer, source="/x"), mount("scratch", inner))
    return job(worker(mounts=mounts, image="i:1", workdir="w"))


def written_to(destination: object) -> Job:
    runs = mount("host", "/runs", source="/nfs/runs")
    return job(worker(mounts=(runs,), outputs=(output("m", destination),)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("mnist", []), ("a-b-9", []), ("9a", ["SLI100"])],
)
def test_application_name(name: str, expected: list[str]) -> None:
    assert found(job(worker(), name=name)) == expected


def test_a_secret_is_told_at_its_own_entry() -> None:
    made = job(worker(env={"PLAIN": "1", "TOKEN": SecretRef(name="s", key="k")}))
    asked = unit(made, "slider")
    place = Span(Source("job.tfjob", 'TOKEN = secret("s", "k")'), 8, 24)
    asked.origins.record("roles[worker].env[TOKEN]", place)
    (told,) = [found for found in report(asked) if found.rule.code == "SLI104"]
    assert told.span == place


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (job(worker(image=None, command=())), ["SLI101"]),
        (job(worker(image=None)), []),
        (job(worker(command=())), []),
        (job(worker(), role("ps", server=True, command=(), image=None, **MEMORY)), []),
        (job(worker(), role("tensorboard", image=None, **MEMORY)), []),
        (job(worker(replicas=100_000), cluster=ALONE), []),
        (job(worker(replicas=100_000)), ["SLI126"]),
        (job(worker(memory=amount("2048Ti"))), ["SLI102"]),
        (job(worker(memory=amount("2047Ti"))), []),
        (job(worker(cpu=amount("2147483648"))), ["SLI102"]),
        (job(role("worker")), ["SLI103"]),
        (job(worker(memory=amount("2Gi"))), ["SLI142"]),
        (job(worker(env={"A": SecretRef(name="s", key="k")})), ["SLI104"]),
        (mounted("host", "/a", source="/x:y"), ["SLI105"]),
        (mounted("host", "a", source="/x:y", image=None), []),
        (mounted("archive", "a", source=RunTimeText(parts=(TaskIndex(), ".tar"))), ["SLI106"]),
        (mounted("archive", "a", source=RunTimeText(parts=("hdfs://x/", TaskIndex(), ".tar"))), []),
        (mounted("archive", ".", source="a.tar"), []),
        (mounted("host", ".", source="/x"), ["SLI112"]),
        (mounted("host", ".mounts/0", source="/x"), ["SLI112"]),
        (nested("data", "data/x"), ["SLI117"]),
        (nested("data", "data-x"), []),
        (nested("/data", "data/x"), []),
        (nested("data/x", "data"), []),
        (mounted("host", "a/b", source="/x"), []),
        (written_to("hdfs://ns/x"), []),
        (written_to("/runs/x"), []),
        (written_to(RunTimeText(parts=("/runs/x", TaskIndex()))), []),
        (written_to(RunTimeText(parts=("/runs/", TaskIndex()))), []),
        (written_to("/runs/"), ["SLI115"]),
    ],
)
def test_rules_of_roles(made: Job, expected: list[str]) -> None:
    assert found(made) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"files": ("a/x.py", "b/y.py")}, []),
        ({"files": ("a/x.py", "b/x.py")}, ["SLI107"]),
        ({"files": ("job.json",)}, ["SLI107"]),
        ({"files": ("a/..",)}, ["SLI108"]),
        ({"files": ("/",)}, ["SLI108"]),
        ({"allowed_ports": "48000-48010, 50000"}, []),
        ({"allowed_ports": "48010-48000"}, ["SLI110"]),
        ({"allowed_ports": "0-10"}, ["SLI110"]),
        ({"allowed_ports": "65536"}, ["SLI110"]),
        ({"allowed_ports": "${x}"}, ["SLI110"]),
        ({"resourcemanager": ("rm:8088", "https://rm2:8090")}, []),
        ({"resourcemanager": ("rm 8088",)}, ["SLI116"]),
        ({"resourcemanager": ("ftp://rm",)}, ["SLI116"]),
        ({"config_files": {"a.json": {"k": "$x é😀"}, "b_1-c.properties": {}, "d.yaml": {"k": "é\n"}}}, []),
        ({"config_files": {"a.txt": {}}}, ["SLI161"]),
        ({"config_files": {"a.b.json": {}}}, ["SLI161"]),
        ({"config_files": {"conf/a.json": {}}}, ["SLI161"]),
        ({"config_files": {"a.JSON": {}}}, ["SLI161"]),
        ({"config_files": {"": {}}}, ["SLI161"]),
        ({"config_files": {"a.json": {}, "a.xml": {}}}, ["SLI162"]),
        ({"config_files": {"global.json": {}}}, ["SLI162"]),
        ({"config_files": {"job.json": {}}}, ["SLI107"]),
        ({"config_files": {"a.json": {}}, "files": ("x/a.json",)}, ["SLI107"]),
        ({"config_files": {"a.json": {"k": "${NN_URI}"}}}, ["SLI163"]),
        ({"config_files": {"a.json": {"${k}": "v"}}}, ["SLI163"]),
        ({"config_files": {"a.xml": {"k": "\1"}}}, ["SLI163"]),
        ({"config_files": {"a.yaml": {"k": "😀"}}}, ["SLI163"]),
        ({"am_memory": 2048, "am_heap": 2047}, []),
        ({"am_memory": 2048, "am_heap": 2048}, ["SLI118"]),
        ({"am_heap": 1024}, ["SLI118"]),
        ({"placement": {"worker": "strict"}}, []),
        ({"placement": {"chief": "strict"}}, ["SLI147"]),
        ({"escalate_seconds": {"worker": 9, "ps": 9}}, ["SLI147"]),
        ({"placement": {"worker": "strict"}, "escalate_seconds": {"worker": 9}}, ["SLI119"]),
        ({"placement": {"worker": "anywhere"}, "escalate_seconds": {"worker": 9}}, ["SLI119"]),
        ({"app_version": "\1", "metainfo": "xml"}, ["SLI113"]),
        ({"app_version": "\1"}, []),
    ],
)
def test_rules_of_options(options: dict[str, OptionValue], expected: list[str]) -> None:
    assert found(job(worker(workdir="w")), **options) == expected


def test_what_lies_in_the_work_folder_decides_where_the_command_starts() -> None:
    mounts = (mount("hdfs", "data", uri="hdfs://x"),)
    assert found(job(worker(mounts=mounts))) == ["SLI109"]
    assert found(job(worker(mounts=mounts, image=None))) == []
    assert found(job(worker()), files=("train.py",)) == ["SLI109"]
    assert found(job(worker(workdir="/app")), files=("train.py",)) == []


def test_configuration_files_of_slider_0_91() -> None:
    told = report(unit(job(worker(workdir="w")), "slider", "0.91", config_files={"a.json": {"k": "v"}}))
    assert [one.rule.code for one in told if one.level == "error"] == ["SLI160"]


def test_placement_that_anti_affinity_overrules() -> None:
    spread = job(worker(replicas=2, spread="node", workdir="w"))
    assert found(spread, placement={"worker": "strict"}) == ["SLI119"]
    assert found(spread, escalate_seconds={"worker": 9}) == ["SLI119"]


def test_a_file_where_a_mount_is() -> None:
    made = job(
        worker(mounts=(mount("host", "data/in", source="/x"), mount("archive", ".", source="a.tar")), workdir="w")
    )
    assert found(made, files=("my/data/",)) == ["SLI146"]
    assert found(made, files=("in",)) == []


def test_an_output_into_a_mount_that_is_refused_is_not_reported_again() -> None:
    runs = mount("pvc", "/runs", claim="runs")
    assert found(job(worker(mounts=(runs,), outputs=(output("m", "/runs/x"),)))) == []


@pytest.mark.parametrize(("name", "refused"), [("A_b9", False), ("a.b", True), ("a-b", True)])
def test_variables_that_the_script_cannot_export(name: str, refused: bool) -> None:
    assert ("SLI145" in found(job(worker(env={name: "x"}, workdir="w")))) == refused
