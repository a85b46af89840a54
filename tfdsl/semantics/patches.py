"""The patches of a target block: their form. Whether a path fits is seen when there is a document to patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules
from tfdsl.semantics import resolved
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.values import ListData, MapData, Poison, Reference, RunTimeText, a_kind
from tfdsl.syntax.patch_path import Problem, parse_path
from tfdsl.text import Span
from tfdsl.vocabulary.types import STRING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.semantics.blocks import TargetBlock
    from tfdsl.semantics.scope import Scope
    from tfdsl.semantics.values import Value


def patches(block: TargetBlock | None, scope: Scope) -> tuple[resolved.Patch, ...]:
    """The patches of a target block, in order."""
    found: list[resolved.Patch] = []
    for node in block.patches if block is not None else ():
        path = conform(evaluate(node.path, scope), STRING, "the path of a patch", scope.report)
        value = None if node.value is None else evaluate(node.value, scope)
        fits = value is None or _fits(value, scope)
        if isinstance(path.data, str) and _is_path(path, path.data, scope) and fits:
            found.append(resolved.Patch(node.op, path.data, path.span, value, node.span))
    return tuple(found)


def _is_path(value: Value, path: str, scope: Scope) -> bool:
    parsed = parse_path(path)
    if not isinstance(parsed, Problem):
        return True
    span = value.span
    if span.text == f'"{path}"' and path:  # without escapes a place in the path is a place in the source
        start = span.start + 1 + min(parsed.offset, len(path) - 1)
        span = Span(span.source, start, max(start + 1, span.start + 1 + min(parsed.end, len(path))))
    scope.report(name_rules.BAD_PATCH_PATH(span, problem=parsed.message))
    return False


def _fits(value: Value, scope: Scope) -> bool:
    """Whether a document can hold ``value``; what cannot be is reported."""
    fits = True
    for leaf in _leaves(value):
        data = leaf.data
        if isinstance(data, RunTimeText):
            found = name_rules.RUN_TIME_HERE(leaf.span, name="this text")
            scope.report(found.help("a patch is fixed when the job is compiled"))
        elif isinstance(data, Reference):
            expected = "text, a number, a bool, a list or a map"
            what = "the value of a patch"
            scope.report(name_rules.WRONG_TYPE(leaf.span, what=what, expected=expected, given=a_kind(data)))
        elif not isinstance(data, Poison):
            continue
        fits = False
    return fits


def _leaves(value: Value) -> Iterator[Value]:
    data = value.data
    if isinstance(data, ListData):
        for item in data.items:
            yield from _leaves(item)
    elif isinstance(data, MapData):
        for entry in data.entries.values():
            yield from _leaves(entry.value)
    else:
        yield value
