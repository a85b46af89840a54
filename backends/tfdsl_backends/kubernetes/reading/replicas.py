"""The pod templates of several Jobs of one role as one, in which the index of the replica is a reference.

With hosts, each replica is a Job of its own, so what refers to the index is written out in each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence as Many
from typing import Final

from tfdsl.manifest.nodes import (
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    changed,
    child,
    each,
    items,
    mapping,
    scalar,
    walk,
    with_value,
)
from tfdsl_backends.podspec.plan import INDEX_FIELD, INDEX_VARIABLE

_NUMBERS: Final = re.compile(r"([0-9]+)")


def merged(templates: Many[Node]) -> Node:
    """One template for all of ``templates``, those of the replicas of a role in their order."""
    if len(templates) < 2:
        return templates[0]
    taken = {scalar(child(one, "name")) for path, one in walk(templates[0]) if path[-2:-1] == ("env",)}
    name = INDEX_VARIABLE
    while name in taken:
        name = f"TFDSL_{name}"
    reference = f"$({name})"
    whole = _merged(list(templates), reference)
    for kind in ("containers", "initContainers"):
        whole = changed(whole, ("spec", kind), lambda containers: each(containers, lambda one: _with(one, name)))
    return whole


def _merged(nodes: list[Node], reference: str) -> Node:
    """The first of ``nodes``, with ``reference`` where a text of each has its own index."""
    first = nodes[0]
    if isinstance(first, Mapping):
        entries: dict[str, Entry] = {}
        for key, entry in first.entries.items():
            others = [node.get(key) if isinstance(node, Mapping) else None for node in nodes[1:]]
            same = [other for other in others if other is not None]
            value = _merged([entry.value, *same], reference) if len(same) == len(others) else entry.value
            entries[key] = Entry(key, entry.key_span, value)
        return Mapping(entries, first.span)
    if isinstance(first, Sequence):
        if any(len(items(node)) != len(first.items) for node in nodes[1:]):
            return first
        members = [[items(node)[number] for node in nodes] for number in range(len(first.items))]
        return Sequence(tuple(_merged(each_, reference) for each_ in members), first.span)
    texts = [scalar(node) for node in nodes]
    if not all(isinstance(text, str) for text in texts) or len(set(texts)) == 1:
        return first
    text = _common([str(text) for text in texts], reference)
    return first if text is None else Scalar(text, first.span)


def _common(texts: list[str], reference: str) -> str | None:
    """The text of which all ``texts`` are made by their numbers; ``None`` where they differ in anything else."""
    parts = [_NUMBERS.split(text) for text in texts]
    if any(len(one) != len(parts[0]) for one in parts):
        return None
    words: list[str] = []
    for number, column in enumerate(zip(*parts, strict=True)):
        if len(set(column)) == 1:
            words.append(column[0])
        elif number % 2 and list(column) == [str(index) for index in range(len(column))]:
            words.append(reference)
        else:
            return None
    return "".join(words)


def _with(container: Node, name: str) -> Node:
    """``container`` with the variable ``name`` for the index, if it refers to it."""
    if not isinstance(container, Mapping):
        return container
    reference = f"$({name})"
    if not any(isinstance(text := scalar(node), str) and reference in text for _, node in walk(container)):
        return container
    span = container.span
    source = mapping({"fieldRef": mapping({"fieldPath": Scalar(INDEX_FIELD, span)}, span)}, span)
    variable = mapping({"name": Scalar(name, span), "valueFrom": source}, span)
    env = items(container.get("env"))
    return with_value(container, "env", Sequence((variable, *env), span))
