"""Short ways to build mounts and outputs of the IR by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.ir.fields import MOUNTS
from tfdsl.ir.model import Output

if TYPE_CHECKING:
    from tfdsl.ir.model import Mount


def mount(kind: str, at: str, **fields: object) -> Mount:
    """A mount of that kind."""
    return cast("Mount", MOUNTS[kind].model_validate({"at": at, **fields}))


def output(source: object, destination: object, **fields: object) -> Output:
    """An output."""
    return Output.model_validate({"source": source, "destination": destination, **fields})
