"""What all models of the IR have in common: their fields follow the vocabulary, and they refuse as the language does.

A model names its ``block`` of :data:`tfdsl.vocabulary.statements.BLOCKS`. Each of its fields takes its type, its range
and its meaning from the row of that block that has its name, and its rule from :mod:`tfdsl.rules.fields`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from types import GenericAlias
from typing import Annotated, Any, ClassVar, Literal, NoReturn, Self, TypeAlias, TypeVar, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from tfdsl.diagnostics import name_rules
from tfdsl.rules import values
from tfdsl.rules.broken import KEY, Broken
from tfdsl.rules.fields import Rule, listed, rule_of
from tfdsl.vocabulary.attributes import NO_LIMIT, TOLERATIONS, NoLimit
from tfdsl.vocabulary.quantities import Duration, Quantity, parse_amount
from tfdsl.vocabulary.statements import BLOCKS, Row
from tfdsl.vocabulary.types import (
    MEMORY,
    STRING,
    BoolType,
    DurationType,
    IntType,
    KeysType,
    ListType,
    MapType,
    QuantityType,
    StringType,
    Type,
    UnionType,
    a_value,
)

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


def _type_in_ir(row: Row) -> Type | None:
    """The type of a field; ``None`` for parts that have fields of their own."""
    kind = getattr(row, "ir", None) or row.type
    return None if kind is TOLERATIONS else kind


class _Follows:
    """Annotates a field: its type and its rule are those of a row."""

    def __init__(self, block: str, name: str, kind: Type, settle: Callable[[Any], object] | None) -> None:
        self.block, self.name, self.kind, self.settle = block, name, kind, settle

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """The schema of the row; a ``TypeError`` if the field is annotated with another type."""
        expected = annotation(self.kind)
        optional = source != expected
        if optional and source != expected | None:
            raise TypeError(f"{self.block}.{self.name} is {expected} in the vocabulary, but annotated with {source}")
        schema = _schema(self.kind, self.name, handler.generate_schema)
        rule = rule_of(self.block, self.name)
        if rule is not None:
            schema = _checked_by(rule, schema)
        if self.settle is not None:
            schema = _after(self.settle, schema)
        return core_schema.nullable_schema(schema) if optional else schema

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """``anyOf`` for unions: an int is a number too, and a number may be written as a text."""
        return cast("JsonSchemaValue", _any_of(handler(schema)))


class _Piece:
    """Annotates a part of a text."""

    def __get_pydantic_core_schema__(self, _: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """One schema for each kind."""
        kinds: tuple[type[TaskIndex | EnvVar], ...] = (TaskIndex, EnvVar)
        return _tagged(
            {"text": _string(STRING, "parts"), **{kind.block: handler.generate_schema(kind) for kind in kinds}}
        )

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """``anyOf``, as for all unions."""
        return cast("JsonSchemaValue", _any_of(handler(schema)))


class Part(BaseModel):
    """Base of all models of the IR: frozen, strict, without fields that it does not know.

    In JSON and in :meth:`but` a part is what differs from its defaults, also from those that follow from other fields.
    Parts are equal when their fields are. ``block``: where the vocabulary has its fields. ``settled``: what valid
    values of some fields go through.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)  # most jobs need few kinds

    block: ClassVar[str] = ""
    settled: ClassVar[Mapping[str, Callable[[Any], object]]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Give each field what the vocabulary has of it."""
        super().__pydantic_init_subclass__(**kwargs)
        for row in BLOCKS.get(cls.block, ()):
            field = cls.model_fields.get(row.name)
            if field is not None:
                field.description = row.doc
                kind = _type_in_ir(row)
                if kind is not None:
                    field.metadata = [_Follows(cls.block, row.name, kind, cls.settled.get(row.name))]

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


class ReadOnlyMap(dict[K, V]):
    """A dict that cannot be changed, and so can be hashed; a model that holds one is as frozen as it says."""

    def __hash__(self) -> int:  # type: ignore[override]  # a dict says None, for it can change
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type["ReadOnlyMap[K, V]"], tuple[dict[K, V]]]:
        """Copied and pickled as a whole: the usual way fills an empty one."""
        return type(self), (dict(self),)

    @classmethod
    def __get_pydantic_core_schema__(cls, _: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Validated like any dict; this describes the default of a field."""
        return handler(dict[Any, Any])


def _refuse_change(*_: Any, **__: Any) -> NoReturn:
    message = "a map of the IR cannot be changed"
    raise TypeError(message)


for _name in ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"):
    setattr(ReadOnlyMap, _name, _refuse_change)

EMPTY: ReadOnlyMap[Any, Any] = ReadOnlyMap()


# --- values that are parts -------------------------------------------------------------------------------------


class TaskIndex(Part):
    """``${task.index}``: the replica's own index, known only when it runs."""

    block = "task_index"
    kind: Literal["task_index"] = "task_index"


class EnvVar(Part):
    """``${env.NAME}``: an environment variable of the replica, known only when it runs."""

    block = "env"
    kind: Literal["env"] = "env"
    name: str


class RunTimeText(Part):
    """A text with parts that are known only when the replica runs; neighbouring literal parts are joined."""

    block = "run_time"
    kind: Literal["run_time"] = "run_time"
    parts: tuple[Annotated[str | TaskIndex | EnvVar, _Piece()], ...]


def variables(value: object) -> Iterator[str]:
    """The names of ``${env.NAME}`` anywhere in ``value``, a part of a job or the whole."""
    match value:
        case RunTimeText():
            yield from (part.name for part in value.parts if isinstance(part, EnvVar))
        case Part():
            for name in type(value).model_fields:
                yield from variables(getattr(value, name))
        case tuple():
            for member in cast("tuple[object, ...]", value):
                yield from variables(member)
        case dict():
            for member in cast("dict[str, object]", value).values():
                yield from variables(member)
        case _:
            pass


class SecretRef(Part):
    """``secret(name, key)``."""

    block = "secret"
    kind: Literal["secret"] = "secret"
    name: str
    key: str


class ConfigMapRef(Part):
    """``configmap(name, key)``."""

    block = "configmap"
    kind: Literal["configmap"] = "configmap"
    name: str
    key: str


class PodField(Part):
    """``pod_field(field)``: a field of the pod, as in the downward API of Kubernetes."""

    block = "pod_field"
    kind: Literal["pod_field"] = "pod_field"
    field: str


class SecretKeys(Part):
    """``secret(name)``: every key of a Secret as a variable."""

    block = "secret"
    kind: Literal["secret"] = "secret"
    name: str


class ConfigMapKeys(Part):
    """``configmap(name)``: every key of a ConfigMap as a variable."""

    block = "configmap"
    kind: Literal["configmap"] = "configmap"
    name: str


Text: TypeAlias = str | RunTimeText
Command: TypeAlias = tuple[Text, ...] | str | RunTimeText
"""What a role runs: argv, or a text for a shell."""
EnvValue: TypeAlias = str | RunTimeText | SecretRef | ConfigMapRef | PodField
"""The value of a variable; a number or bool is taken as its text."""
EnvSource: TypeAlias = Annotated[SecretKeys | ConfigMapKeys, Field(discriminator="kind")]
"""Where variables without a name of their own come from."""


# --- types of the vocabulary -----------------------------------------------------------------------------------


def annotation(kind: Type) -> Any:
    """What a field of a type is annotated with."""
    match kind:
        case IntType():
            return int
        case BoolType():
            return bool
        case QuantityType():
            return Quantity
        case DurationType():
            return Duration
        case StringType(one_of=words, called=called) if words and not called:
            return Literal[words]
        case StringType(run_time=run_time):
            return Text if run_time else str
        case ListType(of=of):
            return GenericAlias(tuple, (annotation(of), ...))
        case MapType(of=of):
            return GenericAlias(Mapping, (str, annotation(of)))
        case UnionType(as_text=True):
            return EnvValue
        case UnionType(of=members):
            first, *more = map(annotation, members)
            return reduce(lambda whole, kind: whole | kind, more, first)
        case KeysType():
            return EnvSource
        case _:
            raise TypeError(f"a field cannot be {a_value(kind)}")


Make: TypeAlias = Callable[[Any], core_schema.CoreSchema]


def _schema(kind: Type, what: str, make: Make) -> core_schema.CoreSchema:
    """The schema of a type. ``what`` names the place in messages; ``make`` makes the schema of a model."""
    match kind:
        case IntType(at_least=low, at_most=high):
            return core_schema.int_schema(ge=low, le=high)
        case BoolType():
            return core_schema.bool_schema()
        case QuantityType() | DurationType():
            return _amount(kind, what, make)
        case StringType(run_time=True):
            return _tagged({"text": _string(kind, what), "run_time": make(RunTimeText)})
        case StringType():
            return _string(kind, what)
        case ListType(of=of):
            return core_schema.tuple_variable_schema(_schema(of, what, make))
        case MapType(of=of, keys=keys):
            key = _checked_by(lambda name: values.map_key(name, what, keys), core_schema.str_schema())
            entries = core_schema.dict_schema(key, _schema(of, what, make), strict=False)
            return core_schema.no_info_after_validator_function(ReadOnlyMap, entries)
        case UnionType():
            return _union(kind, what, make)
        case _:
            return make(annotation(kind))


def _string(kind: StringType, what: str) -> core_schema.CoreSchema:
    if kind.one_of and not kind.called:
        return core_schema.literal_schema(list(kind.one_of))
    pattern = None if kind.pattern is None else f"^(?:{kind.pattern})$"
    schema: core_schema.CoreSchema = core_schema.str_schema(min_length=None if kind.empty else 1, pattern=pattern)
    schema = _checked_by(lambda text: values.clean(text, what), schema)
    return _checked_by(lambda text: values.one_of(text, kind, what), schema) if kind.one_of else schema


def _union(kind: UnionType, what: str, make: Make) -> core_schema.CoreSchema:
    amounts = [member for member in kind.of if isinstance(member, QuantityType)]
    if amounts:
        return _amount(amounts[0], what, make, (NO_LIMIT,))
    members: dict[str, core_schema.CoreSchema] = {}
    for member in kind.of:
        match member:
            case StringType():
                members["text"] = _string(member, what)
                if member.run_time:
                    members["run_time"] = make(RunTimeText)
            case IntType():
                members["int"] = _schema(member, what, make)
            case ListType():
                members["list"] = _schema(member, what, make)
            case _:
                pass
    if kind.as_text:
        members |= {
            "bool": _after(lambda value: "true" if value else "false", core_schema.bool_schema()),
            "int": _after(str, core_schema.int_schema()),
            "number": _after(_number, make(float | Decimal)),
            **{tag: make(part) for tag, part in (("secret", SecretRef), ("configmap", ConfigMapRef))},
            "pod_field": make(PodField),
        }
    return _tagged(members)


def _number(value: float | Decimal) -> str:
    """A number as the language writes it into a text: without exponent."""
    return format(Decimal(str(value)), "f")


def _tagged(members: dict[str, core_schema.CoreSchema]) -> core_schema.CoreSchema:
    """A union of plain values and of models that have a ``kind``, in which a mistake is reported once, where it is."""
    return core_schema.tagged_union_schema(
        members,
        _tag,
        custom_error_type="union_member",
        custom_error_message=f"Input should be of one of these kinds: {', '.join(members)}",
    )


def _any_of(schema: Any) -> Any:
    if isinstance(schema, dict):
        entries = cast("dict[str, Any]", schema)
        return {"anyOf" if key == "oneOf" else key: _any_of(value) for key, value in entries.items()}
    return [_any_of(item) for item in cast("Any", schema)] if isinstance(schema, list) else schema


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


def _amount(
    kind: QuantityType | DurationType, what: str, make: Make, words: tuple[NoLimit, ...] = ()
) -> core_schema.CoreSchema:
    """Quantities and durations, or one of ``words``: in JSON their text, in Python the values themselves."""

    def checked(value: Any) -> Any:
        return value if value in words else _valid(value, values.amount(value, kind, what))

    def read_number(number: float) -> Any:
        exact = number if isinstance(number, int) else Decimal(repr(number))
        return _valid(number, values.amount(exact, kind, what))

    def read(text: str) -> Any:
        return text if text in words else _valid(text, amount_in(text, kind, what))

    json = _after(read, make(Annotated[str, Field(description=a_value(kind))]))
    if isinstance(kind, QuantityType) and kind.of != "memory":  # a number of CPUs or of things needs no unit
        numbers = {"int": core_schema.int_schema(), "number": core_schema.float_schema()}
        json = _tagged({"text": json, **{tag: _after(read_number, number) for tag, number in numbers.items()}})
    python: core_schema.CoreSchema = core_schema.is_instance_schema(
        Duration if isinstance(kind, DurationType) else Quantity
    )
    if words:
        python = core_schema.union_schema(
            [core_schema.literal_schema(list(words)), python],
            custom_error_type="limit_member",
            custom_error_message=f'Input should be a Quantity or "{words[0]}"',
        )
    return core_schema.json_or_python_schema(
        json,
        _after(checked, python),
        serialization=core_schema.plain_serializer_function_ser_schema(written, when_used="json-unless-none")
        if kind == MEMORY
        else core_schema.to_string_ser_schema(),
    )


def amount_in(text: str, kind: QuantityType | DurationType, what: str) -> Quantity | Duration | Broken:
    """The amount that a text of JSON is, as if it were written in a file."""
    given = parse_amount(text)
    if given is None:
        return Broken(name_rules.WRONG_TYPE, (), {"what": what, "expected": a_value(kind), "given": "a string"})
    return values.amount(given, kind, what)


def written(amount: Quantity | str) -> str:
    """Memory as a text that can be read again: a computed number of bytes has no unit."""
    if isinstance(amount, str) or isinstance(amount_in(amount.text, MEMORY, ""), Quantity):
        return str(amount)
    return f"{format(Decimal(amount.milli).scaleb(-3) / 1024, 'f')}Ki"


# --- what constructors take ------------------------------------------------------------------------------------

P = TypeVar("P", bound=Part)


def made(kind: type[P], fields: Mapping[str, Any]) -> P:
    """A model of ``fields`` as a text has them: lists, amounts as texts, numbers of CPUs."""
    types = {row.name: _type_in_ir(row) for row in BLOCKS[kind.block]}
    return kind.model_validate({name: _taken(types.get(name), name, value) for name, value in fields.items()})


def _taken(kind: Type | None, what: str, value: Any) -> Any:
    """``value`` as the model has it, if it can be that; else as it is, for the model to refuse."""
    if isinstance(kind, UnionType):
        amounts = [member for member in kind.of if isinstance(member, QuantityType)]
        if amounts and value != NO_LIMIT:
            return _taken(amounts[0], what, value)
        kind = next((member for member in kind.of if isinstance(member, ListType)), None)
    if isinstance(kind, QuantityType | DurationType) and isinstance(value, str):
        return _valid({what: value}, amount_in(value, kind, what), what)
    if isinstance(kind, QuantityType) and isinstance(value, int | float) and not isinstance(value, bool):
        exact = value if isinstance(value, int) else Decimal(repr(value))
        return _valid({what: value}, values.amount(exact, kind, what), what)
    if isinstance(kind, MapType) and isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value).items()
        return {key: _taken(kind.of, f"{what}.{key}", item) for key, item in entries}
    if isinstance(value, list):
        of = kind.of if isinstance(kind, ListType) else None
        return tuple(_taken(of, what, item) for item in cast("Sequence[Any]", value))
    return value


