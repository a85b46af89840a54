"""``patch pod`` changes the pod template of every role, or of one."""

from __future__ import annotations

import pytest

from tests.unit.patch.patching import documents, errors, run

BOARD = 'mount pvc "runs" at "/runs"\n  role tensorboard { logdir = "/runs" }'


def pods(target: str, patch: str, items: str = "") -> dict[str, dict]:
    """The pod templates by role, as each target names them."""
    found: dict[str, dict] = {}
    for data in documents(target, patch, items):
        spec = data["spec"]
        found |= {name.lower(): part["template"] for name, part in spec.get("tfReplicaSpecs", {}).items()}
        found |= {task["name"]: task["template"] for task in spec.get("tasks", ())}
        if "template" in spec:
            found[data["metadata"]["name"].removeprefix("mnist-")] = spec["template"]
    return found


@pytest.mark.parametrize("target", ["tfjob", "volcano", "kubernetes"])
def test_every_role_and_tensorboard(target: str) -> None:
    found = pods(target, 'patch pod "spec.hostPID" = true', BOARD)
    assert sorted(found) == ["ps", "tensorboard", "worker"]
    assert all(template["spec"]["hostPID"] is True for template in found.values())


@pytest.mark.parametrize("target", ["tfjob", "volcano", "kubernetes"])
def test_one_role(target: str) -> None:
    found = pods(target, 'role worker { patch pod "metadata.labels" += { team = role.name } }')
    assert found["worker"]["metadata"]["labels"]["team"] == "worker"
    assert "team" not in found["ps"].get("metadata", {}).get("labels", {})


def test_each_job_of_a_role() -> None:
    made = documents("kubernetes", 'hosts = ["a", "b", "c"]\n role worker { patch pod "spec.hostPID" = true }')
    jobs = {one["metadata"]["name"]: one["spec"]["template"]["spec"] for one in made if one["kind"] == "Job"}
    assert {name: spec.get("hostPID") for name, spec in jobs.items()} == {
        "mnist-ps-0": None,
        "mnist-worker-0": True,
        "mnist-worker-1": True,
    }


def test_pods_of_all_roles_come_before_those_of_one_before_documents() -> None:
    found = pods(
        "volcano",
        """patch "spec.tasks[name=ps].template.spec.dnsPolicy" = "ClusterFirst"
        role worker { patch pod "spec.dnsPolicy" = "Default" }
        patch pod "spec.dnsPolicy" = "ClusterFirstWithHostNet"
        """,
    )
    assert found["worker"]["spec"]["dnsPolicy"] == "Default"
    assert found["ps"]["spec"]["dnsPolicy"] == "ClusterFirst"


def test_unpatch_pod() -> None:
    found = pods("volcano", 'unpatch pod "metadata.annotations"')
    assert all("annotations" not in template.get("metadata", {}) for template in found.values())


def test_a_mistake_in_the_pods_of_all_roles_is_one_message() -> None:
    [found] = errors("tfjob", 'patch pod "spec.hostPi" = true')
    assert (found.rule.slug, found.span.text, found.helps) == (
        "patch-fits-nothing",
        "hostPi",
        ("did you mean hostPID?",),
    )


@pytest.mark.parametrize(("target", "items"), [("slider", ""), ("yarn", 'mount host "/d" at "/d"')])
def test_targets_without_pods_refuse_it(target: str, items: str) -> None:
    slugs = {one.rule.slug: one.span.text for one in errors(target, 'patch pod "spec.hostPID" = true', items)}
    assert slugs == {"no-pod-template": "pod"}


def test_a_role_without_replicas_drops_its_patches() -> None:
    done = run("volcano", 'role ps { replicas = 0, patch pod "spec.hostPID" = true }')
    assert [(one.level, one.span.text) for one in done.diagnostics if one.rule.slug == "dropped-item"] == [
        ("info", '"spec.hostPID"')
    ]
