"""Slider's own classes take what is emitted, read it as it is meant, and refuse what the compiler refuses."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.conformance.yarn import packages, slider_jobs
from tests.conformance.yarn.packages import Package
from tfdsl import targets
from tfdsl.cli.new import wanted_targets
from tfdsl.importing.manifests import import_manifests
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.yarn.work import Work

EXAMPLES = Path(__file__).parents[3] / "examples"
IMPORTED = Path(__file__).parents[2] / "importing" / "slider"
GENERATED = 110
MEBIBYTE = 1 << 20


def as_meant(package: Package, read: dict[str, Any]) -> None:
    """Slider has read the numbers of the source."""
    assert read["refused"] == {}, (read, package.files)
    job = package.job
    assert read["application"] == job.name
    assert list(read["components"]) == [role.name for role in job.roles]
    for role in job.roles:
        component, asked = read["components"][role.name], read["resources"][role.name]
        assert (component["least"], component["most"]) == (role.replicas, role.replicas)
        assert f"package/{component['script']}" in package.files
        assert asked["yarn.component.instances"] == role.replicas
        if role.memory is not None:
            assert asked["yarn.memory"] == max(1, -(-role.memory.whole // MEBIBYTE))
        if role.cpu is not None:
            assert asked["yarn.vcores"] == max(1, -(-role.cpu.milli // 1000))
        exported = component.get("exports")
        assert (exported is None and role.name == "evaluator") or exported in read["exports"]
        if role.after:
            assert f"{role.name}-START after " + ",".join(f"{name}-STARTED" for name in role.after) in read["orders"]
    assert sorted(read["resources"]) == sorted([*read["components"], "slider-appmaster"])


def test_slider_takes_the_examples(work: Work, tmp_path: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*/main.tfjob"))]
    found = [packages.made(text) for text in texts if "slider" in wanted_targets(text, targets.names())]
    assert {package.job.name for package in found} >= {"mnist", "tensorflow"}
    assert not any(package.errors for package in found)
    for package, read in zip(found, packages.judged(work, found, tmp_path), strict=True):
        as_meant(package, read)


def test_slider_takes_generated_jobs(work: Work, tmp_path: Path) -> None:
    made = [packages.made(slider_jobs.job(number)) for number in range(GENERATED)]
    found = [package for package in made if not package.errors]
    assert len(found) >= 100, [package.errors for package in made if package.errors]
    for package, read in zip(found, packages.judged(work, found, tmp_path), strict=True):
        as_meant(package, read)


def test_slider_takes_what_was_imported(work: Work, tmp_path: Path) -> None:
    """Packages of other people, and our own, come in as jobs whose packages Slider takes."""
    texts = [one.read_text("utf-8") for one in sorted(IMPORTED.glob("*.tfjob"))]
    written = [packages.made(slider_jobs.job(number)) for number in range(10)]
    for package in (one for one in written if not one.errors):
        (result,) = import_manifests([Source(name, text) for name, text in package.files.items()])
        texts.append(result.text)
    assert len(texts) > 10
    found = [packages.made(text) for text in texts]
    assert not any(package.errors for package in found)
    for package, read in zip(found, packages.judged(work, found, tmp_path), strict=True):
        as_meant(package, read)


def text(name: str = "mnist", options: str = "", worker: str = "", items: str = "") -> str:
    """A job that compiles."""
    return f"""
