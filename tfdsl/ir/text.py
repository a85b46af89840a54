"""Texts of the IR: literal, or with parts that are known only when a replica runs."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypeVar, get_args

from pydantic import AfterValidator, Field
from pydantic_core import core_schema

from tfdsl.ir.part import Part, holds, holds_in
from tfdsl.ir.read_only import ReadOnlyMap
from tfdsl.ir.unions import OneOf
from tfdsl.rules import names, texts

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

K = TypeVar("K", bound=str)
V = TypeVar("V")

Clean: TypeAlias = Annotated[str, holds_in(texts.clean)]
"""A literal text that a process can be given."""

Word: TypeAlias = Annotated[str, Field(min_length=1), holds_in(texts.clean)]
"""One that is not empty."""


class _ReadOnly:
    """Annotates a mapping that is taken of any kind, and kept so that it cannot be changed."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        keys, values = (handler.generate_schema(part) for part in get_args(source))
        return core_schema.no_info_after_validator_function(
            ReadOnlyMap, core_schema.dict_schema(keys, values, strict=False)
        )


Map: TypeAlias = Annotated[Mapping[K, V], _ReadOnly()]
"""A map that cannot be changed."""


class TaskIndex(Part):
    """``${task.index}``: the replica's own index, known only when it runs."""

    kind: Literal["task_index"] = "task_index"


class EnvVar(Part):
    """``${env.NAME}``: an environment variable of the replica, known only when it runs."""

    kind: Literal["env"] = "env"
    name: Word


Piece: TypeAlias = Annotated[str | TaskIndex | EnvVar, OneOf(text=Clean, task_index=TaskIndex, env=EnvVar)]


class RunTimeText(Part):
    """A text with parts that are known only when the replica runs; neighbouring literal parts are joined."""

    kind: Literal["run_time"] = "run_time"
    parts: tuple[Piece, ...]


Text: TypeAlias = Annotated[str | RunTimeText, OneOf(text=Clean, run_time=RunTimeText)]
FullText: TypeAlias = Annotated[str | RunTimeText, OneOf(text=Word, run_time=RunTimeText)]
"""A text that is not empty."""

Command: TypeAlias = Annotated[
    tuple[Text, ...] | str | RunTimeText, OneOf(list=tuple[Text, ...], text=Word, run_time=RunTimeText)
]
"""What a role runs: argv, or a text for a shell."""

Priority: TypeAlias = Annotated[
    int | str, OneOf(int=int, text=Annotated[Word, holds(lambda name: names.object_name(name, "PriorityClass"))])
]
"""A number, or the name of a PriorityClass."""


class SecretRef(Part):
    """``secret(name, key)``."""

    kind: Literal["secret"] = "secret"
    name: Annotated[Clean, holds(lambda name: names.object_name(name, "Secret"))]
    key: Annotated[Clean, holds(lambda key: names.data_key(key, "Secret"))]


class ConfigMapRef(Part):
    """``configmap(name, key)``."""

    kind: Literal["configmap"] = "configmap"
    name: Annotated[Clean, holds(lambda name: names.object_name(name, "ConfigMap"))]
    key: Annotated[Clean, holds(lambda key: names.data_key(key, "ConfigMap"))]


def _number(value: float | Decimal) -> str:
    """A number as the language writes it into a text: without exponent."""
    return format(Decimal(str(value)), "f")


EnvValue: TypeAlias = Annotated[
    str | RunTimeText | SecretRef | ConfigMapRef,
    OneOf(
        text=Clean,
        bool=Annotated[bool, AfterValidator(lambda value: "true" if value else "false")],
        int=Annotated[int, AfterValidator(str)],
        number=Annotated[float | Decimal, AfterValidator(_number)],
        run_time=RunTimeText,
        secret=SecretRef,
        configmap=ConfigMapRef,
    ),
]
"""The value of a variable; a number or bool is taken as its text."""
