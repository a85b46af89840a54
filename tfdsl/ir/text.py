"""Texts of the IR: literal, or with parts that are known only when a replica runs."""

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import Field

from tfdsl.ir.part import After, HoldsIn, Part, holds
from tfdsl.ir.read_only import ReadOnly
from tfdsl.ir.unions import OneOf
from tfdsl.rules import downward, names, texts
from tfdsl.vocabulary.attributes import ENV_NAME

K = TypeVar("K", bound=str)
V = TypeVar("V")

Clean: TypeAlias = Annotated[str, HoldsIn(texts.clean)]
"""A literal text that a process can be given."""

Word: TypeAlias = Annotated[str, Field(min_length=1), HoldsIn(texts.clean)]
"""One that is not empty."""

Map: TypeAlias = Annotated[Mapping[K, V], ReadOnly()]
"""A map that cannot be changed."""

EnvName: TypeAlias = Annotated[str, holds(partial(names.map_key, what="env", pattern=ENV_NAME))]
"""The name of an environment variable."""


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


class PodField(Part):
    """``pod_field(field)``: a field of the pod, as in the downward API of Kubernetes."""

    kind: Literal["pod_field"] = "pod_field"
    field: Annotated[Clean, holds(downward.pod_field)]


class SecretKeys(Part):
    """``secret(name)``: every key of a Secret as a variable."""

    kind: Literal["secret"] = "secret"
    name: Annotated[Clean, holds(lambda name: names.object_name(name, "Secret"))]


class ConfigMapKeys(Part):
    """``configmap(name)``: every key of a ConfigMap as a variable."""

    kind: Literal["configmap"] = "configmap"
    name: Annotated[Clean, holds(lambda name: names.object_name(name, "ConfigMap"))]


EnvSource: TypeAlias = Annotated[SecretKeys | ConfigMapKeys, Field(discriminator="kind")]
"""Where variables without a name of their own come from."""


def _number(value: float | Decimal) -> str:
    """A number as the language writes it into a text: without exponent."""
    return format(Decimal(str(value)), "f")


EnvValue: TypeAlias = Annotated[
    str | RunTimeText | SecretRef | ConfigMapRef | PodField,
    OneOf(
        text=Clean,
        bool=Annotated[bool, After(lambda value: "true" if value else "false")],
        int=Annotated[int, After(str)],
        number=Annotated[float | Decimal, After(_number)],
        run_time=RunTimeText,
        secret=SecretRef,
        configmap=ConfigMapRef,
        pod_field=PodField,
    ),
]
"""The value of a variable; a number or bool is taken as its text."""
