"""The types of the API: which fields an object has, and whether an empty value is one.

``types.json`` (written by ``backends/bake_api_types.py`` from the Go source of Kubernetes' API) maps a type to its
fields, and a field to its kind. A kind is

========  ==========================================================================
``s``     text; ``i`` int, ``n`` number, ``b`` bool, ``x`` int or text
``q``     quantity
``a``     anything
``T``     an object of type ``T``
``[]k``   a list of ``k``
``{}k``   a map from any text to ``k``
``*k``    a pointer to ``k``: an empty text, 0, false or ``{}`` is a value of its own
========  ==========================================================================

A field that is no pointer is empty or absent alike: the server decodes it into a Go value that cannot tell.
``["k", value]``: the API declares ``value`` as the default.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tfdsl.emit.located import Plain

Fields: TypeAlias = "Mapping[str, str]"
Types: TypeAlias = "Mapping[str, Fields]"


@cache
def kubernetes_types() -> Types:
    """Type → field → kind, of Kubernetes' own API."""
    return {name: {key: kind(field) for key, field in fields.items()} for name, fields in _read().items()}


@cache
def declared_defaults() -> Mapping[str, Mapping[str, Plain]]:
    """Type → field → the default that the API declares."""
    found: dict[str, dict[str, Plain]] = {}
    for name, fields in _read().items():
        declared = {key: field[1] for key, field in fields.items() if isinstance(field, list)}
        if declared:
            found[name] = declared
    return found


def kind(field: str | list[Plain]) -> str:
    """The kind of a field as the file has it."""
    return field if isinstance(field, str) else str(field[0])


@cache
def _read() -> Mapping[str, Mapping[str, str | list[Plain]]]:
    import json
    from pathlib import Path

    read: dict[str, dict[str, str | list[Plain]]] = json.loads(
        Path(__file__).with_name("types.json").read_text(encoding="utf-8")
    )
    return read
