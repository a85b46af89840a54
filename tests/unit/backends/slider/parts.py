"""Short ways to build mounts and outputs of the IR by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.ir.fields import MOUNTS
from tfdsl.ir.model import Output

if TYPE_CHECKING:
    from tfdsl.ir.model import Mount


def mount(kind: str, at: str, **fields: object) -> Mount:
    """A mount of that kind."""
    return cast("Mount", MOUNTS[kind].of({"at": at, "path": f"roles[worker].mounts[{at}]", **fields}))


def output(source: object, destination: object, **fields: object) -> Output:
    """An output."""
    return Output.of({"source": source, "destination": destination, "path": "roles[worker].outputs[0]", **fields})
