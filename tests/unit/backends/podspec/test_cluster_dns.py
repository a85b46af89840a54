"""Pods on the network of their node: which names they resolve (Kubernetes, "DNS for Services and Pods")."""

from __future__ import annotations

import pytest

from tests.unit.backends.jobs import job, role, unit
from tests.unit.backends.verdicts import documents


@pytest.mark.parametrize(("options", "policy"), [({}, "ClusterFirstWithHostNet"), ({"cluster_dns": False}, None)])
@pytest.mark.parametrize("target", ["tfjob", "volcano", "kubernetes"])
def test_names_of_the_cluster(target: str, options: dict[str, bool], policy: str | None) -> None:
    made = documents(unit(job(role("worker", host_network=True)), target, **options))
    specs = [spec for document in made for spec in _pods(document)]
    assert [(spec["hostNetwork"], spec.get("dnsPolicy")) for spec in specs] == [(True, policy)]


def _pods(data: object) -> list[dict[str, object]]:
    if isinstance(data, dict):
        own = [data] if "containers" in data else []
        return [*own, *(spec for value in data.values() for spec in _pods(value))]
    return [spec for value in data for spec in _pods(value)] if isinstance(data, list) else []
