"""The functions of expressions, and what their arguments can name (language reference, "Expressions")."""

from __future__ import annotations

from typing import Final

from tfdsl.record import Record


class Function(Record):
    """One function. ``least`` and ``most`` bound the number of arguments (``most`` ``None``: no bound).

    ``aliases``: what other languages call it; ``akin``: their functions that do something similar.
    """

    name: str
    signature: str
    doc: str
    least: int
    most: int | None
    aliases: tuple[str, ...] = ()
    akin: tuple[str, ...] = ()


FUNCTIONS = (
    Function("secret", "secret(name, key)",
             "A key of a Secret, in `env` only; `secret(name)`, all of its keys, in `env_from` only.", 1, 2,
             ("secretKeyRef", "secret_ref")),
    Function("configmap", "configmap(name, key)",
             "A key of a ConfigMap, in `env` only; `configmap(name)`, all of its keys, in `env_from` only.", 1, 2,
             ("configMapKeyRef", "configMapRef", "config_map_ref")),
    Function("pod_field", 'pod_field("status.podIP")', "A field of the pod itself; in `env` only.", 1, 1,
             ("fieldRef", "field_ref", "downwardAPI", "fieldPath")),
    Function("min", "min(a, b, …)", "The smallest of numbers, quantities or durations.", 1, None),
    Function("max", "max(a, b, …)", "The largest of numbers, quantities or durations.", 1, None),
    Function("len", "len(list|map|string)", "The number of elements, entries or characters.", 1, 1,
             ("length", "strlen"), ("size", "count")),
    Function("lower", "lower(text)", "The text in lowercase.", 1, 1, ("toLower", "lowercase", "downcase")),
    Function("upper", "upper(text)", "The text in uppercase.", 1, 1, ("toUpper", "uppercase", "upcase")),
    Function("trim", "trim(text)", "The text without whitespace at both ends.", 1, 1, ("trimspace", "strip")),
    Function("join", "join(separator, list)", "The elements as one text.", 2, 2),
    Function("split", "split(separator, text)", "The parts of a text.", 2, 2),
    Function("replace", "replace(text, old, new)", "With every `old` replaced.", 3, 3,
             akin=("substitute", "regexreplace")),
    Function("format", 'format("%s %d", …)', "`%s` any value, `%d` an int, `%%` a percent sign.", 1, None,
             ("printf", "sprintf")),
    Function("file", 'file("path")', "The text of a file next to the source (UTF-8, at most 1 MiB).", 1, 1,
             ("readFile", "loadTextContent", "filecontent"), ("open", "read")),
    Function("env_file", 'env_file("prod.env")', "The map of the KEY=VALUE lines of a file next to the source.", 1, 1,
             ("envFile", "env_from_file", "dotenv", "load_dotenv"), ("parseEnv",)),
)  # fmt: skip
BY_NAME = {row.name: row for row in FUNCTIONS}


POD_FIELDS: Final = {
    "metadata.name": "Name of the pod.",
    "metadata.namespace": "Namespace of the pod.",
    "metadata.uid": "Unique id of the pod.",
    "spec.nodeName": "Name of the node that runs the pod.",
    "spec.serviceAccountName": "ServiceAccount of the pod.",
    "status.hostIP": "IP address of the node.",
    "status.hostIPs": "IP addresses of the node, IPv4 and IPv6.",
    "status.podIP": "IP address of the pod.",
    "status.podIPs": "IP addresses of the pod, IPv4 and IPv6.",
}
"""Path → what it is."""

KEYED_POD_FIELDS: Final = {"metadata.labels": "label", "metadata.annotations": "annotation"}
"""Maps of which a variable can have one member, ``metadata.labels['KEY']``."""
