"""How much there is to resolve in a job block: what a matrix repeats for each of its jobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tfdsl.syntax import ast


def items_of(job: ast.Job, templates: Mapping[str, ast.Template]) -> int:
    """The items of a job block and of the templates it uses; those beside the roles count for each role as well."""
    counter = _Counter(templates)
    beside = counter.of(job.items)
    return beside * (1 + counter.roles) + counter.in_roles


class _Counter:
    """``roles``: how many role blocks were met, and ``in_roles``: how many items are in them."""

    def __init__(self, templates: Mapping[str, ast.Template]) -> None:
        self.templates = templates
        self.roles = 0
        self.in_roles = 0
        self._known: dict[str, int] = {}

    def of(self, found: Iterable[ast.Item]) -> int:
        """The items of one block, without those of its roles."""
        count = 0
        for item in found:
            count += 1
            if isinstance(item, ast.Role):
                self.roles += 1
                self.in_roles += self.of(item.items)
            elif isinstance(item, ast.Target | ast.Step):
                count += self.of(item.items)
            elif isinstance(item, ast.Build):
                count += len(item.items)
            elif isinstance(item, ast.Use):
                count += self._of_template(item.name.text)
        return count

    def _of_template(self, name: str) -> int:
        if name not in self._known:
            self._known[name] = 0  # one that uses itself is an error
            self._known[name] = self.of(self.templates[name].items) if name in self.templates else 0
        return self._known[name]
