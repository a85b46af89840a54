"""The ways of links: straight down through the rows, curved between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tfdsl.drawing.layers import Edge

Point: TypeAlias = tuple[float, float]
Route: TypeAlias = tuple[Point, ...]
"""The points of a way from above to below; from each to the next it is straight if one is above the other, else a curve
that leaves and arrives vertically."""


def route(edge: Edge, tops: Sequence[float], heights: Sequence[float]) -> Route:
    """The way of one link. ``tops``, ``heights``: of the rows."""
    points: list[Point] = []
    last = len(edge.nodes) - 1
    for at, node in enumerate(edge.nodes):
        top, bottom = tops[node.row], tops[node.row] + heights[node.row]
        if at == 0:
            x = node.x + node.leaving(edge.nodes[1])
            points += [(x, top + node.height), (x, bottom)]
        elif at == last:
            points.append((node.x + node.arriving(edge.nodes[-2]), top))
        else:
            points += [(node.x, top), (node.x, bottom)]
    return _without_repeats(points)


def _without_repeats(points: Sequence[Point]) -> Route:
    kept: list[Point] = []
    for point in points:
        if not kept or abs(point[0] - kept[-1][0]) > 0.01 or abs(point[1] - kept[-1][1]) > 0.01:
            kept.append(point)
    return tuple(kept)
