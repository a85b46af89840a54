"""Unions of plain values and models, discriminated, so that a mistake is reported once, where it is.

pydantic's ``Tag`` and ``Discriminator`` do the same; here the union itself stays free of annotations, for readers and
type checkers. A union of models alone has ``Field(discriminator="kind")``.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, cast

from pydantic_core import core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue


class OneOf:
    """Annotates a union of plain values and of models that have a ``kind``; ``members``: annotations by tag.

    Tags of plain values are ``text``, ``list``, ``int``, ``number`` (what is not an int) and ``bool``.
    """

    def __init__(self, **members: object) -> None:
        self.members = members

    def __get_pydantic_core_schema__(self, _: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """One schema for each tag."""
        choices = {tag: handler.generate_schema(member) for tag, member in self.members.items()}
        return core_schema.tagged_union_schema(
            choices,
            _tag,
            custom_error_type="union_member",
            custom_error_message=f"Input should be of one of these kinds: {', '.join(self.members)}",
        )

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """``anyOf``: an int is a number too, and a number may be written as a text."""
        return {"anyOf" if key == "oneOf" else key: value for key, value in handler(schema).items()}


def _tag(value: object) -> object:
    for kind, tag in _PLAIN:
        if isinstance(value, kind):
            return tag
    if isinstance(value, Mapping):
        return cast("Mapping[str, object]", value).get("kind")
    return getattr(value, "kind", None)


_PLAIN: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "text"),
    (bool, "bool"),
    (int, "int"),
    ((float, Decimal), "number"),
    ((tuple, list), "list"),
)