def from_text(kind: type[P], text: str) -> P | Sequence[Mapping[str, Any]]:
    """What a JSON text describes, or its errors as pydantic tells them (``loc``, ``type``, ``ctx`` …)."""
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        return error.errors(include_url=False)


# --- refusals --------------------------------------------------------------------------------------------------


def _after(function: Callable[[Any], object], schema: core_schema.CoreSchema) -> core_schema.CoreSchema:
    return core_schema.no_info_after_validator_function(function, schema)


def _checked_by(rule: Rule, schema: core_schema.CoreSchema) -> core_schema.CoreSchema:
    """The schema of values that break nothing of ``rule``."""

    def checked(value: Any) -> Any:
        refuse("value", value, listed(rule(value)))
        return value

    return _after(checked, schema)


def _valid(value: object, result: Quantity | Duration | Broken, *place: str) -> Quantity | Duration:
    if isinstance(result, Broken):
        refuse("value", value, [result.below(*place)])
        raise AssertionError
    return result


def refuse(title: str, value: object, broken: Iterable[Broken]) -> None:
    """Raise a ``ValidationError`` with all rules that ``value`` breaks, each at its place."""
    errors = [InitErrorDetails(type=_error(one), loc=one.place, input=_at(value, one.place)) for one in broken]
    if errors:
        raise ValidationError.from_exception_data(title, errors)


def _error(broken: Broken) -> PydanticCustomError:
    about = {"help": broken.helps, "notes": broken.notes, "place": broken.place, "mark": broken.mark}
    code: Any = broken.rule.code  # pydantic asks for literal texts, which rules are not
    message: Any = broken.message
    return PydanticCustomError(code, message, {"about": about})


def _at(value: object, place: tuple[str | int, ...]) -> object:
    """What is at a place inside ``value``."""
    here: Any = value
    for step in place:
        if isinstance(here, BaseModel):
            here = getattr(here, str(step), here)
        elif step != KEY:
            here = here[step]
    return here
