"""What belongs to a TFJob beside it: its claims, and TensorBoard."""

from __future__ import annotations

import re
from collections.abc import Sequence as Listed
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.command_rules import NOT_KEPT, READ_DIFFERENTLY
from tfdsl.manifest.nodes import Node, Scalar, Sequence, View, mapping, plain, view
from tfdsl.record import replace
from tfdsl_backends.podspec.plan import CONTAINER
from tfdsl_backends.podspec.reading.mounts import claim_facts, stem

if TYPE_CHECKING:
    from tfdsl.emit.located import Plain
    from tfdsl.manifest.nodes import Document
    from tfdsl.reading import Asked
    from tfdsl.text import Span
    from tfdsl_backends.podspec.reading.facts import ClaimFacts
    from tfdsl_backends.podspec.reading.objects import Neighbours

BOARD: Final = "tensorboard"
LABEL: Final = "tfdsl/tensorboard"
_BOARD_IMAGE: Final = "tensorflow/tensorflow:1.3.0"
"""What the operator of 2017 ran where nothing was said."""

PORT: Final = 6006
CHECKPOINT: Final = "CHECKPOINT_DIR"


def belonging(neighbours: Neighbours, job: View) -> list[Document]:
    """Those of ``neighbours`` that the compiler writes beside ``job``: claims that it mounts, and TensorBoard."""
    name, namespace = job["metadata"]["name"].text, job["metadata"]["namespace"].text
    if name is None:
        return []
    near = neighbours.of(namespace, name)
    boards = [view(one.node) for one in near if _is_board(one, name)]
    claims = _made_claims([job, *boards], name) if len(near) > len(boards) else set[str]()
    return [one for one in near if _is_board(one, name) or _is_claim(one, claims)]


def _is_board(document: Document, name: str) -> bool:
    root = view(document.node)
    labelled = root["metadata"]["labels"][LABEL].text == name
    return labelled and root["kind"].text in ("Deployment", "Service") and _name(root) == f"{name}-{BOARD}"


def _is_claim(document: Document, claims: set[str]) -> bool:
    root = view(document.node)
    is_made = root["kind"].text == "PersistentVolumeClaim" and _name(root) in claims
    return is_made and claim_facts(root) is not None


def _name(root: View) -> str | None:
    return root["metadata"]["name"].text


def _templates(root: View) -> list[View]:
    """The pod templates of a TFJob or of a Deployment."""
    return [root["spec"]["template"], *(role["template"] for _, role in root["spec"]["tfReplicaSpecs"].entries())]


def _made_claims(objects: Listed[View], name: str) -> set[str]:
    """The claims that are mounted where the compiler would give a claim of the job that name."""
    mounted: dict[str, set[str]] = {}
    for template in (each for root in objects for each in _templates(root)):
        spec = template["spec"]
        claims = {one["name"].text: one["persistentVolumeClaim"]["claimName"].text for one in spec["volumes"].items()}
        for container in spec["containers"].items():
            for mount in container["volumeMounts"].items():
                claim, path = claims.get(mount["name"].text), mount["mountPath"].text
                if claim and path:
                    mounted.setdefault(f"{name}-{stem(path)}", set()).add(claim)
    return {claim for usual, found in mounted.items() if usual in found for claim in found if _is_like(claim, usual)}


def _is_like(claim: str, usual: str) -> bool:
    """Whether it is called ``usual``, or has a number because another claim is."""
    return re.fullmatch(re.escape(usual) + "(-[0-9]+)?", claim) is not None


def claims(documents: Listed[Document]) -> dict[str, ClaimFacts]:
    """The claims among ``documents``, by name. They outlive the job, as all claims of a TFJob do."""
    found: dict[str, ClaimFacts] = {}
    for document in documents:
        root = view(document.node)
        name, facts = root["metadata"]["name"].text, claim_facts(root)
        if root["kind"].text == "PersistentVolumeClaim" and name and facts is not None:
            found[name] = replace(facts, options=(*facts.options, ("keep", True)))
    return found


def board(root: View, documents: Listed[Document], asked: Asked) -> View | None:
    """TensorBoard's pod template: that of its Deployment, or what the operator of 2017 made of its section."""
    return deployed(documents) or _of_section(root, asked)


def deployed(documents: Listed[Document]) -> View | None:
    """The pod template of TensorBoard's Deployment."""
    roots = [view(document.node) for document in documents]
    return next((root["spec"]["template"] for root in roots if root["kind"].text == "Deployment"), None)


def _of_section(root: View, asked: Asked) -> View | None:
    place = root["spec"][BOARD]
    logdir = place["logDir"]
    if not place.present:
        return None
    if not logdir.text:
        asked.report(NOT_KEPT(place.span, what="spec.tensorboard", reason="it has no logDir"))
        return None
    difference = f"it outlives the job, and every role has the logDir as {CHECKPOINT}"
    asked.report(READ_DIFFERENTLY(place.span, what="spec.tensorboard", word="role tensorboard", difference=difference))
    container: dict[str, Plain] = {
        "name": CONTAINER,
        "image": root["spec"]["tfImage"].text or _BOARD_IMAGE,
        "command": [BOARD, "--logdir", logdir.text, "--bind_all", "--port", str(PORT)],
        "ports": [{"name": "http", "containerPort": PORT}],
        "volumeMounts": _data(place["volumeMounts"]),
    }
    return view(tree({"spec": {"containers": [container], "volumes": _data(place["volumes"])}}, place.span))


def _data(place: View) -> Plain:
    data = plain(place.node) if place.node is not None else None
    return [] if data is None else data


def tree(data: Plain, span: Span) -> Node:
    """``data`` as a tree, all of it at ``span``."""
    if isinstance(data, dict):
        return mapping({key: tree(value, span) for key, value in data.items()}, span)
    if isinstance(data, list):
        return Sequence(tuple(tree(item, span) for item in data), span)
    return Scalar(data, span)
