"""Quantities and durations of the IR: in JSON their text, in Python the values themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic_core import core_schema

from tfdsl.diagnostics.job_rules import NOT_A_JOB
from tfdsl.ir.part import HoldsIn, custom_error
from tfdsl.rules import amounts
from tfdsl.vocabulary.quantities import Duration, Quantity

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue


class _Written:
    """Annotates a type of amounts: read from its text, and written as it."""

    def __init__(self, kind: type[Quantity | Duration], example: str) -> None:
        self.kind = kind
        self.words = f"{kind.__name__.lower()} such as {example}"

    def __get_pydantic_core_schema__(self, _: object, __: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """How it is read and written."""
        text = core_schema.no_info_after_validator_function(self.read, core_schema.str_schema())
        value = core_schema.is_instance_schema(self.kind)
        return core_schema.json_or_python_schema(text, value, serialization=core_schema.to_string_ser_schema())

    def __get_pydantic_json_schema__(self, _: object, __: GetJsonSchemaHandler) -> JsonSchemaValue:
        """How it is described."""
        return {"type": "string", "description": f"a {self.words}"}

    def read(self, text: str) -> Quantity | Duration:
        """The amount that ``text`` is."""
        try:
            return self.kind(text)
        except ValueError:
            shown = text if len(text) < 100 else f"{text[:100]}…"
            message = NOT_A_JOB.words(problem=f'"{shown}" is not a {self.words}')
            raise custom_error(NOT_A_JOB.code, message) from None


_QUANTITY = _Written(Quantity, "16Gi")
_DURATION = _Written(Duration, "1h30m")

Memory: TypeAlias = Annotated[Quantity, _QUANTITY, HoldsIn(amounts.memory)]
Cpu: TypeAlias = Annotated[Quantity, _QUANTITY, HoldsIn(amounts.cpu)]
Count: TypeAlias = Annotated[Quantity, _QUANTITY, HoldsIn(amounts.count)]
TimeLimit: TypeAlias = Annotated[Duration, _DURATION, HoldsIn(amounts.limit)]
Delay: TypeAlias = Annotated[Duration, _DURATION, HoldsIn(amounts.delay)]
