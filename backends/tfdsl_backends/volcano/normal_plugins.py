"""Arguments of Volcano's job plugins as the controller reads them, with Go's ``flag`` package.

Source: pkg/controllers/job/plugins of Volcano 1.15.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Map
from typing import Final

from tfdsl.manifest.edits import scalar, text
from tfdsl.manifest.nodes import Entry, Mapping, Node, Sequence

FLAGS: Final[Map[str, Map[str, bool | int | str]]] = {
    "env": {},
    "svc": {"publish-not-ready-addresses": False, "disable-network-policy": False, "inject-hosts-env": True},
    "ssh": {"ssh-key-file-path": "/root/.ssh", "ssh-private-key": "", "ssh-public-key": "", "ssh-port": 22},
    "tensorflow": {"ps": "ps", "worker": "worker", "chief": "chief", "evaluator": "evaluator", "port": 2222},
    "pytorch": {
        "master": "master",
        "worker": "worker",
        "port": 23456,
        "wait-master-enabled": False,
        "wait-master-timeout": 300,
        "wait-master-image": "busybox:1.36.1",
    },
    "mpi": {"master": "master", "worker": "worker", "port": 22},
    "hcclrank": {"master": "master", "worker": "worker"},
}
"""Plugin → its flags with their defaults."""

ADDED: Final = {"tensorflow": ("svc",), "mpi": ("svc", "ssh"), "pytorch": ("svc",), "ray": ("svc",)}
"""Plugin → those that the webhook adds beside it."""

_FLAG: Final = re.compile(r"--?([A-Za-z0-9][^=]*)(?:=(.*))?", re.S)
_TRUE: Final = ("1", "t", "T", "TRUE", "true", "True")
_FALSE: Final = ("0", "f", "F", "FALSE", "false", "False")
_INT: Final = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})", re.ASCII)


def with_defaults(plugins: Mapping) -> Mapping:
    """``plugins`` with those that the webhook adds, and each with the arguments that are not the default."""
    entries = {key: Entry(key, entry.key_span, _arguments(key, entry.value)) for key, entry in plugins.entries.items()}
    for name in plugins.entries:
        for added in ADDED.get(name, ()):
            place = plugins.entries[name]
            entries.setdefault(added, Entry(added, place.key_span, Sequence((), place.value.span)))
    return Mapping(dict(sorted(entries.items())), plugins.span)


def _arguments(plugin: str, node: Node) -> Node:
    """The arguments in one spelling and order; as they are, if the plugin does not know all of them."""
    flags = FLAGS.get(plugin)
    if flags is None or not isinstance(node, Sequence):
        return node
    values = _parsed(flags, [scalar(item) for item in node.items])
    if values is None:
        return node
    kept = [f"--{name}={_shown(value)}" for name, value in sorted(values.items()) if value != flags[name]]
    return Sequence(tuple(text(argument, node.span) for argument in kept), node.span)


def _parsed(flags: Map[str, bool | int | str], arguments: list[object]) -> dict[str, bool | int | str] | None:
    values: dict[str, bool | int | str] = {}
    waiting = [*arguments]
    while waiting:
        argument = waiting.pop(0)
        found = _FLAG.fullmatch(argument) if isinstance(argument, str) else None
        if found is None or found[1] not in flags:
            return None
        default, written = flags[found[1]], found[2]
        if written is None:
            if isinstance(default, bool):
                written = "true"
            elif waiting and isinstance(following := waiting.pop(0), str):
                written = following
            else:
                return None
        value = _value(default, written)
        if value is None:
            return None
        values[found[1]] = value
    return values


def _value(default: bool | int | str, written: str) -> bool | int | str | None:
    if isinstance(default, bool):
        return True if written in _TRUE else False if written in _FALSE else None
    if isinstance(default, int):
        return int(written) if _INT.fullmatch(written) else None
    return written


def _shown(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
