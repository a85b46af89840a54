"""Looking into a manifest without asking at each step whether something is there and of the right type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from tfdsl.manifest.nodes import Mapping, Node, Scalar, Sequence, Step
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.text import Span

T = TypeVar("T", str, int, bool)


class View(Record):
    """A place in a manifest where there may be nothing.

    ``path``: the steps from the document's root. ``span``: of the value; where there is none, of what would hold it.
    A value of another type than the one asked for reads as absent; who wants to complain asks :attr:`present`.
    """

    node: Node | None
    path: tuple[Step, ...]
    span: Span

    def __getitem__(self, step: Step) -> View:
        """What is at ``step``; a view of nothing where there is no such key or index."""
        node = self.node
        below: Node | None = None
        if isinstance(node, Mapping) and isinstance(step, str):
            below = node.get(step)
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            below = node.items[step]
        return View(below, (*self.path, step), below.span if below is not None else self.span)

    @property
    def present(self) -> bool:
        """Whether there is a value other than null."""
        return self.node is not None and not (isinstance(self.node, Scalar) and self.node.value is None)

    @property
    def text(self) -> str | None:
        """The text here."""
        return self._scalar(str)

    @property
    def number(self) -> int | None:
        """The whole number here; a bool is none."""
        value = self._scalar(int)
        return None if isinstance(value, bool) else value

    @property
    def flag(self) -> bool | None:
        """The bool here."""
        return self._scalar(bool)

    @property
    def words(self) -> str | None:
        """The text of any scalar here, as a quantity or the value of a variable can be written: 1, 0.5, 500m."""
        if not isinstance(self.node, Scalar) or self.node.value is None or isinstance(self.node.value, bool):
            return None
        return str(self.node.value)

    def items(self) -> Iterator[View]:
        """The items of the list here, without nulls."""
        if isinstance(self.node, Sequence):
            for number in range(len(self.node.items)):
                item = self[number]
                if item.present:
                    yield item

    def entries(self) -> Iterator[tuple[str, View]]:
        """The keys of the map here with their values, without nulls."""
        if isinstance(self.node, Mapping):
            for key in self.node.entries:
                value = self[key]
                if value.present:
                    yield key, value

    def key(self, name: str) -> Span:
        """The place of the key ``name`` of the map here; of the map, or what would hold it, where there is none."""
        entry = self.node.entries.get(name) if isinstance(self.node, Mapping) else None
        return entry.key_span if entry is not None else self.span

    def _scalar(self, kind: type[T]) -> T | None:
        value = self.node.value if isinstance(self.node, Scalar) else None
        return value if isinstance(value, kind) else None


def view(node: Node) -> View:
    """The root of a document."""
    return View(node, (), node.span)
