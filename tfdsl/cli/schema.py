"""``tfdsl schema``: the JSON Schema of a job, out of the rows of the vocabulary.

It describes a job as data, one object per block: for editors, forms and programs that generate jobs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias, Union

from tfdsl.cli.arguments import Command
from tfdsl.cli.report import OK
from tfdsl.cli.streams import out
from tfdsl.vocabulary import attributes, policies, roles, statements, types

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tfdsl.cli.arguments import Arguments

COMMAND = Command("schema", "print the JSON Schema of a job", (), (), ("tfdsl schema",))

Schema: TypeAlias = Union[str, int, bool, "list[Schema]", "dict[str, Schema]", None]

_QUANTITY = r"[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?"
_DURATION = r"([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?"


def run(arguments: Arguments) -> int:
    """Print the schema."""
    out(json.dumps(_document(), indent=2, ensure_ascii=False) + "\n")
    return OK


def _document() -> Schema:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tfdsl job",
        **_object(
            {
                "name": {"type": "string"},
                **_attributes(row for row in attributes.ATTRIBUTES if row.in_job),
                **_statements(),
                "roles": _object({row.name: {"$ref": f"#/$defs/{row.name}"} for row in roles.ROLES}),
                "cluster": _settings(statements.CLUSTER),
                "build": _settings(statements.BUILD),
            },
            required=["name", "roles"],
        ),
        "$defs": {row.name: _role(row) for row in roles.ROLES}
        | {"mount": _mounts(), "policy": _policies(), "output": _output()},
    }


def _object(properties: dict[str, Schema], required: list[Schema] | None = None) -> dict[str, Schema]:
    found: dict[str, Schema] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        found["required"] = required
    return found


def _statements() -> dict[str, Schema]:
    names = {"mounts": "mount", "outputs": "output", "policies": "policy"}
    return {plural: {"type": "array", "items": {"$ref": f"#/$defs/{name}"}} for plural, name in names.items()}


def _attributes(rows: Iterable[attributes.Attribute]) -> dict[str, Schema]:
    return {row.name: {**_type(row.type), "description": f"{row.doc} Default: {row.default}."} for row in rows}


def _role(role: roles.RoleRow) -> Schema:
    rows = [row for row in attributes.ATTRIBUTES if row.in_role and (not row.roles or role.name in row.roles)]
    return {"description": role.doc, **_object(_attributes(rows) | _statements())}


def _settings(rows: Iterable[statements.Setting]) -> Schema:
    return _object({row.name: {**_type(row.type), "description": row.doc} for row in rows if row.type is not None})


def _mounts() -> Schema:
    kinds: list[Schema] = []
    for kind in statements.MOUNT_KINDS:
        properties: dict[str, Schema] = {
            "kind": {"const": kind.name},
            "source": {"type": "string", "description": kind.source_doc},
            "at": {"type": "string"},
            "readonly": {"type": "boolean"},
        }
        properties |= {row.name: {**_type(row.type), "description": row.doc} for row in kind.options if row.type}
        required: list[Schema] = ["kind", "at"] if kind.optional else ["kind", "source", "at"]
        kinds.append({"description": kind.doc, **_object(properties, required)})
    return {"oneOf": kinds}


def _output() -> Schema:
    return _object(
        {
            "source": {"type": "string"},
            "destination": {"type": "string"},
            "on": {"enum": list(statements.OUTPUT_WHEN)},
            "from": {"type": "string"},
            "overwrite": {"type": "boolean"},
        },
        ["source", "destination"],
    )


def _policies() -> Schema:
    return {"oneOf": [_policy(event) for event in policies.EVENTS]}


def _policy(event: policies.Event) -> Schema:
    properties: dict[str, Schema] = {"event": {"const": event.name}, "action": {"enum": list(event.actions)}}
    required: list[Schema] = ["event", "action"]
    if event.takes_subject:
        properties |= {"role": {"enum": list(roles.ROLE_NAMES)}, "index": {"type": "integer", "minimum": 0}}
        required += ["role"] if event.needs_role else []
    if event.name == "exit":
        properties["codes"] = {
            "type": "array",
            "items": {"type": "integer", "minimum": 1, "maximum": 255},
            "minItems": 1,
        }
        required.append("codes")
    if event.name == "restarted":
        properties["count"] = {"type": "integer", "minimum": 1}
        required.append("count")
    if event.takes_delay:
        properties["after"] = {"type": "string", "pattern": f"^{_DURATION}$"}
        required += ["after"] if event.needs_delay else []
    return {"description": event.doc, **_object(properties, required)}


def _type(kind: types.Type | None) -> dict[str, Schema]:
    match kind:
        case types.IntType():
            found: dict[str, Schema] = {"type": "integer"}
            found |= {} if kind.at_least is None else {"minimum": kind.at_least}
            return found | ({} if kind.at_most is None else {"maximum": kind.at_most})
        case types.StringType():
            return _string(kind)
        case types.NumberType():
            return {"type": "number"}
        case types.BoolType():
            return {"type": "boolean"}
        case types.QuantityType():
            return {"type": ["string", "number"], "pattern": f"^{_QUANTITY}$"}
        case types.DurationType():
            return {"type": "string", "pattern": f"^{_DURATION}$"}
        case types.ListType():
            return {"type": "array", "items": _type(kind.of)}
        case types.MapType():
            keys: dict[str, Schema] = {} if kind.keys is None else {"propertyNames": {"pattern": f"^({kind.keys})$"}}
            return {"type": "object", "additionalProperties": _type(kind.of), **keys}
        case types.UnionType():
            return {"anyOf": [_type(member) for member in kind.of]}
        case types.ReferenceType():
            names: dict[str, Schema] = {"name": {"type": "string"}, "key": {"type": "string"}}
            return {
                "oneOf": [_object({word: _object(names, ["name", "key"])}, [word]) for word in ("secret", "configmap")]
            }
        case None:
            return {}


def _string(kind: types.StringType) -> dict[str, Schema]:
    if kind.one_of:
        return {"enum": list(kind.one_of)}
    found: dict[str, Schema] = {"type": "string"}
    found |= {} if kind.pattern is None else {"pattern": f"^({kind.pattern})$"}
    return found if kind.empty else found | {"minLength": 1}
