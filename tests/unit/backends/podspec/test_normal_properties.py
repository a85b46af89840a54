"""Properties of the normal form, on objects made up from the types of the API."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from tests.unit.backends.trees import data, of
from tfdsl.manifest.nodes import walk
from tfdsl_backends.kubernetes import normal as kubernetes
from tfdsl_backends.podspec.normal.walk import kubernetes_types
from tfdsl_backends.tfjob import normal as tfjob
from tfdsl_backends.volcano import normal

if TYPE_CHECKING:
    from collections.abc import Iterator

NORMAL = {"tfjob": tfjob.normal, "volcano": normal.normal, "kubernetes": kubernetes.normal}
ALIGNED = {"tfjob": tfjob.aligned, "volcano": normal.aligned, "kubernetes": kubernetes.aligned}
TYPES = {**kubernetes_types(), **tfjob.TYPES, **normal.TYPES}
TEXTS = [
    "",
    "a",
    "b",
    "default",
    "Always",
    "Never",
    "None",
    "TCP",
    "1",
    "1000m",
    "1Gi",
    "tensorflow",
    "$(A)",
    "A",
    "any",
]
SCALARS: dict[str, list[Any]] = {
    "s": TEXTS,
    "i": [0, 1, 2, 3, 6, 30, 420, 2222],
    "n": [0, 1, 2.5],
    "b": [True, False],
    "x": [*TEXTS, 0, 1, 80],
    "q": ["0", "1", "1000m", "1024Mi", "1Gi", 1, "2", "0.5", "x"],
    "a": [None, *TEXTS],
}
ODD: list[Any] = [None, "odd", 7, [], {}, [None], {"a": None}]
OFTEN = {
    "PodSpec": ("containers", "initContainers", "volumes", "hostNetwork", "dnsPolicy", "serviceAccount", "tolerations"),
    "Container": ("name", "image", "env", "ports", "volumeMounts", "resources", "imagePullPolicy", "command"),
    "Volume": ("name", "emptyDir", "persistentVolumeClaim", "secret"),
}
"""The fields of large types that are drawn more often than by chance."""

SEEDS = 300


class Draw(Random):
    """Draws objects; the same for one seed."""

    def value(self, kind: str, depth: int = 0) -> Any:
        """A value of ``kind``, and now and then something else."""
        if self.randrange(25) == 0:
            return self.choice(ODD)
        kind = kind.removeprefix("*")
        if kind in SCALARS:
            return self.choice(SCALARS[kind])
        if kind.startswith("[]"):
            return [self.value(kind[2:], depth + 1) for _ in range(self.choice((0, 1, 2, 3)) if depth < 12 else 0)]
        if kind.startswith("{}"):
            return {key: self.value(kind[2:], depth + 1) for key in self.sample(["a", "b", "cpu"], self.randrange(4))}
        return self.object(kind, depth)

    def object(self, kind: str, depth: int = 0) -> dict[str, Any]:
        """An object of type ``kind``."""
        fields = TYPES.get(kind, {"x": "s"})
        chosen = [key for key in fields if self.randrange(len(fields)) < 3 and depth < 10]
        chosen += [key for key in OFTEN.get(kind, ()) if self.randrange(3)]
        return {key: self.value(fields[key], depth + 1) for key in self.sample(chosen, len(chosen))}

    def pod(self) -> dict[str, Any]:
        """A pod template."""
        return {"metadata": self.object("ObjectMeta"), "spec": self.object("PodSpec")}

    def document(self, target: str) -> dict[str, Any]:
        """A document of a target."""
        metadata = self.object("ObjectMeta")
        if target == "kubernetes":
            spec = {**self.object("JobSpec", 4), "template": self.pod()}
            return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}
        if target == "tfjob":
            keys = self.sample(["Worker", "ps", "Chief", "MASTER", "Other"], self.randrange(3))
            roles = {key: {**self.object("ReplicaSpec", 4), "template": self.pod(), "replicas": 2} for key in keys}
            spec = {**self.object("TFJobSpec", 4), "tfReplicaSpecs": roles, "cleanPodPolicy": self.choice(TEXTS)}
            version = self.choice(("kubeflow.org/v1", "kubeflow.org/v1beta1"))
            return {"apiVersion": version, "kind": "TFJob", "metadata": metadata, "spec": spec}
        count = self.randrange(3)
        tasks = [{**self.object("TaskSpec", 4), "template": self.pod(), "replicas": 2} for _ in range(count)]
        spec = {**self.object("VolcanoJobSpec", 4), "tasks": tasks}
        return {"apiVersion": normal.API_VERSION, "kind": "Job", "metadata": metadata, "spec": spec}


def form(target: str, document: Any) -> Any:
    return data(NORMAL[target]([of(document)], "1.15" if target == "volcano" else "1.8")[0])


TARGETS = pytest.mark.parametrize("target", NORMAL)


@pytest.mark.slow
@TARGETS
def test_the_normal_form_of_a_normal_form_is_itself(target: str) -> None:
    for seed in range(SEEDS):
        made = form(target, Draw(seed).document(target))
        assert form(target, made) == made, f"seed {seed}"


@TARGETS
def test_everything_has_a_place_in_what_was_read(target: str) -> None:
    for seed in range(SEEDS // 4):
        node = of(Draw(seed).document(target))
        for _, below in walk(NORMAL[target]([node], "1.8")[0]):
            assert below.span.source == node.span.source, f"seed {seed}"


@pytest.mark.slow
@TARGETS
def test_a_document_is_aligned_with_itself_and_with_any_other(target: str) -> None:
    for seed in range(SEEDS // 2):
        draw = Draw(seed)
        one, other = (NORMAL[target]([of(draw.document(target))], "1.8") for _ in range(2))
        assert data(ALIGNED[target](one, one)[0]) == data(one[0]), f"seed {seed}"
        ALIGNED[target](one, other)


@TARGETS
def test_other_values_stay_different(target: str) -> None:
    """A text that nothing knows is never lost, unless the whole part of the document means nothing."""
    tried = 0
    for seed in range(SEEDS // 4):
        draw = Draw(seed)
        document = draw.document(target)
        pods = [*pods_of(target, document)]
        if not pods:
            continue
        before = form(target, document)
        container = {"name": "other", "image": f"x:{seed}", "command": ["", "a"], "args": ["a", ""]}
        pods[0]["sidecars"] = "unknown"
        pods[0]["containers"] = [container]
        after = form(target, document)
        assert before != after, f"seed {seed}"
        container["args"].reverse()
        assert form(target, document) != after, f"seed {seed}"
        tried += 1
    assert tried > 20


def pods_of(target: str, document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    spec = document["spec"]
    if target == "kubernetes":
        yield spec["template"]["spec"]
    elif target == "tfjob":
        yield from (role["template"]["spec"] for role in spec["tfReplicaSpecs"].values())
    else:
        yield from (task["template"]["spec"] for task in spec["tasks"])


@settings(max_examples=100, deadline=None)
@given(
    args=st.lists(st.sampled_from(TEXTS)),
    others=st.lists(st.sampled_from(TEXTS)),
    key=st.sampled_from(["command", "args"]),
)
def test_lists_whose_order_counts_stay_different(args: list[str], others: list[str], key: str) -> None:
    assume(args != others)
    assert job_with(**{key: args}) != job_with(**{key: others})


def job_with(**container: Any) -> Any:
    spec = {"template": {"spec": {"containers": [{"name": "c", **container}]}}}
    return form("kubernetes", {"apiVersion": "batch/v1", "kind": "Job", "spec": spec})


ENTRIES = st.lists(
    st.tuples(st.sampled_from("ABCD"), st.sampled_from(["", "1", "$(A)", "$(B)", "$(D)$(A)", "$$(A)"])), max_size=6
)


REFERENCE = re.compile(r"\$\$|\$\((.)\)")


def environment(entries: list[tuple[str, str]]) -> dict[str, str]:
    """What a process sees, as the kubelet works it out."""
    seen: dict[str, str] = {}
    for name, value in entries:
        seen[name] = REFERENCE.sub(lambda found: seen.get(found[1], found[0]) if found[1] else "$", value)
    return seen


@settings(max_examples=300, deadline=None)
@given(entries=ENTRIES, other=ENTRIES)
def test_variables_are_alike_only_if_a_process_sees_the_same(
    entries: list[tuple[str, str]], other: list[tuple[str, str]]
) -> None:
    def env(of_entries: list[tuple[str, str]]) -> Any:
        return job_with(env=[{"name": name, "value": value} for name, value in of_entries])

    made = env(entries)["spec"]["template"]["spec"]["containers"][0].get("env", [])
    assert environment([(one["name"], one.get("value", "")) for one in made]) == environment(entries)
    if environment(entries) != environment(other):
        assert env(entries) != env(other)


@settings(max_examples=100, deadline=None)
@given(entries=ENTRIES, drawn=st.data())
def test_orders_with_the_same_result_are_alike(entries: list[tuple[str, str]], drawn: st.DataObject) -> None:
    entries = [*dict(entries).items()]
    shuffled = drawn.draw(st.permutations(entries))
    assume(_before(entries) == _before(shuffled))
    env = [[{"name": name, "value": value} for name, value in one] for one in (entries, shuffled)]
    assert job_with(env=env[0]) == job_with(env=env[1])


def _before(entries: list[tuple[str, str]]) -> set[tuple[str, str]]:
    """For each value, which of the names it refers to come before it."""
    names = [name for name, _ in entries]
    return {
        (name, other)
        for number, (name, value) in enumerate(entries)
        for other in names[:number]
        if f"$({other})" in value.replace("$$", "")
    }
