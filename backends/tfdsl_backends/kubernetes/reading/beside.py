"""The documents beside Jobs that the compiler writes too: the Service, the claims, and TensorBoard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfdsl.manifest.nodes import Node, View, view
from tfdsl.record import replace
from tfdsl_backends.kubernetes.reading.parts import JOB_LABEL, TENSORBOARD_LABEL, Part
from tfdsl_backends.podspec.reading.facts import ClaimFacts
from tfdsl_backends.podspec.reading.mounts import claim_facts


class Beside:
    """What is there beside the Jobs of a job."""

    def __init__(self, documents: Iterable[Node]) -> None:
        self._roots = [view(document) for document in documents]

    def has_service(self, name: str) -> bool:
        """Whether the headless Service of the job ``name`` is there."""
        return any(root["kind"].text == "Service" and root["metadata"]["name"].text == name for root in self._roots)

    def claims(self, name: str) -> dict[str, ClaimFacts]:
        """The claims of the job ``name``, by the name of the PersistentVolumeClaim; they all outlive the job."""
        claims: dict[str, ClaimFacts] = {}
        for root in self._roots:
            claim = root["metadata"]["name"].text or ""
            if root["kind"].text == "PersistentVolumeClaim" and claim.startswith(f"{name}-"):
                facts = claim_facts(root)
                if facts is not None:
                    claims[claim] = replace(facts, options=(*facts.options, ("keep", True)))
        return claims

    @property
    def tensorboard(self) -> View | None:
        """The pod template of TensorBoard's Deployment."""
        for root in self._roots:
            if root["kind"].text == "Deployment":
                return root["spec"]["template"]
        return None


def belongs(document: Node, name: str, parts: Sequence[Part]) -> bool:
    """Whether ``document``, in the Jobs' namespace, is one that the compiler writes beside them."""
    root = view(document)
    kind, own = root["kind"].text, root["metadata"]["name"].text or ""
    board = f"{name}-tensorboard"
    if kind == "Service":
        return (own == name and _finds(root, parts)) or (own == board and _is_labelled(root, TENSORBOARD_LABEL, name))
    if kind == "Deployment":
        return own == board and _is_labelled(root, TENSORBOARD_LABEL, name)
    return kind == "PersistentVolumeClaim" and own.startswith(f"{name}-") and _is_labelled(root, JOB_LABEL, name)


def _is_labelled(root: View, label: str, name: str) -> bool:
    return root["metadata"]["labels"][label].text == name


def _finds(root: View, parts: Sequence[Part]) -> bool:
    """Whether a Service is headless and selects all pods of ``parts``."""
    selector = dict(root["spec"]["selector"].entries())
    if root["spec"]["clusterIP"].text != "None" or not selector:
        return False
    labels = [one.spec["template"]["metadata"]["labels"] for one in parts]
    return all(pod[key].text == value.text for pod in labels for key, value in selector.items())
