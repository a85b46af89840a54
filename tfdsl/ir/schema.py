"""pydantic models of the IR: what validates a job from outside, and what describes it to others.

The records of :mod:`tfdsl.ir.model` are declared once, with pydantic's annotations; here each becomes a frozen, closed
pydantic model of the same name. Nothing on the way from a source text to an output loads this module.
"""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, PlainSerializer, WithJsonSchema, create_model

from tfdsl.ir import model
from tfdsl.record import fields_of
from tfdsl.vocabulary.quantities import Duration, Quantity

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Part

_QUANTITY = Annotated[
    InstanceOf[Quantity],
    PlainSerializer(str),
    WithJsonSchema({"type": "string", "description": "Kubernetes quantity, e.g. 500m or 16Gi"}),
]
_DURATION = Annotated[
    InstanceOf[Duration],
    PlainSerializer(str),
    WithJsonSchema({"type": "string", "description": "duration, e.g. 1h30m"}),
]
_CONFIG = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, from_attributes=True)


@cache
def models() -> dict[str, type[BaseModel]]:
    """The pydantic model of each record of the IR, by name."""
    names: dict[str, Any] = {**vars(model), "Quantity": _QUANTITY, "Duration": _DURATION, "Annotated": Annotated}
    names |= {"Field": Field, "Mapping": dict}
    made: dict[str, type[BaseModel]] = {}
    for name, value in vars(model).items():
        if isinstance(value, type) and issubclass(value, model.Part) and value not in (model.Part, model.Node):
            names[name] = made[name] = _model(value, names)
        elif isinstance(value, UnionType):
            names[name] = _union(name, value, made)
    return made


def _union(name: str, alias: UnionType, made: dict[str, type[BaseModel]]) -> object:
    """The alias ``name`` with a model in the place of each record."""
    members: tuple[Any, ...] = tuple(made.get(member.__name__, member) for member in get_args(alias))
    union: Any = members[0]
    for member in members[1:]:
        union = union | member
    return Annotated[union, Field(discriminator="kind")] if name == "Mount" else union


def _model(record: type[Part], names: dict[str, Any]) -> type[BaseModel]:
    defaults = cast("dict[str, object]", getattr(record, "__defaults__", {}))
    fields: dict[str, Any] = {}
    for field in fields_of(record):
        kind: Any = eval(_annotation(record, field), names)  # the text is our own module's
        if field == "path":
            kind = Annotated[kind, Field(exclude=True, repr=False)]
        default = defaults.get(field, ...)
        fields[field] = (
            kind,
            names[type(default).__name__].model_validate(default) if isinstance(default, model.Part) else default,
        )
    return create_model(record.__name__, __config__=_CONFIG, __doc__=record.__doc__, **fields)


def _annotation(record: type, field: str) -> str:
    written = (vars(base).get("__annotations__", {}) for base in record.__mro__)
    return str(next(annotations[field] for annotations in written if field in annotations))


def validated(job: Job) -> BaseModel:
    """``job`` as a pydantic model; a ``ValidationError`` when it breaks a constraint of the IR."""
    return models()["Job"].model_validate(job)


def json_of(job: Job) -> str:
    """``job`` as JSON, without what has its default."""
    return validated(job).model_dump_json(exclude_defaults=True)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a job."""
    return models()["Job"].model_json_schema()
