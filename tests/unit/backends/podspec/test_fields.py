"""The rows of plain fields: each names a field of the API and an attribute, and is read as it is written."""

from __future__ import annotations

import pytest

from tests.unit.backends.jobs import role
from tfdsl.backend.draft import Bare
from tfdsl.emit.located import plain as data
from tfdsl.ir.model import Role, Toleration
from tfdsl.manifest.nodes import tree, view
from tfdsl.text import Source, Span
from tfdsl.vocabulary.quantities import Duration
from tfdsl_backends.podspec.fields import IMAGE, METADATA, POD, TOLERATION, WORKDIR, Field, absent, written
from tfdsl_backends.podspec.normal.walk import kubernetes_types
from tfdsl_backends.podspec.reading.settings import plain

TABLES = [
    ("PodSpec", POD, Role),
    ("Container", (*IMAGE, WORKDIR), Role),
    ("PodTemplateSpec", METADATA, Role),
    ("Toleration", TOLERATION, Toleration),
]


@pytest.mark.parametrize(("kind", "fields", "owner"), TABLES, ids=[kind for kind, _, _ in TABLES])
def test_fields_are_those_of_the_api(kind: str, fields: tuple[Field, ...], owner: type[Role | Toleration]) -> None:
    for field in fields:
        assert field.name in owner.model_fields
        found = kind
        for step in field.path.split("."):
            found = kubernetes_types()[found.removeprefix("*")][step]
        assert not field.old or field.old in kubernetes_types()[kind]


def test_what_is_written_is_read() -> None:
    job = role("worker", service_account="robot", stop_grace=Duration("90s"), run_as_user=5, run_as_group=6, fs_group=0)
    spec = data(written(job, POD))
    assert spec == {
        "serviceAccountName": "robot",
        "terminationGracePeriodSeconds": 90,
        "securityContext": {"runAsUser": 5, "runAsGroup": 6, "fsGroup": 0},
    }
    read = plain(view(tree(spec, lambda path: Span(Source("job.yaml", ""), 0, 0))), POD)
    assert {one.name: one.value for one in read} == {
        "service_account": "robot",
        "stop_grace": Bare("90s"),
        "run_as_user": 5,
        "run_as_group": 6,
        "fs_group": 0,
    }


def test_what_a_server_fills_in_is_not_read_from_live_objects() -> None:
    assert absent(POD) == {"serviceAccountName": "default", "terminationGracePeriodSeconds": 30}
    spec = view(tree({"terminationGracePeriodSeconds": 30}, lambda path: Span(Source("job.yaml", ""), 0, 0)))
    assert [one.name for one in plain(spec, POD)] == ["stop_grace"]
    assert [*plain(spec, POD, filled_in=True)] == []


def test_a_field_has_an_older_name() -> None:
    spec = {"serviceAccount": "old"}
    for expected in ("old", "new"):
        found = plain(view(tree(spec, lambda path: Span(Source("job.yaml", ""), 0, 0))), POD)
        assert [one.value for one in found] == [expected]
        spec["serviceAccountName"] = "new"
