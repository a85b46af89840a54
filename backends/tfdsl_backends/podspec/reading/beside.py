"""The documents beside the object of a job that the compiler writes, too: claims that outlive it, and TensorBoard."""

from __future__ import annotations

from collections.abc import Iterable

from tfdsl.manifest.nodes import Node, View, view
from tfdsl.record import replace
from tfdsl.vocabulary.attributes import BOARD
from tfdsl_backends.podspec.objects import BOARD_LABEL
from tfdsl_backends.podspec.reading.facts import ClaimFacts
from tfdsl_backends.podspec.reading.mounts import claim_facts


def is_board(root: View, name: str) -> bool:
    """Whether a document is TensorBoard's Deployment or Service of the job ``name``."""
    metadata = root["metadata"]
    labelled = metadata["labels"][BOARD_LABEL].text == name and metadata["name"].text == f"{name}-{BOARD}"
    return labelled and root["kind"].text in ("Deployment", "Service")


def deployed_board(documents: Iterable[Node]) -> View | None:
    """The pod template of TensorBoard's Deployment."""
    roots = map(view, documents)
    return next((root["spec"]["template"] for root in roots if root["kind"].text == "Deployment"), None)


def kept_claims(documents: Iterable[Node]) -> dict[str, ClaimFacts]:
    """What is known of the claims among ``documents``, by name. They outlive the job."""
    claims: dict[str, ClaimFacts] = {}
    for root in map(view, documents):
        name, facts = root["metadata"]["name"].text, claim_facts(root)
        if root["kind"].text == "PersistentVolumeClaim" and name and facts is not None:
            claims[name] = replace(facts, options=(*facts.options, ("keep", True)))
    return claims
