"""One field that nothing can prove costs no other: everything else is in what the text compiles to, and it is told."""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tfdsl import targets
from tfdsl.cli.main import main
from tfdsl.compiling import pipeline
from tfdsl.emit.located import plain
from tfdsl.importing.manifests import import_manifests
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from pathlib import Path

POD: dict[str, Any] = {
    "metadata": {"labels": {"app": "label-around"}},
    "spec": {
        "restartPolicy": "Never",
        "runtimeClassName": "class-around",
        "nodeSelector": {"zone": "zone-around"},
        "volumes": [
            {"name": "d", "csi": {"driver": "csi.around", "volumeAttributes": {"share": "share-around"}}},
            {"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "storage-around"}}}},
        ],
        "containers": [
            {
                "name": "tensorflow",
                "image": "a/b:1",
                "command": ["python", "train-around.py"],
                "env": [{"name": "A", "value": "env-around"}],
                "terminationMessagePath": "/message-around",
                "volumeMounts": [{"name": "d", "mountPath": "/mount-around"}, {"name": "e", "mountPath": "/e"}],
            }
        ],
    },
}
BATCH = {"backoffLimit": 0, "podReplacementPolicy": "Failed", "template": POD}
KINDS: dict[str, dict[str, Any]] = {
    "tfjob": {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "spec": {"tfReplicaSpecs": {"Worker": {"replicas": 1, "template": POD}}},
    },
    "volcano": {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "spec": {
            "minAvailable": 1,
            "schedulerName": "volcano",
            "networkTopology": {"mode": "hard", "highestTierAllowed": 2},
            "tasks": [{"name": "worker", "replicas": 1, "template": POD}],
        },
    },
    "kubernetes": {"apiVersion": "batch/v1", "kind": "Job", "spec": BATCH},
    "jobset": {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "spec": {
            "managedBy": "example.com/manager-around",
            "replicatedJobs": [{"name": "worker", "template": {"spec": BATCH}}],
        },
    },
}
OBJECT = {
    "volcano": ('"highestTierAllowed": 2',),
    "kubernetes": ('"podReplacementPolicy": "Failed"',),
    "jobset": ('"podReplacementPolicy": "Failed"', "manager-around"),
}
MARK = "spoiled"


def put(pod: dict[str, Any], path: str, value: object) -> None:
    *way, last = path.split(".")
    place: Any = pod
    for step in way:
        place = place[int(step) if step.isdecimal() else step]
    if isinstance(place, list):
        place.append(value)  # pyright: ignore[reportUnknownMemberType]
    else:
        place[last] = value


# What no server takes, or nothing can prove, and what must be told: a text at whose place there is a message.
UNPROVED: dict[str, tuple[str, object, str]] = {
    "a number as the value of a variable": ("spec.containers.0.env.1", {"name": "PORT", "value": 8080}, "8080"),
    "a number as a label of nodes": ("spec.nodeSelector.pool", 7171, "7171"),
    "a number as a label": ("metadata.labels.release", 7171, "7171"),
    "a word for a flag": ("spec.hostIPC", MARK, MARK),
    "a mount of nothing": ("spec.containers.0.volumeMounts.2", {"name": MARK, "mountPath": "/nowhere"}, MARK),
    "a text for a list": ("spec.tolerations", MARK, MARK),
    "one wrong value among others": (
        "spec.securityContext",
        {"runAsNonRoot": True, "supplementalGroups": [2020], "seLinuxOptions": {"level": "s0"}, "fsGroup": MARK},
        MARK,
    ),
    "a number in another container": (
        "spec.containers.1",
        {"name": "side", "image": "side-around", "env": [{"name": "PORT", "value": 8080}], "command": ["run-around"]},
        "8080",
    ),
    "a number in an init container": (
        "spec.initContainers",
        [{"name": "i", "image": "init-around", "command": ["first-around"], "tty": True, "args": ["-n", 7371]}],
        "7371",
    ),
    "a word for a flag in another container": (
        "spec.containers.1",
        {"name": "side", "image": "side-around", "tty": MARK, "command": ["run-around"]},
        MARK,
    ),
    "a text for a number": (
        "spec.affinity",
        {
            "podAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "weight": "71",
                        "podAffinityTerm": {
                            "topologyKey": "topology-around",
                            "labelSelector": {"matchLabels": {"a": "b"}},
                        },
                    }
                ]
            }
        },
        "71",
    ),
    "a number in the command of a hook": (
        "spec.containers.0.lifecycle",
        {"preStop": {"exec": {"command": ["sleep-around", 7371]}}},
        "7371",
    ),
    "no image": ("spec.containers.0.image", "", "image"),
    "a name that nothing can have": ("name", "a_b", "a_b"),
}


