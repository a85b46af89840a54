"""Dependencies: the order in which params and lets are evaluated, and cycles (of templates too)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.record import Record
from tfdsl.syntax import ast

if TYPE_CHECKING:
    Uses: TypeAlias = Mapping[str, Sequence[ast.Ref]]

Dependence: TypeAlias = Literal["nothing", "job", "role"]
"""Whether a value is the same everywhere, may differ between jobs and targets, or also between roles."""


def in_order(uses: Uses, cycle: Rule, report: Callable[[Diagnostic], None]) -> tuple[list[str], set[str]]:
    """All names, each after those it uses; and the names to cut so that no cycle is left.

    ``uses``: name → the known names that it uses, in file order. A cycle is reported once (as ``cycle``), at the
    reference that closes it in file order. Nothing here is recursive: a chain of lets can be as long as the file.
    """
    order: list[str] = []
    cut: set[str] = set()
    done: set[str] = set()
    for start in uses:
        if start not in done:
            _walk(start, uses, done, order, cut, lambda ref: cycle(ref.span, name=ref.name), report)
    return order, cut


def _walk(
    start: str,
    uses: Uses,
    done: set[str],
    order: list[str],
    cut: set[str],
    found: Callable[[ast.Ref], Diagnostic],
    report: Callable[[Diagnostic], None],
) -> None:
    path: dict[str, Iterator[ast.Ref]] = {start: iter(uses[start])}
    done.add(start)
    while path:
        name = next(reversed(path))
        ref = next(path[name], None)
        if ref is None:
            del path[name]
            order.append(name)
        elif ref.name in path:
            if ref.name not in cut:
                cut.add(ref.name)
                steps = list(path)
                way = " → ".join((*steps[steps.index(ref.name) :], ref.name))
                report(found(ref).marked("this closes the cycle").help(f"the cycle is {way}"))
        elif ref.name not in done:
            done.add(ref.name)
            path[ref.name] = iter(uses[ref.name])


def dependence(node: ast.Item) -> Dependence:
    """What the values in ``node`` depend on."""
    names = {ref.name for ref in references((node,), ("job", "role", "roles", "matrix"))}
    return "role" if "role" in names else "job" if names else "nothing"


def references(nodes: Sequence[ast.Expr | ast.Item], known: Collection[str]) -> list[ast.Ref]:
    """The references to any of ``known``, in text order."""
    refs = [node for node in _inside(nodes) if isinstance(node, ast.Ref) and node.name in known]
    return sorted(refs, key=lambda ref: ref.span.start)


def members(nodes: Sequence[ast.Job | ast.Template], base: str) -> set[str]:
    """The members of ``base`` that are used: ``lr`` for ``matrix.lr``."""
    return {
        node.name.text
        for node in _inside(nodes)
        if isinstance(node, ast.Member) and isinstance(node.base, ast.Ref) and node.base.name == base
    }


def _inside(nodes: Sequence[object]) -> Iterator[Record]:
    """All that may be or have an expression, without recursion."""
    todo: list[object] = [*nodes]
    while todo:
        node = todo.pop()
        if isinstance(node, tuple):
            todo.extend(node)  # pyright: ignore[reportUnknownArgumentType]  (children of any kind)
        elif isinstance(node, Record) and not isinstance(node, ast.Name | ast.Number | ast.Bool | ast.Unit):
            yield node
            todo.extend(getattr(node, field) for field in type(node).__fields__ if field != "span")
