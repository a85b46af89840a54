"""Attributes that are one field of a pod each: a row is read in both directions.

From it follow the unconditional row of the support table, what is written, what is read, what the normal form takes for
absent, what a patch may put there, and the row of docs/migrate.md. What is conditional is in :mod:`.support`; an
attribute that is more than one field, or depends on another, is a function where it is written and where it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal, TypeAlias

from tfdsl.backend import Row, kept
from tfdsl.emit.located import Data, Located, Node, Plain, at, child
from tfdsl.record import Record
from tfdsl.rules.values import image, name_problem
from tfdsl.vocabulary.attributes import HIGHEST_ID

Codec: TypeAlias = Literal["text", "number", "seconds", "flag", "map"]
"""``seconds``: a duration, in whole seconds and rounded up. ``flag``: written if true. ``map``: texts by key."""

INT32: Final = 2**31 - 1
"""The largest number that a field of an object can hold."""


class Field(Record):
    """One attribute and its field.

    ``path``: from the object that its table is about. ``old``: an older name of the field, over which it wins.
    ``filled``: what the server writes into a template where nothing is; ``admitted``: what admission adds to a pod, so
    that templates do not have it. ``fits``: which values the language takes. ``patch``: what a patch may put there.
    """

    name: str
    path: str
    codec: Codec = "text"
    old: str = ""
    filled: Plain | None = None
    admitted: Plain | None = None
    fits: Callable[[Any], bool] | None = None
    patch: Literal["name", "not negative"] | None = None


def _is_id(number: int) -> bool:
    return 0 <= number <= HIGHEST_ID


METADATA: Final = (Field("labels", "metadata.labels", "map"), Field("annotations", "metadata.annotations", "map"))
"""Of an object, or of a pod template."""

DEADLINE: Final = Field("deadline", "activeDeadlineSeconds", "seconds", fits=lambda number: number > 0)
TTL: Final = Field("ttl", "ttlSecondsAfterFinished", "seconds", fits=lambda number: number >= 0)
SUSPEND: Final = Field("suspend", "suspend", "flag", filled=False)
"""Of the ``spec`` of a Job or a JobSet, and of the ``runPolicy`` of a TFJob."""

IMAGE: Final = (
    Field("image", "image", fits=lambda text: image(text) is None),
    Field("image_pull_policy", "imagePullPolicy", fits=("Always", "IfNotPresent", "Never").__contains__),
)
"""Of the container that runs the command."""

WORKDIR: Final = Field("workdir", "workingDir")
"""Of the same."""

POD: Final = (
    Field(
        "service_account",
        "serviceAccountName",
        old="serviceAccount",
        admitted="default",
        fits=lambda text: not name_problem(text),
        patch="name",
    ),
    Field(
        "stop_grace",
        "terminationGracePeriodSeconds",
        "seconds",
        filled=30,
        fits=lambda number: 0 <= number <= INT32,
        patch="not negative",
    ),
    Field("run_as_user", "securityContext.runAsUser", "number", fits=_is_id, patch="not negative"),
    Field("run_as_group", "securityContext.runAsGroup", "number", fits=_is_id, patch="not negative"),
    Field("fs_group", "securityContext.fsGroup", "number", fits=_is_id, patch="not negative"),
)
"""Of the ``spec`` of a pod."""

TOLERATION: Final = (
    Field("key", "key"),
    Field("operator", "operator"),
    Field("value", "value"),
    Field("effect", "effect"),
    Field("toleration_seconds", "tolerationSeconds", "number"),
)


def kept_rows(owner: str, fields: Iterable[Field], place: str = "") -> Iterator[Row]:
    """The rows of the support table for attributes of ``owner``, which are fields below ``place``."""
    return (kept(f"{owner}.{field.name}", child(place, field.path)) for field in fields)


def written(node: Node, fields: Iterable[Field]) -> dict[str, Data]:
    """The fields of an IR node that the job sets, as they are nested."""
    result: dict[str, Any] = {}
    for field in fields:
        value = _written(node, field)
        if value is not None:
            *above, last = field.path.split(".")
            place = result
            for key in above:
                place = place.setdefault(key, {})
            place[last] = value
    return result


def _written(node: Node, field: Field) -> Data:
    if field.codec not in ("seconds", "flag"):
        return at(node, field.name)
    value = getattr(node, field.name)
    if not value:
        return None
    return Located(True if field.codec == "flag" else value.seconds, child(node.path, field.name))


def absent(fields: Iterable[Field]) -> dict[str, Plain]:
    """Field → the value that server or admission writes where there is none."""
    pairs = ((field.path, field.filled if field.filled is not None else field.admitted) for field in fields)
    return {path: value for path, value in pairs if value is not None}
