"""What belongs to a TFJob beside it: its claims, and TensorBoard."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.import_rules import NOT_KEPT
from tfdsl.draft import Bare, Patch
from tfdsl.manifest.nodes import Node, Scalar, Sequence, mapping
from tfdsl.manifest.view import View, view
from tfdsl_backends.podspec.plan import CONTAINER
from tfdsl_backends.podspec.reading.facts import ClaimFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Sequence as Listed

    from tfdsl.draft import Draft, Value
    from tfdsl.manifest.documents import Document
    from tfdsl.reading import Asked
    from tfdsl.text import Span

BOARD: Final = "tensorboard"
_LABEL: Final = "tfdsl/tensorboard"
_BOARD_IMAGE: Final = "tensorflow/tensorflow:1.3.0"
"""What the operator of 2017 ran where nothing was said."""

_PORT: Final = 6006
_LONGEST_STEM: Final = 20


def belongs(document: Document, job: View) -> bool:
    """Whether ``document`` is one that the compiler writes beside ``job``: a claim that it mounts, or TensorBoard."""
    root, name = view(document.node), job["metadata"]["name"].text
    metadata = root["metadata"]
    if name is None or metadata["namespace"].text != job["metadata"]["namespace"].text:
        return False
    if root["kind"].text == "PersistentVolumeClaim":
        return metadata["name"].text in _made_claims(job, name)
    if root["kind"].text in ("Deployment", "Service"):
        return metadata["name"].text == f"{name}-{BOARD}" and metadata["labels"][_LABEL].text == name
    return False


def _made_claims(job: View, name: str) -> set[str]:
    """The claims that the job mounts where the compiler would give its own claim that name."""
    found: set[str] = set()
    for _, role in job["spec"]["tfReplicaSpecs"].entries():
        spec = role["template"]["spec"]
        claims = {one["name"].text: one["persistentVolumeClaim"]["claimName"].text for one in spec["volumes"].items()}
        for container in spec["containers"].items():
            for mount in container["volumeMounts"].items():
                claim, path = claims.get(mount["name"].text), mount["mountPath"].text
                if claim and path and re.fullmatch(re.escape(f"{name}-{_stem(path)}") + "(-[0-9]+)?", claim):
                    found.add(claim)
    return found


def _stem(path: str) -> str:
    """What a claim is called after, the path at which it is mounted."""
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-")[:_LONGEST_STEM].strip("-") or "claim"


def claims(documents: Listed[Document]) -> dict[str, ClaimFacts]:
    """The claims among ``documents``, by name."""
    found: dict[str, ClaimFacts] = {}
    for document in documents:
        root = view(document.node)
        name, size = root["metadata"]["name"].text, root["spec"]["resources"]["requests"]["storage"].words
        if root["kind"].text == "PersistentVolumeClaim" and name and size:
            found[name] = ClaimFacts(Bare(size), tuple(_claim_options(root["spec"])))
    return found


def _claim_options(spec: View) -> Iterator[tuple[str, Value]]:
    storage_class = spec["storageClassName"].text
    if storage_class:
        yield "storage_class", storage_class
    modes = [one.text for one in spec["accessModes"].items() if one.text]
    if modes:
        yield "access_modes", modes
    yield "keep", True


def board(root: View, documents: Listed[Document], asked: Asked) -> View | None:
    """TensorBoard's pod template: that of its Deployment, or what the operator of 2017 made of its section."""
    for document in documents:
        other = view(document.node)
        if other["kind"].text == "Deployment":
            return other["spec"]["template"]
    return _of_section(root, asked)


def typed_service(draft: Draft, root: View) -> None:
    """The type of TensorBoard's Service, which has no word."""
    kind = root["spec"][BOARD]["serviceType"]
    if kind.text not in (None, "", "ClusterIP") and BOARD in draft.roles:
        path = f"Service/{draft.name}-{BOARD}:spec.type"
        draft.options.add(Patch(path, "=", kind.text, span=kind.span))


def _of_section(root: View, asked: Asked) -> View | None:
    place = root["spec"][BOARD]
    logdir = place["logDir"]
    if not place.present:
        return None
    if not logdir.text:
        asked.report(NOT_KEPT(place.span, what="spec.tensorboard", reason="it has no logDir"))
        return None
    image = root["spec"]["tfImage"]
    words = [BOARD, "--logdir", logdir.text, "--bind_all", "--port", str(_PORT)]
    container: Mapping[str, Node | None] = {
        "name": Scalar(CONTAINER, place.span),
        "image": image.node if image.text else Scalar(_BOARD_IMAGE, place.span),
        "command": Sequence(tuple(Scalar(word, logdir.span) for word in words), logdir.span),
        "volumeMounts": place["volumeMounts"].node,
    }
    spec = {"containers": Sequence((_map(container, place.span),), place.span), "volumes": place["volumes"].node}
    return view(_map({"spec": _map(spec, place.span)}, place.span))


def _map(entries: Mapping[str, Node | None], span: Span) -> Node:
    return mapping({key: value for key, value in entries.items() if value is not None}, span)
