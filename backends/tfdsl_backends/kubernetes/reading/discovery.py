"""How the tasks of Jobs find each other: the TF_CONFIG or the flags that their pods are given."""

from __future__ import annotations

import json
from collections.abc import Mapping as Map
from collections.abc import Sequence as Many
from typing import TYPE_CHECKING, Final, cast

from tfdsl.ir.cluster_spec import tf_config
from tfdsl.manifest.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    changed,
    child,
    each,
    items,
    scalar,
    walk,
    with_value,
    without,
)
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl_backends.podspec.plan import CONTAINER, INDEX_FIELD, INDEX_VARIABLE, PORT_NAME

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View

VARIABLE: Final = "TF_CONFIG"
_REFERENCE: Final = regex(r"(?<!\$)\$\(([A-Za-z_][A-Za-z0-9_]*)\)")
_HOSTS: Final = "--worker_hosts="
_LONGEST: Final = 1 << 20
_DIGITS: Final = 7


class Config(Record):
    """A TF_CONFIG. ``index``: a number, or the name of the variable that holds it; ``plain``: nothing else is in it.

    ``cluster``: role → addresses; ``cluster_text``: the same as a text that is equal for equal ones.
    """

    role: str
    index: int | str | None
    cluster: Map[str, tuple[str, ...]]
    cluster_text: str
    plain: bool


def main_container(pod: View) -> View:
    """The container that runs the command: that with the name or the port the compiler gives it, else the first."""
    containers = list(pod["containers"].items())
    for one in containers:
        if one["name"].text == CONTAINER:
            return one
    for one in containers:
        if any(port["name"].text == PORT_NAME for port in one["ports"].items()):
            return one
    return containers[0] if containers else pod["containers"][0]


def config_of(pod: View) -> Config | None:
    """The TF_CONFIG of the main container, if it is a text that says a cluster or a task."""
    values = [entry["value"].text for entry in main_container(pod)["env"].items() if entry["name"].text == VARIABLE]
    return config_in(values[-1]) if values and values[-1] is not None else None


def config_in(text: str) -> Config | None:
    """The TF_CONFIG that ``text`` is."""
    if len(text) > _LONGEST:
        return None
    names: list[str] = []
    data = _object(_REFERENCE.sub(lambda match: _noted(match[1], names), text))
    task = _map(data.get("task"))
    role = task.get("type")
    if not isinstance(role, str):
        return None
    cluster = data.get("cluster")
    listed = _cluster(cluster)
    known = {key: value for key, value in data.items() if key not in ("task", "cluster")}
    usual = known in ({}, {"environment": "cloud"}) and task.keys() <= {"type", "index"}
    index = _index(task.get("index"), names)
    return Config(
        role,
        index,
        listed or {},
        json.dumps(cluster, sort_keys=True) if cluster else "",
        listed is not None and usual and len(names) == isinstance(index, str),
    )


_MARK: Final = -7_213_518
"""A number for a reference, which is no JSON; no index is negative."""


def _noted(name: str, names: list[str]) -> str:
    names.append(name)
    return str(_MARK)


def _index(value: object, names: Many[str]) -> int | str | None:
    """The index of a task: a number, also in quotes, or the variable that has it."""
    if isinstance(value, str) and value.isdecimal() and len(value) < _DIGITS:
        return int(value)
    if value == _MARK and names:
        return names[0]
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _object(text: str) -> dict[str, object]:
    """The object that ``text`` is in JSON; an empty one for anything else."""
    try:
        return _map(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _map(data: object) -> dict[str, object]:
    return cast("dict[str, object]", data) if isinstance(data, dict) else {}


def _cluster(data: object) -> dict[str, tuple[str, ...]] | None:
    """Role → addresses; ``None`` where it is anything else."""
    roles = cast("dict[str, object]", data) if isinstance(data, dict) else None
    if roles is None:
        return None
    cluster: dict[str, tuple[str, ...]] = {}
    for role, hosts in roles.items():
        listed: list[object] = cast("list[object]", hosts) if isinstance(hosts, list) else [None]
        texts = [host for host in listed if isinstance(host, str)]
        if len(texts) < len(listed):
            return None
        cluster[role] = tuple(texts)
    return cluster


def hosts_flag(pod: View) -> str | None:
    """The value of ``--worker_hosts`` in the arguments of the main container."""
    container = main_container(pod)
    for place in (container["args"], container["command"]):
        for word in place.items():
            if (word.text or "").startswith(_HOSTS):
                return word.text
    return None


def with_plain_config(document: Node) -> Node:
    """``document`` with each TF_CONFIG that is the language's but for its spelling as the compiler writes it.

    Programs read JSON, so spaces and the order of keys mean nothing; nor does ``environment``, which TensorFlow reads
    only to tell Google's machine learning engine (``cloud``) from other clusters. The index of a single pod is 0.
    """
    spec = child(document, "spec")
    counts = {scalar(child(spec, key)) for key in ("completions", "parallelism")}
    single = scalar(child(spec, "completionMode")) == "Indexed" and counts <= {None, 1}

    def container(node: Node) -> Node:
        changed_one = changed(node, ("env",), lambda env: each(env, lambda entry: _entry(entry, single=single)))
        return _without_index(changed_one) if single else changed_one

    path = ("spec", "template", "spec", "containers")
    return changed(document, path, lambda containers: each(containers, container))


def _without_index(container: Node) -> Node:
    """``container`` without the variable of the index, if nothing refers to it."""
    reference = f"$({INDEX_VARIABLE})"
    if any(reference in str(scalar(node)) for _, node in walk(container)):
        return container

    def other(entry: Node) -> bool:
        path = scalar(child(entry, "valueFrom", "fieldRef", "fieldPath"))
        return scalar(child(entry, "name")) != INDEX_VARIABLE or path != INDEX_FIELD

    env = child(container, "env")
    if not isinstance(container, Mapping) or env is None:
        return container
    kept = tuple(filter(other, items(env)))
    return with_value(container, "env", Sequence(kept, env.span)) if kept else without(container, ("env",))


def _entry(entry: Node, *, single: bool) -> Node:
    text = scalar(child(entry, "value"))
    if scalar(child(entry, "name")) != VARIABLE or not isinstance(text, str):
        return entry
    config = config_in(text)
    if config is None or not config.plain or config.index is None:
        return entry
    reference = f"$({config.index})" if isinstance(config.index, str) else str(config.index)
    if single and config.index == INDEX_VARIABLE:
        reference = "0"
    written = tf_config({role: [*hosts] for role, hosts in sorted(config.cluster.items())}, config.role, reference)
    return changed(entry, ("value",), lambda value: Scalar(written, value.span))
