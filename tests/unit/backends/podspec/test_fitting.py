"""What the API server drops or refuses, by the schemas of the CRDs."""

from __future__ import annotations

import pytest

from tests.unit.backends.trees import tree
from tfdsl.manifest.nodes import plain
from tfdsl_backends.podspec.reading.objects import pruned, unfit

JOB = """
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: mnist, annotations: }
spec:
  tfReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: tensorflow, image: x, resources: {limits: {cpu: 1}}}]}}
"""


def found(text: str) -> list[tuple[str, str, str]]:
    return [(one.name, one.wanted, one.span.text) for one in unfit(tree(text), "TFJob")]


def test_what_the_server_takes() -> None:
    assert found(JOB) == []


def test_a_field_that_the_server_drops() -> None:
    """Seen with strict validation: unknown field "spec.cleanPodPolicy"."""
    assert found(JOB + "  cleanPodPolicy: Running\n") == [("spec.cleanPodPolicy", "", "cleanPodPolicy")]
    assert next(unfit(tree(JOB + "  cleanPodPolicy: None\n"), "TFJob")).unknown


@pytest.mark.parametrize(
    ("old", "new", "place", "wanted"),
    [
        ("replicas: 2", "replicas: two", "spec.tfReplicaSpecs.Worker.replicas", "a whole number"),
        ("replicas: 2", "replicas: 1.5", "spec.tfReplicaSpecs.Worker.replicas", "a whole number"),
        ("replicas: 2", "replicas: .inf", "spec.tfReplicaSpecs.Worker.replicas", "a whole number"),
        ("name: mnist", "name: 5", "metadata.name", "a text"),
        ("annotations: ", "annotations: {a: true}", "metadata.annotations.a", "a text"),
        ("annotations: ", "annotations: [a]", "metadata.annotations", "a map"),
        ("image: x", "image: {}", "spec.tfReplicaSpecs.Worker.template.spec.containers[0].image", "a text"),
        ("cpu: 1", "cpu: true", "spec.tfReplicaSpecs.Worker.template.spec.containers[0].resources.limits.cpu",
         "a number or a text"),
    ],
)  # fmt: skip
def test_values_of_another_type(old: str, new: str, place: str, wanted: str) -> None:
    assert [(one.name, one.wanted) for one in unfit(tree(JOB.replace(old, new)), "TFJob")] == [(place, wanted)]


def test_a_map_is_no_list() -> None:
    text = JOB.replace("[{", "{").replace("}]", "}")
    assert [(one.name, one.wanted) for one in unfit(tree(text), "TFJob")] == [
        ("spec.tfReplicaSpecs.Worker.template.spec.containers", "a list")
    ]


def test_a_whole_number_may_have_a_point() -> None:
    assert found(JOB.replace("replicas: 2", "replicas: 2.0")) == []
    assert found(JOB.replace("replicas: 2", "replicas: null")) == []


def test_what_the_server_drops_is_gone() -> None:
    text = JOB.replace("image: x", "image: x, imagePolicy: y").replace("replicas: 2", "replicas: two")
    assert plain(pruned(tree(f"{text}  cleanPodPolicy: None\nextra: [1]\n"), "TFJob")) == plain(
        tree(JOB.replace("replicas: 2", "replicas: two"))
    )
    whole = tree(JOB)
    assert pruned(whole, "TFJob") is whole
