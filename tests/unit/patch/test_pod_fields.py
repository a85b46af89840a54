"""A field of Kubernetes' pods that has no attribute is told with the patch that sets it, and that patch compiles."""

from __future__ import annotations

import os

import pytest

from tests.unit.patch.patching import documents, run
from tfdsl import targets
from tfdsl.backend.patch_rules import load_schemas
from tfdsl.compiling import pipeline
from tfdsl.diagnostics.suggest import alias_table
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source
from tfdsl.vocabulary import attributes, foreign

ONE = ("tfjob", "volcano", "kubernetes")
SPEC = ("spec", "template", "spec")
NOT_PATCHED = {
    "hostname": "TF_CONFIG names the replicas by it",
    "subdomain": "TF_CONFIG names the replicas by it",
    "hostnameOverride": "TF_CONFIG names the replicas by their names",
    "ephemeralContainers": "cannot stand in a pod template",
    "priority": "the admission of the server sets it from the class",
    "schedulingGroup": "only where the server itself makes the pods",
    "resources": "is an attribute of ours of another form",
    "windowsOptions": "TensorFlow's images are of Linux",
    "name": "is the job's name",
}
"""Fields that no patch should be shown for, and why."""


def fields_of_pods() -> set[str]:
    """What the API has in a pod, its containers and their security contexts."""
    backend = targets.find("kubernetes")
    assert backend is not None
    known = load_schemas(*os.path.split(backend.schemas))
    found: set[str] = set()
    for path in (SPEC, (*SPEC, "containers"), (*SPEC, "securityContext"), (*SPEC, "containers", "securityContext")):
        node = known.kinds["Job"]
        for step in path:
            assert isinstance(node, int)
            node = known.types[node][step]
            node = node[1] if isinstance(node, list) else node
        assert isinstance(node, int)
        found |= set(known.types[node])
    return found


def test_every_field_has_an_attribute_a_word_or_a_patch() -> None:
    folded = {name.replace("_", "") for name in (*attributes.BY_NAME, *foreign.ATTRIBUTES)}
    folded |= set(alias_table((row.name, row.aliases) for row in attributes.ATTRIBUTES))
    options = [option for target in targets.built_in() for option in target.options]
    folded |= {word.lower() for row in (*attributes.ATTRIBUTES, *options) for word in row.akin}
    silent = {name for name in fields_of_pods() if foreign.find(name) is None and name not in NOT_PATCHED}
    assert {name for name in silent if name.lower() not in folded and name not in foreign.ATTRIBUTES} == set()


def helps(text: str, *names: str) -> list[tuple[str, ...]]:
    """The helps of what is told of unknown attributes."""
    program = pipeline.load(Source("job.tfjob", text), lambda path: "")
    choices = [Choice(backend) for name in names if (backend := targets.find(name)) is not None]
    found = pipeline.run(program, Request(), choices).diagnostics
    return [one.helps for one in found if one.rule.slug == "unknown-attribute"]


@pytest.mark.slow
@pytest.mark.parametrize("target", ONE)
@pytest.mark.parametrize("field", foreign.POD_FIELDS, ids=lambda field: field.name)
def test_the_line_that_is_shown_compiles(field: foreign.PodField, target: str) -> None:
    [shown] = helps(f'job a {{ image = "r/x:1", role worker {{ {field.name} = 1 }} }}', target)
    line = shown[-1].removeprefix("write a patch: ")
    assert line == f"target {target} {{ role worker {{ {field.line} }} }}"
    assert documents(target, line.removeprefix(f"target {target} {{").removesuffix("}"))
    done = run(target, f"role worker {{ {field.line} }}")
    assert [one.message for one in done.diagnostics if one.level == "error"] == []


JOB = 'job a {{ image = "r/x:1", role worker {{ }}\n {} }}'
LINE = 'patch pod "spec.hostPID" = true'


@pytest.mark.parametrize(
    ("items", "targets", "shown"),
    [
        ("hostPID = true", (), [f"target tfjob {{ {LINE} }}"]),
        ("host_pid = true", ("volcano",), [f"target volcano {{ {LINE} }}"]),
        ("hostPID = true", ("tfjob", "volcano"), [f"target tfjob {{ {LINE} }}", f"target volcano {{ {LINE} }}"]),
        ("hostPID = true\n target volcano { }", (), [f"target volcano {{ {LINE} }}"]),
        ("hostPID = true\n target yarn { }", (), [f"target tfjob {{ {LINE} }}"]),
        ("target volcano { hostPID = true }", (), [LINE]),
        ("target volcano { hostPID = true }", ("tfjob",), [LINE]),
        ("target volcano { role worker { hostPID = true } }", (), [LINE]),
        ("role ps { hostPID = true }", (), [f"target tfjob {{ role ps {{ {LINE} }} }}"]),
    ],
)
def test_the_patch_is_for_the_target_at_hand(items: str, targets: tuple[str, ...], shown: list[str]) -> None:
    assert helps(JOB.format(items), *targets) == [tuple(f"write a patch: {line}" for line in shown)]


def test_a_target_without_pods_says_so() -> None:
    [[found]] = helps(JOB.format("target yarn { hostPID = true }"))
    assert found == f"yarn does not start pods; for other targets, patch it: target tfjob {{ {LINE} }}"


def test_attributes_that_say_the_usual_cases_come_first() -> None:
    [[first, second]] = helps(JOB.format("affinity = { }"))
    assert (
        first == 'write node_selector for labels that a node must have, spread = "node" for replicas on different nodes'
    )
    assert second.startswith('write a patch: target tfjob { patch pod "spec.affinity" = ')
