"""What an API server checks of an object against its structural schema, with strict field validation.

Written from the Kubernetes documentation of structural schemas, not from any compiler's output: types, required
fields, unknown fields, patterns, enums, bounds, formats, and the keys of list maps.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "data" / "crds"
TYPES = {"string": str, "boolean": bool, "array": list, "object": dict, "number": int | float}
FORMATS = {"int32": 2**31, "int64": 2**63}


def schema(name: str) -> dict[str, object]:
    """The schema in ``tests/data/crds/<name>.json.gz``."""
    return json.loads(gzip.decompress((DATA / f"{name}.json.gz").read_bytes()))


def violations(value: object, schema: dict[str, Any], path: str = "") -> list[str]:
    """What is wrong with ``value``; each text begins with its path."""
    if schema.get("x-kubernetes-int-or-string"):
        return _int_or_string(value, schema, path)
    kind = schema.get("type")
    if kind == "integer":
        return _integer(value, schema, path)
    if kind in TYPES and (not isinstance(value, TYPES[kind]) or (kind != "boolean" and isinstance(value, bool))):
        return [f"{path}: {type(value).__name__} instead of {kind}"]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: {value!r} is none of {schema['enum']}")
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{path}: {value!r} does not match {schema['pattern']}")
    if isinstance(value, dict):
        found += _object(value, schema, path)
    if isinstance(value, list):
        found += _array(value, schema, path)
    return found


def _int_or_string(value: object, schema: dict[str, Any], path: str) -> list[str]:
    if not isinstance(value, int | str) or isinstance(value, bool):
        return [f"{path}: {type(value).__name__} instead of an integer or string"]
    if "pattern" in schema and not re.search(schema["pattern"], str(value)):
        return [f"{path}: {value!r} does not match {schema['pattern']}"]
    return []


def _integer(value: object, schema: dict[str, Any], path: str) -> list[str]:
    if not isinstance(value, int) or isinstance(value, bool):
        return [f"{path}: {type(value).__name__} instead of integer"]
    bound = FORMATS.get(schema.get("format", "int64"), 2**63)
    if not -bound <= value < bound:
        return [f"{path}: {value} does not fit {schema.get('format')}"]
    if value < schema.get("minimum", value):
        return [f"{path}: {value} is less than {schema['minimum']}"]
    return []


def _object(value: dict, schema: dict[str, Any], path: str) -> list[str]:
    found = [f"{path}.{name}: required" for name in schema.get("required", ()) if name not in value]
    known, others = schema.get("properties", {}), schema.get("additionalProperties")
    for name, item in value.items():
        if name in known:
            found += violations(item, known[name], f"{path}.{name}")
        elif isinstance(others, dict):
            found += violations(item, others, f"{path}.{name}")
        elif known and not schema.get("x-kubernetes-preserve-unknown-fields"):
            found.append(f"{path}.{name}: unknown field")
    return found


def _array(value: list, schema: dict[str, Any], path: str) -> list[str]:
    found = [text for at, item in enumerate(value) for text in violations(item, schema["items"], f"{path}[{at}]")]
    if len(value) > schema.get("maxItems", len(value)):
        found.append(f"{path}: {len(value)} items, at most {schema['maxItems']}")
    keys = schema.get("x-kubernetes-list-map-keys")
    if keys:
        defaults = {key: schema["items"]["properties"].get(key, {}).get("default") for key in keys}
        seen = [tuple(str(item.get(key, defaults[key])) for key in keys) for item in value if isinstance(item, dict)]
        found += [f"{path}: {key} twice" for key in {key for key in seen if seen.count(key) > 1}]
    return found