job {name} {{
  command = ["python", "train.py"]
  memory = 1Gi
  {items}
  role worker {{ replicas = 2 {worker} }}
  role ps {{ }}
  target slider {{ {options} }}
}}
"""


LARGE = 2**31


WRITTEN = """config_files = {
    "train.json"      = { "batch.size" = 64, name = "a \\"b\\" $c é😀", lines = "1\\n2" }
    "core-site.xml"   = { "fs.defaultFS" = "hdfs://ns", k = "<&>" }
    "log4j.properties" = { "log4j.rootLogger" = "INFO: x=y" }
    "run.yaml"        = { first = "010", second = true }
  }"""


@pytest.mark.parametrize("form", ["json", "xml"])
def test_slider_writes_the_configuration_files(form: str, work: Work, tmp_path: Path) -> None:
    package = packages.made(text(options=f'metainfo = "{form}"\n  {WRITTEN}'))
    assert package.errors == set()
    (read,) = packages.judged(work, [package], tmp_path)
    as_meant(package, read)
    assert list(read["files"]) == list(read["components"])
    for files in read["files"].values():
        assert json.loads(files["train.json"]) == {"batch.size": "64", "name": 'a "b" $c é😀', "lines": "1\n2"}
        entries = {one[0].text: one[1].text for one in ElementTree.fromstring(files["core-site.xml"])}
        assert entries == {"fs.defaultFS": "hdfs://ns", "k": "<&>"}
        assert "\nlog4j.rootLogger=INFO\\: x\\=y\n" in files["log4j.properties"]
        assert yaml.safe_load(files["run.yaml"]) == {"first": "010", "second": "true"}


@dataclass(frozen=True)
class Refusal:
    """What the compiler refuses with ``code`` and Slider refuses at ``step`` saying ``why``."""

    code: str
    source: str
    step: str
    why: str


REFUSED = {
    "a name that begins with a digit": Refusal("SLI100", text('"0abc"'), "name", "0abc"),
    "too much memory": Refusal("SLI102", text(worker=f", memory = {LARGE}Mi"), "resources", str(LARGE)),
    "too many processors": Refusal("SLI102", text(worker=f", cpu = {LARGE}"), "resources", str(LARGE)),
    "no ports": Refusal("SLI110", text(options='allowed_ports = "many"'), "appConfig", "many"),
    "a control character in XML": Refusal(
        "SLI113",
        text(options='metainfo = "xml", app_version = "1\\u{1}"'),
        "metainfo",
        "",
    ),
}


@pytest.fixture(scope="module")
def verdicts(work: Work, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What Slider says about each bad package, asked all at once; the good one has the name "good"."""
    good = packages.made(text(worker=', after = ["ps"]'))
    assert not good.errors
    asked = {"good": good}
    asked |= {name: packages.made(case.source) for name, case in REFUSED.items()}
    asked |= {name: change(good) for name, (change, _, _) in SPOILT.items()}
    told = packages.judged(work, list(asked.values()), tmp_path_factory.mktemp("bad"))
    return {
        name: {"refused": read["refused"], "errors": package.errors}
        for (name, package), read in zip(asked.items(), told, strict=True)
    }


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_compiler_refuses_slider_refuses(name: str, verdicts: dict[str, dict[str, Any]]) -> None:
    case = REFUSED[name]
    assert verdicts[name]["errors"] == {case.code}
    assert case.step in verdicts[name]["refused"]
    assert case.why in verdicts[name]["refused"][case.step]


def resources(change: Callable[[dict[str, Any]], object]) -> Callable[[Package], Package]:
    """A change of the components in ``resources.json``."""

    def changed(package: Package) -> Package:
        data = package.resources
        change(data["components"])
        return Package(package.job, {**package.files, "resources.json": json.dumps(data)}, package.errors)

    return changed


SPOILT: dict[str, tuple[Callable[[Package], Package], str, str]] = {
    "two components of one priority": (
        resources(lambda parts: parts["ps"].update({"yarn.role.priority": parts["worker"]["yarn.role.priority"]})),
        "instance",
        "duplicates that of",
    ),
    "a component without priority": (
        resources(lambda parts: parts["ps"].pop("yarn.role.priority")),
        "instance",
        "Missing option yarn.role.priority",
    ),
    "a component that the metainfo does not know": (
        resources(lambda parts: parts.update(other=parts.pop("ps"))),
        "instance",
        "not a member of application",
    ),
    "a key without its prefix": (
        resources(lambda parts: parts["ps"].update(memory="1")),
        "resources",
        "does not have 'yarn.' prefix",
    ),
    "more instances than the metainfo allows": (
        resources(lambda parts: parts["worker"].update({"yarn.component.instances": "3"})),
        "instance",
        "out of range",
    ),
    "another schema": (
        lambda package: package.change("appConfig.json", "v2.0.0", "v3.0.0"),
        "appConfig",
        "incompatible with supported version",
    ),
    "a resource in appConfig": (
        lambda package: package.change(
            "appConfig.json", '"metadata"', '"components": {"ps": {"yarn.memory": "1"}}, "metadata"'
        ),
        "appConfig",
        "not allowed in templates",
    ),
    "a start after a component that is not there": (
        lambda package: package.change("metainfo.json", "ps-STARTED", "nobody-STARTED"),
        "order",
        "does not exist",
    ),
    "no version": (
        lambda package: package.change("metainfo.json", '"version": "1.0.0",', ""),
        "metainfo",
        "version",
    ),
}
"""What holds by construction: the change that breaks it, and how Slider says so."""


@pytest.mark.parametrize("name", SPOILT)
def test_the_judge_sees_what_is_wrong(name: str, verdicts: dict[str, dict[str, Any]]) -> None:
    _, step, why = SPOILT[name]
    assert verdicts["good"]["refused"] == {}
    assert why in verdicts[name]["refused"].get(step, "")
