"""The documents of a compiled job as trees with places, which are those of the job's text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.manifest.data import tree
from tfdsl.manifest.nodes import Node

if TYPE_CHECKING:
    from tfdsl.compiling.pipeline import Made


def trees(made: Made) -> tuple[Node, ...]:
    """The documents of ``made``, without texts and Dockerfiles."""
    span_of = made.unit.origins.span
    return tuple(tree(one.data, span_of) for one in made.documents if one.format in ("yaml", "json"))
