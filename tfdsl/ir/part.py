"""What all models of the IR have in common, and how they refuse what breaks a rule of the language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, Self, TypeAlias, TypeVar, cast, get_args

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

from tfdsl.diagnostics.command_rules import NOT_A_JOB
from tfdsl.rules import values
from tfdsl.rules.broken import KEY, Broken
from tfdsl.vocabulary.attributes import NO_LIMIT
from tfdsl.vocabulary.quantities import Duration, Quantity

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue


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


K = TypeVar("K")
V = TypeVar("V")


class ReadOnlyMap(dict[K, V]):
    """A dict that cannot be changed, and so can be hashed; a model that holds one is as frozen as it says."""

    def __hash__(self) -> int:  # type: ignore[override]  # a dict says None, for it can change
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[ReadOnlyMap[K, V]], tuple[dict[K, V]]]:
        """Copied and pickled as a whole: the usual way fills an empty one."""
        return type(self), (dict(self),)

    @classmethod
    def __get_pydantic_core_schema__(cls, _: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Validated like any dict; this describes the default of a field."""
        return handler(dict[Any, Any])


def _refuse(*_: Any, **__: Any) -> NoReturn:
    message = "a map of the IR cannot be changed"
    raise TypeError(message)


for _name in ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"):
    setattr(ReadOnlyMap, _name, _refuse)


EMPTY: ReadOnlyMap[Any, Any] = ReadOnlyMap()


class ReadOnly:
    """Annotates a mapping that is taken of any kind, and kept so that it cannot be changed."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """The schema of its keys and values, and the copy."""
        keys, values = (handler.generate_schema(part) for part in get_args(source))
        return core_schema.no_info_after_validator_function(
            ReadOnlyMap, core_schema.dict_schema(keys, values, strict=False)
        )


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

Memory: TypeAlias = Annotated[Quantity, _QUANTITY, HoldsIn(values.memory)]
Cpu: TypeAlias = Annotated[Quantity, _QUANTITY, HoldsIn(values.cpu)]
MemoryLimit: TypeAlias = Annotated[Quantity | Literal["none"], _LIMIT, _limited(values.memory)]
CpuLimit: TypeAlias = Annotated[Quantity | Literal["none"], _LIMIT, _limited(values.cpu)]
Count: TypeAlias = Annotated[Quantity, _QUANTITY, HoldsIn(values.count)]
TimeLimit: TypeAlias = Annotated[Duration, _DURATION, HoldsIn(values.limit)]
Delay: TypeAlias = Annotated[Duration, _DURATION, HoldsIn(values.delay)]
