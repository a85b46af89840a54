"""What belongs to a JobSet beside it: claims, and the Service of TensorBoard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.manifest.nodes import View, view
from tfdsl.record import replace
from tfdsl_backends.jobset.names import LABELS
from tfdsl_backends.podspec.reading.mounts import claim_facts, stem

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import Document
    from tfdsl_backends.podspec.reading.facts import ClaimFacts
    from tfdsl_backends.podspec.reading.objects import Neighbours

_BOARD: Final = "tensorboard"


def belonging(neighbours: Neighbours, jobset: View) -> list[Document]:
    """Those of ``neighbours`` that the compiler writes beside ``jobset``."""
    name, namespace = jobset["metadata"]["name"].text, jobset["metadata"]["namespace"].text
    if name is None:
        return []
    made = {f"{name}-{stem(path)}" for path, _ in _mounted(jobset)}
    near = neighbours.of(namespace, name)
    return [one for one in near if _is_board(view(one.node), name) or _is_claim(view(one.node), made)]


def _is_board(root: View, name: str) -> bool:
    selected = root["spec"]["selector"][f"{LABELS}/jobset-name"].text == name
    return root["kind"].text == "Service" and root["metadata"]["name"].text == f"{name}-{_BOARD}" and selected


def _is_claim(root: View, names: set[str]) -> bool:
    is_claim = root["kind"].text == "PersistentVolumeClaim" and root["metadata"]["name"].text in names
    return is_claim and claim_facts(root) is not None


def _mounted(jobset: View) -> Iterator[tuple[str, str]]:
    """Path and name of each volume that a container mounts."""
    for one in jobset["spec"]["replicatedJobs"].items():
        for container in one["template"]["spec"]["template"]["spec"]["containers"].items():
            for mount in container["volumeMounts"].items():
                if mount["mountPath"].text and mount["name"].text:
                    yield mount["mountPath"].text, mount["name"].text


def claims(jobset: View, documents: Sequence[Document]) -> dict[str, ClaimFacts]:
    """What is known of claims, by the name of the PersistentVolumeClaim.

    Those that the JobSet makes and removes are among them, if each is called after the path at which it is mounted.
    """
    found: dict[str, ClaimFacts] = {}
    for document in documents:
        root = view(document.node)
        name, facts = root["metadata"]["name"].text, claim_facts(root)
        if root["kind"].text == "PersistentVolumeClaim" and name and facts is not None:
            found[name] = replace(facts, options=(*facts.options, ("keep", True)))
    paths = {name: path for path, name in _mounted(jobset)}
    for policy in jobset["spec"]["volumeClaimPolicies"].items():
        if policy["retentionPolicy"]["whenDeleted"].text not in (None, "Delete"):
            continue
        for template in policy["templates"].items():
            name, facts = template["metadata"]["name"].text, claim_facts(template)
            if name and facts is not None and name in paths and stem(paths[name]) == name:
                found[f"{name}-{jobset['metadata']['name'].text}"] = facts
    return found
