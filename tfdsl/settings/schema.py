"""The JSON Schema of ``tfdsl.toml``, for editors and checkers of TOML.

It knows less than the compiler: which version of a target there is, a TOML editor cannot ask.
"""

from __future__ import annotations

from typing import Any, Final

from tfdsl import targets
from tfdsl.settings.tables import LEVELS, MOST_GPUS, MOST_LABELS, MOST_TARGETS, levelled_rules
from tfdsl.settings.words import KEYS, TABLES
from tfdsl.vocabulary.names import QUALIFIED, label

Schema = dict[str, Any]

_PREFIX: Final = rf"({label()}(\.{label()})*/)?"
_NAME: Final = QUALIFIED
_TARGET: Final = r"^[a-z][a-z0-9_-]*(@[0-9A-Za-z.]+)?$"


def schema() -> Schema:
    """The schema, of draft 7, which all editors know."""
    about = {word.name: word.meaning for word in (*KEYS, *TABLES)}
    properties: dict[str, Schema] = {
        "targets": {
            "type": "array",
            "maxItems": MOST_TARGETS,
            "items": {"type": "string", "anyOf": [{"enum": _targets()}, {"pattern": _TARGET}]},
        },
        "strict": {"type": "boolean", "default": False},
        "gpus_per_node": {"type": "integer", "minimum": 1, "maximum": MOST_GPUS},
        "lint": _lint(),
        "labels": _labels(),
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "tfdsl.toml",
        "description": "The settings of a project for tfdsl",
        "type": "object",
        "additionalProperties": False,
        "properties": {name: {"description": about[name], **rest} for name, rest in properties.items()},
    }


def _targets() -> list[str]:
    """Every target, by itself and with each of its versions."""
    return [
        text
        for backend in targets.every()
        for text in (backend.name, *(f"{backend.name}@{version}" for version in backend.versions))
    ]


def _lint() -> Schema:
    level = {"enum": [*LEVELS]}
    rules = levelled_rules()
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            rule.slug: {"description": f"{rule.code}: {rule.message}", "default": rule.level, **level} for rule in rules
        },
        "patternProperties": {f"^({'|'.join(sorted({rule.code for rule in rules}))})$": level},
    }


def _labels() -> Schema:
    return {
        "type": "object",
        "maxProperties": MOST_LABELS,
        "propertyNames": {"pattern": rf"^(?!tfdsl/){_PREFIX}{_NAME}$"},
        "additionalProperties": {"type": "string", "pattern": rf"^({_NAME})?$"},
    }