def spoiled(kind: str, what: str) -> dict[str, Any]:
    made = copy.deepcopy({**KINDS[kind], "metadata": {"name": "a", "labels": {"team": "team-around"}}})
    text = json.dumps(made).replace(json.dumps(POD), '"POD"')
    pod = copy.deepcopy(POD)
    path, value, _ = UNPROVED.get(what, ("", "", ""))
    if not path:
        pass
    elif path == "name":
        text = text.replace('"name": "a"', f'"name": "{value}"')
    else:
        put(pod, path, value)
    found: dict[str, Any] = json.loads(text.replace('"POD"', json.dumps(pod)))
    return found


def compiled(text: str, kind: str) -> str:
    """All that the text gives for the target that it was read from."""
    program = pipeline.load(Source("a.tfjob", text), lambda _: "nothing is included")
    backend = targets.find(kind)
    assert backend is not None
    [made] = pipeline.run(program, Request(), [Choice(backend)]).made
    return json.dumps([plain(document.data) for document in made.documents])


@pytest.mark.parametrize("what", UNPROVED)
@pytest.mark.parametrize("kind", KINDS)
def test_one_field_costs_no_other(kind: str, what: str) -> None:
    manifest = spoiled(kind, what)
    source = Source("a.yaml", yaml.safe_dump(manifest))
    [result] = import_manifests([source])
    assert [job.kept is True for job in result.jobs] == [False]
    told = [f"{source.line(source.position(one.span.start)[0])}\n{one.span.text}" for one in result.diagnostics]
    assert any(UNPROVED[what][2] in text for text in told), told
    wanted = re.findall(r"\w+-around", json.dumps(manifest))
    written = compiled(result.text, kind)
    assert [word for word in (*wanted, *OBJECT.get(kind, ()), "csi.around") if word not in written] == []


# What a server refuses for its type alone, and what was meant: nothing else differs, so nothing else is told.
MEANT: dict[str, tuple[str, object, str]] = {
    "numbers and a bool in args": (
        "spec.containers.0.args",
        ["--lr", 0.001, 7371, True],
        '["--lr", "0.001", "7371", "true"]',
    ),
    "a number in the command": ("spec.containers.0.command", ["python", 7371], '["python", "7371"]'),
    "a number in the command of a hook": (
        "spec.containers.0.lifecycle",
        {"preStop": {"exec": {"command": ["sleep", 5]}}},
        '{"command": ["sleep", "5"]}',
    ),
    "a number as the value of a variable": ("spec.containers.0.env.1", {"name": "P", "value": 8080}, '"8080"'),
    "a variable of another container": (
        "spec.containers.1",
        {"name": "side", "image": "c/d:1", "env": [{"name": "P", "value": 8080}]},
        '{"name": "P", "value": "8080"}',
    ),
    "a number in quotes": (
        "spec.containers.0.livenessProbe",
        {"tcpSocket": {"port": 80}, "periodSeconds": "71"},
        '"periodSeconds": 71',
    ),
}


