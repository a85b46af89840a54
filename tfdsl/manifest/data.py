"""A compiled document as a tree: each value with a place, that of what made it in the job's text."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as AbstractMapping
from typing import TYPE_CHECKING

from tfdsl.emit.located import Data, Located
from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence
from tfdsl.vocabulary.quantities import Duration, Quantity

if TYPE_CHECKING:
    from tfdsl.text import Span


def tree(data: Data, span_of: Callable[[str], Span]) -> Node:
    """``data``; what comes from no place in the source has that of what holds it, at last of the job's name.

    ``span_of``: the place of an IR path.
    """
    node = _node(data, span_of(""), span_of)
    return node if node is not None else Mapping({}, span_of(""))


def _node(data: Data, span: Span, span_of: Callable[[str], Span]) -> Node | None:
    while isinstance(data, Located):
        span = span_of(data.path)
        data = data.value
    if data is None:
        return None
    if isinstance(data, Quantity | Duration):
        return Scalar(data.text, span)
    if isinstance(data, str):
        return Scalar(str(data), span)
    if isinstance(data, bool | int | float):
        return Scalar(data, span)
    if isinstance(data, AbstractMapping):
        below = {key: node for key, value in data.items() if (node := _node(value, span, span_of)) is not None}
        return Mapping({key: Entry(key, node.span, node) for key, node in below.items()}, span)
    return Sequence(tuple(node for value in data if (node := _node(value, span, span_of)) is not None), span)
