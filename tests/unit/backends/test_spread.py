"""``spread = "node"`` keeps the pods of one role apart and no others (for Kubernetes an empty selector means all)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import job, role, unit
from tfdsl import targets
from tfdsl.emit.located import plain

if TYPE_CHECKING:
    from collections.abc import Iterator


def pod_templates(data: object) -> Iterator[dict[str, object]]:
    """Every pod template of a document."""
    if isinstance(data, dict):
        if "spec" in data and isinstance(data["spec"], dict) and "containers" in data["spec"]:
            yield data
        for value in data.values():
            yield from pod_templates(value)
    elif isinstance(data, list):
        for value in data:
            yield from pod_templates(value)


def terms(template: dict[str, object]) -> list[dict[str, str]]:
    """The labels of the pods that those of ``template`` keep away from."""
    spec = template["spec"]
    assert isinstance(spec, dict)
    required = spec.get("affinity", {}).get("podAntiAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    return [term["labelSelector"]["matchLabels"] for term in required or ()]


@pytest.mark.parametrize("target", ["volcano", "tfjob", "kubernetes"])
def test_each_role_by_labels_of_its_own(target: str) -> None:
    roles = [role(name, 2 if name == "worker" else 1, spread="node") for name in ("chief", "worker", "tensorboard")]
    backend = targets.find(target)
    assert backend is not None
    documents = backend.load().generate(unit(job(*roles), target))
    found = [labels for document in documents for one in pod_templates(plain(document.data)) for labels in terms(one)]
    assert len(found) == 3
    assert all(found)
    assert len({tuple(labels.items()) for labels in found}) == 3


@pytest.mark.parametrize(("target", "label"), [("tfjob", "tfdsl/tensorboard"), ("kubernetes", "tfdsl/tensorboard")])
def test_tensorboard_by_the_label_that_its_pod_has(target: str, label: str) -> None:
    backend = targets.find(target)
    assert backend is not None
    made = job(role("worker"), role("tensorboard", spread="node"), name="mnist")
    documents = backend.load().generate(unit(made, target))
    (template,) = [one for document in documents for one in pod_templates(plain(document.data)) if terms(one)]
    assert terms(template) == [{label: "mnist"}]
    metadata = template["metadata"]
    assert isinstance(metadata, dict)
    assert metadata["labels"][label] == "mnist"
