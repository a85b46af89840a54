"""What the conditions of a text evaluate to with the current settings: which items are absent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic
from tfdsl.lsp.tree import Node, walk
from tfdsl.semantics.scope import JobNames, Scope
from tfdsl.syntax import ast

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot


def conditions(snapshot: Snapshot) -> Iterator[tuple[ast.Condition, bool]]:
    """The conditions of the text whose value is known, each with it, in the order of the tree."""
    for declaration in snapshot.file.declarations:
        if isinstance(declaration, ast.Job | ast.Template):
            for node, above in walk(declaration):
                value = value_of(snapshot, (*above, node)) if isinstance(node, ast.Condition) else None
                if isinstance(node, ast.Condition) and value is not None:
                    yield node, value


def value_of(snapshot: Snapshot, path: Sequence[Node]) -> bool | None:
    """The value of the condition that ``path`` ends with; ``None`` if it is wrong or differs between roles or jobs."""
    from tfdsl.semantics.conditions import Conditions

    *above, condition = path
    if not isinstance(condition, ast.Condition):
        return None
    top = above[0]
    job: JobNames | None = None
    if isinstance(top, ast.Job) and len(above) > 1:
        job = JobNames(top.name.text, top.pattern is None and top.matrix is None)
    roles = [node.name.text for node in above[:-1] if isinstance(node, ast.Role)]
    known = Conditions(Scope(snapshot.params, _unheard, job))
    return known.value(condition, roles[-1] if roles else None)


def _unheard(diagnostic: Diagnostic) -> None:
    """The check has reported what is wrong with conditions."""
