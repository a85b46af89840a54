"""Texts of a container that the kubelet expands: the same text can be escaped in several ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Many

from tfdsl.manifest.edits import child, each, items, scalar, text, with_value, without
from tfdsl.manifest.nodes import Entry, Mapping, Node, Sequence
from tfdsl.record import replace
from tfdsl_backends.podspec.expansion import Reference, Scope, canonical, parts


def expanded(container: Mapping) -> Mapping:
    """``container`` with a ``$`` doubled only where it must be, and paths in volumes without references as such."""
    env = items(container.get("env"))
    names = [str(scalar(child(item, "name"))) for item in env]
    scope = Scope(frozenset(names), any_name=bool(items(container.get("envFrom"))))
    for field in ("command", "args"):
        container = _with_each(container, field, lambda node: _word(node, scope))
    old = container.get("env")
    if old is not None and env:
        container = with_value(container, "env", Sequence(tuple(_values(env, names, scope)), old.span))
    return _with_each(container, "volumeMounts", lambda node: _path(node, scope))


def _values(env: Many[Node], names: Many[str], scope: Scope) -> Iterator[Node]:
    """The entries of ``env``; each sees those before it."""
    later = set(names)
    seen = replace(scope, later=later)
    for item, name in zip(env, names, strict=True):
        yield _value(item, seen)
        later.discard(name)


def _value(item: Node, scope: Scope) -> Node:
    value = child(item, "value")
    return with_value(item, "value", _word(value, scope)) if isinstance(item, Mapping) and value is not None else item


def _word(node: Node, scope: Scope) -> Node:
    value = scalar(node)
    new = canonical(value, scope) if isinstance(value, str) else None
    return node if new is None or new == value else text(new, node.span)


def _path(mount: Node, scope: Scope) -> Node:
    """``subPathExpr`` that refers to nothing is ``subPath``."""
    path = scalar(child(mount, "subPathExpr"))
    if not isinstance(mount, Mapping) or not isinstance(path, str) or not path or "subPath" in mount.entries:
        return mount
    found = parts(path, scope)
    if any(isinstance(part, Reference) for part in found):
        return mount
    old = mount.entries["subPathExpr"]
    plain = text("".join(part for part in found if isinstance(part, str)), old.value.span)
    rest = without(mount, ("subPathExpr",))
    return Mapping({**rest.entries, "subPath": Entry("subPath", old.key_span, plain)}, mount.span)


def _with_each(container: Mapping, field: str, change: Callable[[Node], Node]) -> Mapping:
    old = container.get(field)
    return container if old is None else with_value(container, field, each(old, change))
