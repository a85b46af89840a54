"""Which lines of a program are absent because conditions are false: no rule has looked at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from tfdsl.syntax import ast
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.semantics.project import Program


def absent_lines(program: Program, conditions: Iterable[Mapping[Span, bool]]) -> Iterator[tuple[str, int]]:
    """Path and number of each line of ``program`` in an item that no job or role has.

    ``conditions``: for each check of the program, whether each condition, by its place, held anywhere in it.
    """
    held: dict[Span, bool] = {}
    for one in conditions:
        for place, value in one.items():
            held[place] = held.get(place, False) or value
    reader = _Reader(program.templates, {place for place, value in held.items() if not value})
    reader.read(program.jobs, absent=False)
    for span in reader.absent():
        first, last = span.source.position(span.start)[0], span.source.position(span.end)[0]
        for line in range(first, last + 1):
            yield span.source.path, line


class _Reader:
    """Collects the items that are absent; ``false``: the places of the conditions that held nowhere."""

    def __init__(self, templates: Mapping[str, ast.Template], false: set[Span]) -> None:
        self._templates = templates
        self._false = false
        self._absent: list[Span] = []
        self._present_templates: set[str] = set()
        self._absent_templates: set[str] = set()

    def read(self, items: Iterable[ast.Job | ast.Item], *, absent: bool) -> None:
        """Read ``items``, which are ``absent`` if all around them is."""
        for item in items:
            condition: ast.Condition | None = getattr(item, "condition", None)
            here = absent or (condition is not None and condition.span in self._false)
            if here and not absent:
                self._absent.append(item.span)
            if isinstance(item, ast.Job | ast.Role | ast.Target | ast.Step):
                self.read(item.items, absent=here)
            elif isinstance(item, ast.Use):
                self._use(item.name.text, absent=here)

    def absent(self) -> Iterator[Span]:
        """The items that are absent, and the templates that only absent items use."""
        yield from self._absent
        for name in self._absent_templates - self._present_templates:
            yield self._templates[name].span

    def _use(self, name: str, *, absent: bool) -> None:
        known = self._absent_templates if absent else self._present_templates
        if name in self._templates and name not in known:
            known.add(name)
            self.read(self._templates[name].items, absent=absent)
