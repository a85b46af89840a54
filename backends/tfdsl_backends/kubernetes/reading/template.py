"""The templates that simpletfjob fills in, one Job for each task, as one job of the language.

A template has four fields, ``{{.type}}``, ``{{.index}}``, ``{{.host}}`` and ``{{.TF_CONFIG}}``; on which nodes tasks
run is asked of the cluster. So the nodes and the number of parameter servers become params.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.command_rules import READ_DIFFERENTLY
from tfdsl.draft import Attribute, Bare, Block, Draft, Param, Statement, Text, Value
from tfdsl.ir.cluster_spec import tf_config
from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence, view
from tfdsl.patterns import regex
from tfdsl.record import replace

if TYPE_CHECKING:
    from tfdsl.reading import Asked

FIELD: Final = regex(r"\{\{\s*\.(type|index|host|TF_CONFIG)\s*\}\}")
_NODES: Final = {"ps": "node-1", "worker": "node-2"}
_PORT: Final = 2222
HOSTS: Final = Param(
    "hosts",
    "list<string>",
    "Names of the nodes, one for each task; simpletfjob asks the cluster for them.",
    example='["node-1", "node-2"]',
)
SERVERS: Final = Param("psn", "int", "Parameter servers, on the first nodes.", default=1)


def is_template(document: Node) -> bool:
    """Whether a Job is one of simpletfjob's templates."""
    name = view(document)["metadata"]["name"].text or ""
    return {match[1] for match in FIELD.finditer(name)} >= {"type", "index"}


def jobs_of(document: Node) -> list[Node]:
    """The Jobs of one parameter server and one worker, as ``document``, a template, makes them."""
    return [_task(document, role) for role in _NODES]


def _task(node: Node, role: str, path: tuple[str, ...] = ()) -> Node:
    """``node`` for the first task of ``role``."""
    if isinstance(node, Mapping):
        named = node.get("name")
        if isinstance(named, Scalar) and named.value == "TF_CONFIG" and path[-1:] == ("env",):
            value = node.get("value")
            span = named.span if value is None else value.span
            config = Scalar(_config(role), span)
            return Mapping({**node.entries, "value": Entry("value", span, config)}, node.span)
        entries = {key: replace(one, value=_task(one.value, role, (*path, key))) for key, one in node.entries.items()}
        return Mapping(entries, node.span)
    if isinstance(node, Sequence):
        return Sequence(tuple(_task(item, role, path) for item in node.items), node.span)
    if not isinstance(node.value, str):
        return node
    known = {"type": role}
    if path == ("spec", "template", "spec", "nodeName"):
        known["host"] = _NODES[role]
    if path == ("metadata", "name"):
        known["index"] = "0"
    return Scalar(FIELD.sub(lambda match: known.get(match[1], match[0]), node.value), node.span)


def _config(role: str) -> str:
    return tf_config({name: [f"{node}:{_PORT}"] for name, node in _NODES.items()}, role, "0")


def as_template(draft: Draft, document: Node, asked: Asked) -> Draft:
    """``draft``, which was read from the first tasks, for as many tasks as there are nodes."""
    draft.law = False
    draft.params = [SERVERS, HOSTS]
    blocks = (draft.job, draft.options, *draft.roles.values(), *draft.role_options.values())
    for block in blocks:
        block.statements = [_unmarked(one) for one in block.statements]
    for role, number in (("ps", Bare("psn")), ("worker", Bare("len(hosts) - psn"))):
        old = draft.role(role)
        block = Block()
        block.set("replicas", number)
        block.statements += [one for one in old.statements if one.identity != "replicas"]
        draft.roles[role] = block
    draft.options.statements = [one for one in draft.options.statements if one.identity != "hosts"]
    draft.options.statements.insert(0, Attribute("hosts", Bare("hosts")))
    place = view(document)["metadata"]["name"].span
    difference = "simpletfjob asks the cluster for its nodes; here they are written, e.g. --set hosts=@nodes.txt"
    asked.report(
        READ_DIFFERENTLY(place, what="this template", word="a job with the param hosts", difference=difference)
    )
    return draft


def _unmarked(one: Statement) -> Statement:
    return replace(one, value=_value(one.value)) if isinstance(one, Attribute) else one


def _value(value: Value) -> Value:
    """``value`` with its fields: the index of a task, and for others what was written."""
    if isinstance(value, str) and FIELD.search(value):
        parts: list[str | Bare] = []
        end = 0
        for match in FIELD.finditer(value):
            parts.append(value[end : match.start()])
            parts.append(Bare("task.index") if match[1] == "index" else match[0])
            end = match.end()
        return Text(tuple(part for part in (*parts, value[end:]) if part))
    return [_value(one) for one in value] if isinstance(value, list) else value
