"""Numbers for nodes, some at least so far apart, others as near to each other as can be: network simplex.

After Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs" (1993), sections 2.3 and 4.2. The sum
of the cuts is taken from sums over subtrees, and each turn walks the tree anew: pictures are small.
"""

from __future__ import annotations

from typing import Final

from tfdsl.record import Record

_MOST_TURNS: Final = 600
"""Turns after which what has been found is taken: it is as good as pictures need, and always far enough apart."""


class Apart(Record):
    """``right`` is at least ``least`` more than ``left``; each more costs ``weight``."""

    left: int
    right: int
    least: int
    weight: int = 0


class Alignment:
    """Nodes are numbers from 0; node 0 is one that all others are near to."""

    def __init__(self) -> None:
        self.count = 1
        self.edges: list[Apart] = []

    def node(self) -> int:
        """A new node."""
        self.count += 1
        return self.count - 1

    def apart(self, left: int, right: int, least: int) -> None:
        """``right`` is at least ``least`` more than ``left``."""
        self.edges.append(Apart(left, right, least))

    def near(self, one: int, other: int, weight: int, offset: int = 0) -> None:
        """``one`` and ``other`` plus ``offset`` are near to each other."""
        between = self.node()
        self.edges.append(Apart(between, one, max(offset, 0), weight))
        self.edges.append(Apart(between, other, max(-offset, 0), weight))

    def solved(self, start: list[int]) -> list[int]:
        """The numbers of the nodes. ``start``: some for the first nodes, far enough apart."""
        between: dict[int, int] = {}  # such a node is on the left of both that it is between
        for edge in self.edges:
            if edge.left >= len(start):
                place = start[edge.right] - edge.least
                between[edge.left] = min(between.get(edge.left, place), place)
        values = [*start, *(between[node] for node in range(len(start), self.count))]
        return _Simplex(self.edges, values).solved()


class _Simplex:
    """A spanning tree of edges without slack, exchanged edge by edge until nothing is to be gained."""

    def __init__(self, edges: list[Apart], values: list[int]) -> None:
        self.edges = edges
        self.values = values
        self.at: list[list[int]] = [[] for _ in values]
        self.pull = [0] * len(values)  # the weights of edges that end at a node, less those that begin there
        for number, edge in enumerate(edges):
            self.at[edge.left].append(number)
            self.at[edge.right].append(number)
            self.pull[edge.right] += edge.weight
            self.pull[edge.left] -= edge.weight
        self.tree: set[int] = set()

    def slack(self, number: int) -> int:
        edge = self.edges[number]
        return self.values[edge.right] - self.values[edge.left] - edge.least

    def solved(self) -> list[int]:
        """The values that cost least."""
        self._tight_tree()
        for _ in range(_MOST_TURNS):
            if not self._turn():
                break
        return [value - self.values[0] for value in self.values]

    # --- the first tree ---

    def _tight_tree(self) -> None:
        inside = [False] * len(self.values)
        members: list[int] = []
        self._grow(0, inside, members)
        while len(members) < len(self.values):
            number = min(
                (number for node in members for number in self.at[node] if self._leaves(number, inside)),
                key=lambda number: (self.slack(number), number),
            )
            edge = self.edges[number]
            move = self.slack(number) if inside[edge.left] else -self.slack(number)
            for node in members:
                self.values[node] += move
            self.tree.add(number)
            self._grow(edge.right if inside[edge.left] else edge.left, inside, members)

    def _leaves(self, number: int, inside: list[bool]) -> bool:
        edge = self.edges[number]
        return inside[edge.left] != inside[edge.right]

    def _grow(self, start: int, inside: list[bool], members: list[int]) -> None:
        """Add what edges without slack lead to."""
        waiting = [start]
        inside[start] = True
        while waiting:
            node = waiting.pop()
            members.append(node)
            for number in self.at[node]:
                edge = self.edges[number]
                other = edge.right if edge.left == node else edge.left
                if not inside[other] and self.slack(number) == 0:
                    inside[other] = True
                    self.tree.add(number)
                    waiting.append(other)

    # --- exchanging edges ---

    def _turn(self) -> bool:
        """Exchange the edge that costs most for another; whether there was one."""
        order, parent = self._walk()
        sums = self.pull[:]
        worst, leaving, below = 0, -1, -1
        for node in reversed(order[1:]):
            number = parent[node]
            edge = self.edges[number]
            is_head = edge.right == node
            cut = sums[node] if is_head else -sums[node]
            if cut < worst:
                worst, leaving, below = cut, number, node
            sums[edge.left if is_head else edge.right] += sums[node]
        if leaving < 0:
            return False
        heads = self._subtree(below, parent, order)
        if self.edges[leaving].left == below:
            heads = [not one for one in heads]
        entering = min(
            (
                number
                for number, edge in enumerate(self.edges)
                if heads[edge.left] and not heads[edge.right] and number != leaving
            ),
            key=lambda number: (self.slack(number), number),
            default=-1,
        )
        if entering < 0:
            return False
        move = self.slack(entering)
        if move:
            self.values = [value + move if head else value for value, head in zip(self.values, heads, strict=True)]
        self.tree.discard(leaving)
        self.tree.add(entering)
        return True

    def _walk(self) -> tuple[list[int], list[int]]:
        """The nodes of the tree from its root on, and the edge of each to its parent."""
        parent = [-1] * len(self.values)
        order = [0]
        for node in order:
            for number in self.at[node]:
                if number in self.tree and number != parent[node]:
                    edge = self.edges[number]
                    other = edge.right if edge.left == node else edge.left
                    parent[other] = number
                    order.append(other)
        return order, parent

    def _subtree(self, top: int, parent: list[int], order: list[int]) -> list[bool]:
        """Which nodes are below ``top`` or it."""
        below = [False] * len(self.values)
        below[top] = True
        for node in order:
            if node in (0, top):
                continue
            edge = self.edges[parent[node]]
            if below[edge.left if edge.right == node else edge.right]:
                below[node] = True
        return below
