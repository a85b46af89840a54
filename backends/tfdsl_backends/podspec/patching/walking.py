"""Plain documents of unknown form: what is not of the expected type counts as empty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.patch.rules import Complaint, Steps

if TYPE_CHECKING:
    from tfdsl.emit.located import Plain


class Node:
    """A part of a document, with its place."""

    def __init__(self, document: int, at: Steps, data: Plain | None) -> None:
        self.document = document
        self.at = at
        self.data = data

    def __getitem__(self, key: str) -> Node:
        """The member ``key``; a node without data when there is none."""
        return Node(self.document, (*self.at, key), self.map.get(key))

    @property
    def map(self) -> dict[str, Plain]:
        """The data if it is a map."""
        return self.data if isinstance(self.data, dict) else {}

    def items(self) -> Iterator[Node]:
        """The items of a list."""
        for number, item in enumerate(self.data if isinstance(self.data, list) else ()):
            yield Node(self.document, (*self.at, number), item)

    def entries(self) -> Iterator[tuple[str, Node]]:
        """Keys and members of a map."""
        for key, value in self.map.items():
            yield key, Node(self.document, (*self.at, key), value)

    def has(self, key: str) -> bool:
        """Whether it is a map with ``key``."""
        return key in self.map

    def complain(self, message: str, advice: str = "", *, key: bool = False) -> Complaint:
        """A complaint about this part, or about the key that it is under."""
        return Complaint(self.document, self.at, message, advice, key)

    def once(self, key: str, what: str) -> Iterator[Complaint]:
        """A complaint about each item of a list whose ``key`` an earlier one has."""
        seen: set[object] = set()
        for item in self.items():
            value = item[key].data
            if isinstance(value, str | int) and value in seen:
                yield item[key].complain(f"there are two {what} {value}")
            if isinstance(value, str | int):
                seen.add(value)


def part(node: Node, key: str) -> Node:
    """The member ``key`` if it is there, else the whole."""
    return node[key] if node.has(key) else node


def enumeration(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def alternatives(words: Sequence[str]) -> str:
    """``a, b or c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
