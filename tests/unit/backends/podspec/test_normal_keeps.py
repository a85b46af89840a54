"""Two documents that differ in one value are different, for every field of the API that a pod or a job can have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.backends.trees import data, of
from tfdsl_backends.kubernetes import normal as kubernetes
from tfdsl_backends.podspec.normal.walk import kubernetes_types
from tfdsl_backends.tfjob import normal as tfjob
from tfdsl_backends.volcano import normal

if TYPE_CHECKING:
    from collections.abc import Iterator

NORMAL = {"tfjob": tfjob.normal, "volcano": normal.normal, "kubernetes": kubernetes.normal}
TYPES = {**kubernetes_types(), **tfjob.TYPES, **normal.TYPES}
VALUES: dict[str, tuple[Any, Any]] = {
    "s": ("zz", "zy"),
    "i": (77, 78),
    "n": (7.5, 8.5),
    "b": (True, False),
    "x": ("zz", 77),
    "q": ("7Gi", "8Gi"),
    "a": ("zz", "zy"),
}
ROOTS = {
    "kubernetes": ("batch/v1", "Job", "JobSpec"),
    "tfjob": ("kubeflow.org/v1", "TFJob", "TFJobSpec"),
    "volcano": ("batch.volcano.sh/v1alpha1", "Job", "VolcanoJobSpec"),
}

Step = str | None
"""A key of a map, or ``None`` for the item of a list."""


def leaves(
    kind: str, path: tuple[Step, ...] = (), above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[Step, ...], str]]:
    """Every scalar below ``kind``, with its path; a type within itself is not followed."""
    kind = kind.removeprefix("*")
    if kind.startswith("[]"):
        yield from leaves(kind[2:], (*path, None), above)
    elif kind.startswith("{}"):
        yield from leaves(kind[2:], (*path, "k"), above)
    elif kind in VALUES:
        yield path, kind
    elif kind not in above:
        for key, below in TYPES.get(kind, {}).items():
            yield from leaves(below, (*path, key), (*above, kind))


def built(path: tuple[Step, ...], value: Any) -> Any:
    """The least that has ``value`` at ``path``."""
    for step in reversed(path):
        value = [value] if step is None else {step: value}
    return value


def form(target: str, spec: dict[str, Any]) -> Any:
    version, kind, _ = ROOTS[target]
    document = {"apiVersion": version, "kind": kind, "metadata": {"name": "j"}, "spec": spec}
    return data(NORMAL[target]([of(document)], "1.15" if target == "volcano" else "1.8")[0])


def lost(target: str) -> set[str]:
    """The fields whose value makes no difference, as dotted paths."""
    found: set[str] = set()
    for path, kind in leaves(ROOTS[target][2]):
        one, other = (form(target, built(path, value)) for value in VALUES[kind])
        if one == other:
            found.add(".".join("[]" if step is None else step for step in path))
    return found


OF_PODS = r"template\.metadata\.(?!labels|annotations|finalizers).*"
"""Metadata of a pod template that no controller gives to pods."""

LOST = {
    "kubernetes": (OF_PODS, r"selector\..*"),
    "tfjob": (
        rf"tfReplicaSpecs\.k\.{OF_PODS}",
        r"tfReplicaSpecs\.k\.template\.spec\.restartPolicy",
        r"tfReplicaSpecs\.k\.template\.spec\.volumes\.\[\]\.ephemeral\.volumeClaimTemplate\.metadata\..*",
        r"runPolicy\.backoffLimit",
        r"runPolicy\.cleanPodPolicy",
        "successPolicy",
    ),
    "volcano": (
        rf"tasks\.\[\]\.{OF_PODS}",
        r"tasks\.\[\]\.template\.spec\.(initC|c)ontainers\.\[\]\.ports\.\[\]\.(containerPort|hostIP|protocol)",
        r"tasks\.\[\]\.(dependsOn\.iteration|maxRetry)",
        "runningEstimate",
    ),
}
"""What makes no difference alone: the server's, or read only beside something else (docs/normal-form.md)."""


@pytest.mark.parametrize("target", ROOTS)
def test_every_field_counts(target: str) -> None:
    found = lost(target)
    known = {path for path in found if any(re.fullmatch(pattern, path) for pattern in LOST[target])}
    assert sorted(found - known) == []
    assert all(any(re.fullmatch(pattern, path) for path in found) for pattern in LOST[target])
