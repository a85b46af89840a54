"""A layered layout: boxes in rows, the links between them from row to row.

After Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures" (1981), as
graphviz's dot has it (Gansner and others, "A Technique for Drawing Directed Graphs", 1993): a link that passes a row
has a point there, and its label is a point with a size. Each row is put in an order with few crossings (barycentres),
and then the points are put where links bend least (:mod:`tfdsl.drawing.alignment`). The same graph always gives the
same layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from typing import Final

from tfdsl.drawing.alignment import Alignment
from tfdsl.record import Record

SWEEPS: Final = 8
_TOGETHER: Final = 1
"""How much a box is drawn to the middle of the picture."""
_STRAIGHT: Final = (3, 6, 24)
"""How much the ends of a piece of a link are to be in line, by how many of them are points that it passes."""
_CORNER: Final = 18.0
"""How far from the corner of a box links begin."""


class Node:
    """What has a place in a row: a box, a label, or the point where a link passes.

    ``left``, ``right``: how far it reaches from its ``x``, which links are in line with.
    """

    __slots__ = ("above", "below", "gap", "height", "left", "order", "passed", "right", "row", "x")

    def __init__(self, row: int, left: float, right: float, height: float, gap: float, *, passed: bool) -> None:
        self.passed = passed
        self.row = row
        self.left = left
        self.right = right
        self.height = height
        self.gap = gap
        self.above: list[Node] = []
        self.below: list[Node] = []
        self.order = 0
        self.x = 0.0

    def leaving(self, other: Node) -> float:
        """Where, from its ``x``, the link to a node below it begins."""
        return self._port(self.below, other)

    def arriving(self, other: Node) -> float:
        """Where, from its ``x``, the link from a node above it ends."""
        return self._port(self.above, other)

    def _port(self, others: list[Node], other: Node) -> float:
        """Links begin at equal distances, in the order of the nodes that they lead to."""
        if self.passed:
            return 0.0
        ordered = sorted(others, key=lambda one: one.order)
        room = self.left + self.right - 2 * _CORNER
        return room * ((ordered.index(other) + 1) / (len(ordered) + 1) - 0.5)


class Edge(Record):
    """A link from a node to one in a lower row, and the nodes that it passes. ``label``: that of its label."""

    nodes: tuple[Node, ...]
    label: Node | None


class Graph:
    """Nodes in rows. Boxes are in even rows, labels in odd ones."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []

    def box(self, row: int, width: float, height: float, gap: float) -> Node:
        """A new box."""
        return self._add(Node(row, width / 2, width / 2, height, gap, passed=False))

    def point(self, row: int) -> Node:
        """A new point where a link passes, begins or ends."""
        return self._add(Node(row, 0, 0, 0, 16, passed=True))

    def _add(self, node: Node) -> Node:
        self.nodes.append(node)
        return node

    def link(self, source: Node, target: Node, label: tuple[float, float] | None, *, low: bool = False) -> Edge:
        """A link between two nodes; the one in the upper row comes first.

        ``label``: its width and height; ``low``: it is at the lower end.
        """
        upper, lower = (source, target) if source.row < target.row else (target, source)
        assert upper.row < lower.row, "links are between rows"
        passed = [upper]
        at = lower.row - 1 if low else upper.row + 1
        found: Node | None = None
        for row in range(upper.row + 1, lower.row):
            if row == at and label is not None:
                found = self._add(Node(row, 0, label[0], label[1], 16, passed=True))
                passed.append(found)
            else:
                passed.append(self.point(row))
        passed.append(lower)
        for first, second in pairwise(passed):
            first.below.append(second)
            second.above.append(first)
        edge = Edge(tuple(passed), found)
        self.edges.append(edge)
        return edge

    def arrange(self) -> list[list[Node]]:
        """Give each node its order and its ``x``; the rows, each in order."""
        rows: list[list[Node]] = [[] for _ in range(max((node.row for node in self.nodes), default=-1) + 1)]
        for node in self.nodes:
            rows[node.row].append(node)
        for row in rows:
            _number(row)
        best = _few_crossings(rows)
        for row, order in zip(rows, best, strict=True):
            row[:] = order
            _number(row)
        _settle(rows, self.edges)
        return rows


# --- the order in a row ----------------------------------------------------------------------------------------------


def _number(row: list[Node]) -> None:
    for order, node in enumerate(row):
        node.order = order


def _few_crossings(rows: list[list[Node]]) -> list[list[Node]]:
    best, fewest = [row[:] for row in rows], _crossings(rows)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else reversed(rows):
            row.sort(key=lambda node: (_barycentre(node, down=down), node.order))
            _number(row)
        count = _crossings(rows)
        if count < fewest:
            best, fewest = [row[:] for row in rows], count
        if not fewest:
            break
    return best


def _barycentre(node: Node, *, down: bool) -> float:
    """The middle of the places of those it is linked to, in the row before; its own place without any."""
    others = node.above if down else node.below
    if not others:
        return float(node.order)
    return sum(other.order for other in others) / len(others)


def _crossings(rows: list[list[Node]]) -> int:
    total = 0
    for row in rows:
        seen: list[int] = []
        for node in row:
            ends = sorted(other.order for other in node.below)
            total += sum(1 for end in ends for other in seen if other > end)
            seen += ends
    return total


# --- the places in a row ---------------------------------------------------------------------------------------------


def _settle(rows: list[list[Node]], edges: Sequence[Edge]) -> None:
    """Place the nodes of each row far enough apart, and so that links bend little."""
    alignment = Alignment()
    numbers: dict[int, int] = {}
    start = [0]
    for row in rows:
        at = 0
        for place, node in enumerate(row):
            numbers[id(node)] = number = alignment.node()
            if place:
                least = _apart(row[place - 1], node)
                at += least
                alignment.apart(number - 1, number, least)
            start.append(at)
    for row in rows:
        for node in row:
            if not node.passed:
                alignment.near(numbers[id(node)], 0, _TOGETHER)
    for edge in edges:
        for first, second in pairwise(edge.nodes):
            offset = round(second.arriving(first) - first.leaving(second))
            weight = _STRAIGHT[first.passed + second.passed]
            alignment.near(numbers[id(first)], numbers[id(second)], weight, offset)
    places = alignment.solved(start)
    for row in rows:
        for node in row:
            node.x = float(places[numbers[id(node)]])


def _apart(first: Node, second: Node) -> int:
    return ceil(first.right + second.left + max(first.gap, second.gap))
