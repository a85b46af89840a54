"""Patches are held against the schema of the document: a wrong path at its step, a wrong value at the value."""

from __future__ import annotations

import pytest

from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

JOB = """job mnist {{
  image = "registry.example.com/mnist:1.4"
  cpu = 1, memory = 1Gi
  role worker {{ replicas = 2 }}
  role ps {{ }}
  target {target} {{
    {patch}
  }}
}}
"""


def told(target: str, patch: str) -> list[tuple[str, str, str]]:
    """Slug, marked text and message of the errors that a patch gives."""
    backend = targets.find(target)
    assert backend is not None
    program = pipeline.load(Source("job.tfjob", JOB.format(target=target, patch=patch)), lambda path: "")
    done = pipeline.run(program, Request(), [Choice(backend)])
    return [(one.rule.slug, one.span.text, one.message) for one in done.diagnostics if one.level == "error"]


@pytest.mark.parametrize(
    ("target", "patch"),
    [
        ("volcano", 'patch "spec.tasks[name=ps].template.spec.dnsPolicy" = "Default"'),
        ("volcano", 'patch "metadata.annotations" += { "volcano.sh/preemptable" = "true" }'),
        ("volcano", 'patch "spec.tasks[0].topologyPolicy" = "best-effort"'),
        ("volcano", 'unpatch "spec.tasks[name=ps].template.metadata"'),
        ("tfjob", 'patch "spec.tfReplicaSpecs.Worker.template.spec.terminationGracePeriodSeconds" = 60'),
        ("tfjob", 'patch "spec.runPolicy.schedulingPolicy.minResources" = { cpu = 500m, memory = "1Gi" }'),
        ("kubernetes", 'patch "Service:spec.ports" += { name = "extra", port = 80, targetPort = "http" }'),
        ("kubernetes", 'patch "Job:spec.template.spec.securityContext" = { runAsUser = 1000, runAsNonRoot = true }'),
        ("slider", 'patch "appConfig.json:global.\'site.global.extra\'" = "1"'),
    ],
)
def test_what_the_schema_knows_passes(target: str, patch: str) -> None:
    assert told(target, patch) == []


@pytest.mark.parametrize(
    ("target", "patch", "slug", "marked"),
    [
        ("volcano", 'patch "spec.task[0].replicas" = 3', "patch-fits-nothing", "task"),
        ("volcano", 'patch "spec.minAvailble" = 3', "patch-fits-nothing", "minAvailble"),
        ("volcano", 'patch "spec.maxRetry" = "three"', "patch-value", '"three"'),
        ("volcano", 'patch "spec.tasks[0].topologyPolicy" = "any"', "patch-value", '"any"'),
        ("volcano", 'patch "spec.policies" = { event = "PodFailed" }', "patch-value", '{ event = "PodFailed" }'),
        ("volcano", 'patch "spec.policies" += { evnt = "PodFailed" }', "patch-value", "evnt"),
        ("tfjob", 'patch "spec.cleanPodPolicy" = "All"', "patch-fits-nothing", "cleanPodPolicy"),
        ("tfjob", 'patch "spec.runPolicy.suspend" = "yes"', "patch-value", '"yes"'),
        ("kubernetes", 'patch "Job:spec.template.spec.containers[0].stdin" = 1', "patch-value", "1"),
        ("slider", 'patch "resources.json:components.ps" += { "yarn.memory" = 2048 }', "patch-value", "2048"),
        ("slider", 'patch "metainfo.json:application.nmae" = "x"', "patch-fits-nothing", "nmae"),
    ],
)
def test_what_it_does_not_know_is_an_error_at_its_place(target: str, patch: str, slug: str, marked: str) -> None:
    assert [(one[0], one[1]) for one in told(target, patch)] == [(slug, marked)]


def test_every_wrong_patch_is_told() -> None:
    found = told(
        "volcano", 'patch "spec.minAvailble" = 3\n    patch "spec.queu" = "x"\n    patch "spec.maxRetry" = 1.5'
    )
    assert [one[1] for one in found] == ["minAvailble", "queu", "1.5"]
