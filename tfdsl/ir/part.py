"""What all models of the IR have in common, and how they refuse what breaks a rule of the language."""

from collections.abc import Callable, Iterable
from typing import Any, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
)
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from tfdsl.rules.broken import KEY, Broken

T = TypeVar("T")


class Part(BaseModel):
    """Base of all models of the IR: frozen, strict, without fields that it does not know.

    In JSON and in :meth:`but` a part is what differs from its defaults, also from those that follow from other fields.
    Parts are equal when their fields are.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)  # most jobs need few kinds

    def but(self, **changes: object) -> Self:
        """The same with other values for some fields, validated; defaults that follow from them are made anew."""
        return type(self).model_validate(self.stated() | changes)

    def stated(self) -> dict[str, Any]:
        """The fields that differ from their defaults, and what they say beside them."""
        derived = self.derived()
        return {
            name: value
            for name, field in type(self).model_fields.items()
            if (value := getattr(self, name)) != derived.get(name, field.default)
        }

    def derived(self) -> dict[str, Any]:
        """Defaults that follow from other fields."""
        return {}

    @model_serializer(mode="wrap")
    def _without_defaults(self, handler: SerializerFunctionWrapHandler) -> Any:
        stated = self.stated()
        whole: dict[str, Any] = handler(self.model_copy(update=stated))
        return {name: value for name, value in whole.items() if name in stated or name == "kind"}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))


class Node(Part):
    """Base of what has a place in the IR: ``roles[worker].mounts[0]``; the job's own is empty.

    The place is no field: :class:`~tfdsl.ir.model.Job` gives it to each of its parts.
    """

    _path: str = PrivateAttr(default="")

    @property
    def path(self) -> str:
        """Its place in its job."""
        return self._path

    def placed(self, path: str, **fields: object) -> Self:
        """The same at ``path``, with ``fields`` that need no validation."""
        made = self.__copy__()
        vars(made).update(fields)
        made._path = path
        return made


def unset() -> Any:
    """The default of a field until a validator of its model has made one out of the others."""
    return None


# --- refusals --------------------------------------------------------------------------------------------------


class After:
    """Annotates a type whose values go through ``function`` when they are valid (pydantic's own inspects it)."""

    def __init__(self, function: Callable[[Any], object]) -> None:
        self.function = function

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """The schema of the type, and the function."""
        return core_schema.no_info_after_validator_function(self.function, handler(source))


class HoldsIn:
    """Annotates a type whose values break nothing of a rule that names the field."""

    def __init__(self, rule: Callable[[Any, str], Broken | None]) -> None:
        self.rule = rule

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """The schema of the type, and the rule for the field that is being built."""
        rule, field = self.rule, handler.field_name or "the value"
        return core_schema.no_info_after_validator_function(
            lambda value: _checked(value, rule(value, field)), handler(source)
        )


def holds(rule: Callable[[Any], Broken | Iterable[Broken] | None]) -> After:
    """Annotates a type whose values break nothing of ``rule``."""
    return After(lambda value: _checked(value, rule(value)))


def _checked(value: T, result: Broken | Iterable[Broken] | None) -> T:
    if result is not None:
        refuse("value", value, [result] if isinstance(result, Broken) else result)
    return value


def refuse(title: str, value: object, broken: Iterable[Broken]) -> None:
    """Raise a ``ValidationError`` with all rules that ``value`` breaks, each at its place."""
    errors = [InitErrorDetails(type=_error(one), loc=one.place, input=_found(value, one.place)) for one in broken]
    if errors:
        raise ValidationError.from_exception_data(title, errors)


def _error(broken: Broken) -> PydanticCustomError:
    about = {"help": broken.helps, "notes": broken.notes, "place": broken.place, "mark": broken.mark}
    return custom_error(broken.rule.code, broken.message, {"about": about})


def custom_error(code: Any, message: Any, context: dict[str, Any] | None = None) -> PydanticCustomError:
    """A pydantic error with words of our own; it asks for literal texts, which rules are not."""
    return PydanticCustomError(code, message, context)


def _found(value: object, place: tuple[str | int, ...]) -> object:
    """What is at a place inside ``value``."""
    here: Any = value
    for step in place:
        if isinstance(here, BaseModel):
            here = getattr(here, str(step), here)
        elif step != KEY:
            here = here[step]
    return here