@pytest.mark.parametrize("what", MEANT)
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_meant_is_kept(kind: str, what: str) -> None:
    path, value, meant = MEANT[what]
    pod = copy.deepcopy(POD)
    put(pod, path, value)
    manifest = {**KINDS[kind], "metadata": {"name": "a"}}
    text = json.dumps(manifest).replace(json.dumps(POD), json.dumps(pod))
    [result] = import_manifests([Source("a.yaml", text)])
    refused = [one for one in result.diagnostics if one.level != "info"]
    assert {one.rule.slug for one in refused} == {"import-server-refuses"}
    assert len(refused) == str(value).count(", ") if what.startswith("numbers") else len(refused) == 1
    assert meant in compiled(result.text, kind)


UNKNOWN: tuple[tuple[str | int, ...], ...] = (
    (),
    ("metadata",),
    ("spec",),
    ("pod",),
    ("pod", "metadata"),
    ("pod", "spec"),
    ("pod", "spec", "containers", 0),
)


@pytest.mark.parametrize("at", UNKNOWN)
@pytest.mark.parametrize("kind", KINDS)
def test_a_field_that_no_schema_knows_is_kept_or_told(kind: str, at: tuple[str | int, ...]) -> None:
    """Controllers make pods with three fields of the metadata of their template, whatever is patched there."""
    pod: dict[str, Any] = copy.deepcopy(POD)
    manifest: dict[str, Any] = {**copy.deepcopy(KINDS[kind]), "metadata": {"name": "a"}}
    place: Any = pod if at[:1] == ("pod",) else manifest
    for step in at[1:] if place is pod else at:
        place = place[step]
    place["zqfield"] = {"a": "kept"}
    text = json.dumps(manifest).replace(json.dumps(POD), json.dumps(pod))
    [result] = import_manifests([Source("a.yaml", text)])
    kept = at != ("pod", "metadata")
    told = [one.level for one in result.diagnostics if "zqfield" in one.message]
    assert told == ["info" if kept else "warning"]
    assert [job.kept for job in result.jobs] == [True]
    assert ('"zqfield": {"a": "kept"}' in compiled(result.text, kind)) is kept


# kind, what a pod or the job has where, the text at the message's place, its level, and words of it.
TOLD: dict[str, tuple[str, str, str, str, str, str]] = {
    "unknown policy": (
        "volcano",
        '"restartPolicy": "Never"',
        '"restartPolicy": "Now"',
        '"Now"',
        "warning",
        "Always",
    ),
    "a null among arguments": ("kubernetes", '["python", ', '["python", null, ', "null", "warning", "a text"),
    "a null among volumes": ("jobset", '"volumes": [', '"volumes": [null, ', "null", "warning", "a map"),
    "a tag of an application": ("volcano", '"env-around"', '!Ref "env-around"', '"env-around"', "info", "!Ref"),
    "a suspended Job": (
        "jobset",
        '"backoffLimit": 0',
        '"suspend": true',
        "true",
        "info",
        "suspend of work",
    ),
    "no name": ("kubernetes", '"metadata": {"name": "a"}', '"metadata": {}', "{}", "warning", "a job without a name"),
}


@pytest.mark.parametrize("what", TOLD)
def test_what_is_told_once(what: str) -> None:
    kind, old, new, place, level, words = TOLD[what]
    text = json.dumps({**KINDS[kind], "metadata": {"name": "a"}})
    assert text.count(old) == 1
    [result] = import_manifests([Source("a.yaml", text.replace(old, new))])
    [told] = [one for one in result.diagnostics if one.span.text == place]
    assert told.level == level
    assert words in told.message
    others = [one.message for one in result.diagnostics if one is not told and one.level != "info"]
    assert others == []


def test_words_that_yaml_takes_for_others_are_what_was_written() -> None:
    manifest = json.dumps({**KINDS["jobset"], "metadata": {"name": "a"}})
    [result] = import_manifests([Source("a.yaml", manifest.replace('"train-around.py"', "train.py, no, 010"))])
    assert '["python", "train.py", "no", "010"]' in result.text


@pytest.mark.parametrize(("what", "status"), [("a number as the value of a variable", 1), ("nothing", 0)])
def test_a_job_without_a_proof_fails_the_check(what: str, status: int, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(yaml.safe_dump(spoiled("jobset", what)), "utf-8")
    assert main(["import", str(file), "--check"]) == status
