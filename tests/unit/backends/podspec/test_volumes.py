"""Mounts as volumes: one for each source, names that Kubernetes takes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.unit.backends import jobs
from tests.unit.backends.jobs import amount, role
from tfdsl.emit.located import plain
from tfdsl.ir import model
from tfdsl.ir.model import Mount, RunTimeText, TaskIndex
from tfdsl_backends.podspec.objects import claim_document
from tfdsl_backends.podspec.plan import Index, PodPlan
from tfdsl_backends.podspec.pods import pod_volumes

DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z")


def pod(*mounts: Mount, plan: PodPlan | None = None, **fields: object) -> tuple[list[Any], list[Any]]:
    made = pod_volumes(role("worker", mounts=mounts, **fields), plan or PodPlan(Index(constant=0)))
    volumes, placed = plain(made.volumes), plain(made.mounts)
    assert isinstance(volumes, list)
    assert isinstance(placed, list)
    return volumes, placed


@pytest.mark.parametrize(
    ("mount", "source", "place"),
    [
        (
            model.PvcMount(at="/data", claim="mnist-data", readonly=True, sub_path="a b"),
            {"persistentVolumeClaim": {"claimName": "mnist-data"}},
            {"mountPath": "/data", "readOnly": True, "subPath": "a b"},
        ),
        (
            model.PvcMount(at="/data", claim="d", sub_path=RunTimeText(parts=("w-", TaskIndex()))),
            {"persistentVolumeClaim": {"claimName": "d"}},
            {"mountPath": "/data", "subPathExpr": "w-$(TASK_INDEX)"},
        ),
        (
            model.ClaimMount(at="/runs", claim="runs"),
            {"persistentVolumeClaim": {"claimName": "mnist-runs"}},
            {"mountPath": "/runs"},
        ),
        (
            model.HostMount(at="/h", source="/mnt/x", type="Directory"),
            {"hostPath": {"path": "/mnt/x", "type": "Directory"}},
            {"mountPath": "/h"},
        ),
        (
            model.NfsMount(at="/n", server="10.0.0.2", share="/export"),
            {"nfs": {"server": "10.0.0.2", "path": "/export"}},
            {"mountPath": "/n"},
        ),
        (
            model.ConfigMapMount(at="/c/a", name="conf", sub_path="a"),
            {"configMap": {"name": "conf"}},
            {"mountPath": "/c/a", "subPath": "a"},
        ),
        (model.MemoryMount(at="/m"), {"emptyDir": {"medium": "Memory"}}, {"mountPath": "/m"}),
        (
            model.ConfigMapMount(at="/c", name="conf", items={"k": "p/q"}, mode="0440"),
            {"configMap": {"name": "conf", "defaultMode": 288, "items": [{"key": "k", "path": "p/q"}]}},
            {"mountPath": "/c"},
        ),
        (
            model.SecretMount(at="/s", name="keys", mode="400"),
            {"secret": {"secretName": "keys", "defaultMode": 256}},
            {"mountPath": "/s"},
        ),
        (model.ScratchMount(at="/t"), {"emptyDir": {}}, {"mountPath": "/t"}),
        (model.ScratchMount(at="/t", size=amount("10Gi")), {"emptyDir": {"sizeLimit": "10Gi"}}, {"mountPath": "/t"}),
        (
            model.MemoryMount(at="/m", size=amount("1Gi")),
            {"emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
            {"mountPath": "/m"},
        ),
    ],
)
def test_each_kind(mount: Mount, source: dict[str, object], place: dict[str, object]) -> None:
    plan = PodPlan(Index("TASK_INDEX", "x"), claims={"runs": "mnist-runs"})
    volumes, mounts = pod(mount, plan=plan)
    name = volumes[0].pop("name")
    assert volumes == [source]
    assert mounts == [{"name": name, **place}]


def test_shared_memory() -> None:
    volumes, mounts = pod(model.ScratchMount(at="/t"), shm=amount("8Gi"))
    assert volumes[1] == {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}
    assert mounts[1] == {"name": "shm", "mountPath": "/dev/shm"}


def test_a_tmp_in_memory_comes_after_shared_memory() -> None:
    volumes, mounts = pod(model.ScratchMount(at="/tmp/t"), tmp_size=amount("4Gi"), shm=amount("8Gi"))
    assert [volume["name"] for volume in volumes] == ["scratch-tmp-t", "shm", "tmp-size"]
    assert volumes[2] == {"name": "tmp-size", "emptyDir": {"medium": "Memory", "sizeLimit": "4Gi"}}
    assert mounts[2] == {"name": "tmp-size", "mountPath": "/tmp"}


def test_mounts_of_one_source_share_a_volume() -> None:
    volumes, mounts = pod(
        model.PvcMount(at="/a", claim="d", readonly=True),
        model.PvcMount(at="/b", claim="d", sub_path="x"),
        model.ClaimMount(at="/c", claim="own"),
        plan=PodPlan(Index(constant=0), claims={"own": "d"}),
    )
    assert [volume["name"] for volume in volumes] == ["pvc-d"]
    assert [(mount["name"], mount["mountPath"]) for mount in mounts] == [
        ("pvc-d", "/a"),
        ("pvc-d", "/b"),
        ("pvc-d", "/c"),
    ]


def test_two_scratch_mounts_are_two_volumes() -> None:
    volumes, _ = pod(model.ScratchMount(at="/a"), model.ScratchMount(at="/b"))
    assert len({volume["name"] for volume in volumes}) == 2


def test_a_claim_that_the_target_mounts_itself_is_left_to_it() -> None:
    assert pod(model.ClaimMount(at="/runs", claim="runs")) == ([], [])


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0."), min_size=1), min_size=1, max_size=6, unique=True
    ),
    st.frozensets(st.sampled_from(["host", "host-a", "shm"])),
)
def test_names_are_labels_and_unique_whatever_the_sources(sources: list[str], reserved: frozenset[str]) -> None:
    mounts = [model.HostMount(at=f"/{number}", source=f"/{source}") for number, source in enumerate(sources)]
    volumes, _ = pod(*mounts, plan=PodPlan(Index(constant=0), reserved_volumes=reserved), shm=amount("1Gi"))
    names = [volume["name"] for volume in volumes]
    assert all(DNS_LABEL.match(name) for name in names)
    assert len(set(names)) == len(names) == len(sources) + 1
    assert not reserved & set(names)


def test_a_name_depends_on_its_source_only() -> None:
    alone, _ = pod(model.PvcMount(at="/x", claim="c" * 200))
    among, _ = pod(model.ScratchMount(at="/t"), model.PvcMount(at="/y", claim="c" * 200))
    assert alone[0]["name"] == among[1]["name"]
    assert len(alone[0]["name"]) == 63


def test_a_claim_as_a_document() -> None:
    claim = model.Claim(
        name="runs",
        size=amount("100Gi"),
        storage_class="fast",
        access_modes=("ReadWriteMany",),
    )
    worker = role("worker", mounts=(model.ClaimMount(at="/runs", claim="runs"),))
    job = jobs.job(worker, claims=(claim,), namespace="ml")
    assert plain(claim_document(job, claim, {"a": "b"})) == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "mnist-runs", "namespace": "ml", "labels": {"a": "b"}},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "fast",
            "resources": {"requests": {"storage": "100Gi"}},
        },
    }
