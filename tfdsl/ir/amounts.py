"""Quantities and durations of the IR: in JSON their text, in Python the values themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic_core import core_schema

from tfdsl.diagnostics.job_rules import NOT_A_JOB
from tfdsl.ir.part import HoldsIn, custom_error
from tfdsl.rules import amounts
from tfdsl.rules.broken import Broken
from tfdsl.vocabulary.attributes import NO_LIMIT
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


class _OrNone(_Written):
    """The same, or the word for no limit."""

    def __get_pydantic_core_schema__(self, _: object, __: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """How it is read and written."""
        text = core_schema.no_info_after_validator_function(self.read, core_schema.str_schema())
        value = core_schema.union_schema(
            [core_schema.literal_schema([NO_LIMIT]), core_schema.is_instance_schema(self.kind)],
            custom_error_type="limit_member",
            custom_error_message=f'Input should be a {self.kind.__name__} or "{NO_LIMIT}"',
        )
        return core_schema.json_or_python_schema(text, value, serialization=core_schema.to_string_ser_schema())

    def read(self, text: str) -> Any:
        """The amount that ``text`` is, or the word itself."""
        return text if text == NO_LIMIT else super().read(text)


def _limited(rule: Callable[[Any, str], Broken | None]) -> HoldsIn:
    """Annotates a limit, for which ``rule`` holds if there is one."""
    return HoldsIn(lambda limit, what: None if limit == NO_LIMIT else rule(limit, what))


def requested(request: Quantity | None, limit: Quantity | Literal["none"] | None) -> Quantity | None:
    """What a replica requests: a limit alone is also the request."""
    return limit if request is None and isinstance(limit, Quantity) else request


_QUANTITY = _Written(Quantity, "16Gi")
_DURATION = _Written(Duration, "1h30m")

_LIMIT = _OrNone(Quantity, f'16Gi, or "{NO_LIMIT}"')

Memory: TypeAlias = Annotated[Quantity, _QUANTITY, HoldsIn(amounts.memory)]
Cpu: TypeAlias = Annotated[Quantity, _QUANTITY, HoldsIn(amounts.cpu)]
MemoryLimit: TypeAlias = Annotated[Quantity | Literal["none"], _LIMIT, _limited(amounts.memory)]
CpuLimit: TypeAlias = Annotated[Quantity | Literal["none"], _LIMIT, _limited(amounts.cpu)]
Count: TypeAlias = Annotated[Quantity, _QUANTITY, HoldsIn(amounts.count)]
TimeLimit: TypeAlias = Annotated[Duration, _DURATION, HoldsIn(amounts.limit)]
Delay: TypeAlias = Annotated[Duration, _DURATION, HoldsIn(amounts.delay)]
