"""What the job that was read from a TFJob must compile to, where that is not the TFJob as it was read."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Many

from tfdsl.draft import Draft
from tfdsl.emit.located import Plain
from tfdsl.manifest.nodes import (
    Mapping,
    Node,
    Sequence,
    View,
    changed,
    child,
    each,
    items,
    plain,
    put,
    renamed,
    scalar,
    with_value,
    without,
)
from tfdsl_backends.podspec.plan import CONTAINER
from tfdsl_backends.tfjob.lower import ROLE_KEYS
from tfdsl_backends.tfjob.reading_beside import BOARD, CHECKPOINT, LABEL, PORT, tree


def wanted(
    draft: Draft, job: View, beside: Iterable[Node], board: View | None, images: Many[str, str]
) -> tuple[Node, ...]:
    """The documents for ``draft``; nothing where they are those that were read.

    ``job``: as v1 has it, ``beside``: the other documents; ``board``: the pod that the operator of 2017 made of the
    section for TensorBoard; ``images``: those that were made up for some roles.
    """
    named = job["metadata"]["name"].text
    if job.node is None or not (draft.renamed or board is not None or images or not named):
        return ()
    new = job.node if named else _named(job.node, draft)
    new = changed(new, ("spec", "tfReplicaSpecs"), lambda roles: _renamed(roles, draft.renamed))
    for role, image in images.items():
        new = _with_image(new, _containers(role), tree(image, draft.span))
    if board is None or board.node is None:
        return (new, *beside)
    for role in draft.roles:
        new = changed(new, _containers(role), lambda containers: _with_checkpoint(containers, board))
    return (new, *beside, *_of_board(draft.name, job, board))


def _named(node: Node, draft: Draft) -> Node:
    """A TFJob without a name with the one that it was given."""
    new = put(node, ("metadata", "name"), tree(draft.name, draft.span))
    return changed(new, ("metadata",), lambda it: without(it, ("generateName",)) if isinstance(it, Mapping) else it)


def _containers(role: str) -> tuple[str, ...]:
    """Where the containers of ``role`` are."""
    return ("spec", "tfReplicaSpecs", ROLE_KEYS.get(role, role), "template", "spec", "containers")


def _with_image(node: Node, place: tuple[str, ...], image: Node) -> Node:
    """``node`` with ``image`` in the container at ``place`` that runs the command."""

    def chosen(containers: Node) -> Node:
        listed = items(containers)
        main = next((one for one in listed if scalar(child(one, "name")) == CONTAINER), next(iter(listed), None))
        return each(containers, lambda one: put(one, ("image",), image) if one is main else one)

    return changed(node, place, chosen)


def _renamed(roles: Node, words: Many[str, str]) -> Node:
    if not isinstance(roles, Mapping):
        return roles
    return renamed(roles, lambda key: ROLE_KEYS[words[key]] if key in words else key)


def _with_checkpoint(containers: Node, board: View) -> Node:
    """``containers`` with the variable that each role gets where there is a TensorBoard."""
    logdir = board["spec"]["containers"][0]["command"][2].text or ""
    variable = tree({"name": CHECKPOINT, "value": logdir}, board.span)

    def with_variable(container: Node) -> Node:
        if not isinstance(container, Mapping):
            return container
        return with_value(container, "env", Sequence((*items(container.get("env")), variable), board.span))

    return each(containers, with_variable)


def _of_board(name: str, job: View, board: View) -> tuple[Node, Node]:
    """The Deployment and the Service of TensorBoard."""
    assert board.node is not None
    labels: Plain = {LABEL: name}
    metadata: dict[str, Plain] = {"name": f"{name}-{BOARD}", "labels": labels}
    namespace = job["metadata"]["namespace"].text
    if namespace:
        metadata["namespace"] = namespace
    template = changed(board.node, ("spec", "containers"), lambda containers: _with_checkpoint(containers, board))
    pod = plain(put(template, ("metadata", "labels"), tree(labels, board.span)))
    assert pod is not None
    deployment: Plain = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": pod},
    }
    service: dict[str, Plain] = {"selector": labels, "ports": [{"name": "http", "port": 80, "targetPort": PORT}]}
    kind = job["spec"][BOARD]["serviceType"].text
    if kind:
        service["type"] = kind
    front: Plain = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": service}
    return tree(deployment, board.span), tree(front, board.span)
