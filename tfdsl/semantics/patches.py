"""The patches of a target block: their syntax. Whether a path exists is checked when there is a document to patch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules
from tfdsl.patch.path import Path, Problem, parse_path
from tfdsl.semantics import resolved
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.values import ListData, MapData, PodField, Poison, Reference, RunTimeText, Value, a_kind
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary.types import STRING

if TYPE_CHECKING:
    from tfdsl.semantics.resolve import Resolver


def patches(resolver: Resolver, present: tuple[str, ...]) -> tuple[resolved.Patch, ...]:
    """The patches of the target block in the order in which they are applied.

    First those for the pods of every role, then those for the pods of one, then those for documents, each in the order
    written. A patch for a role without replicas is left out.
    """
    block = resolver.target_block
    if block is None:
        return ()
    nodes = [node for node in block.patches if resolver.stands(node, None)]
    ordered = [patch(node, None, resolver.scope) for node in nodes if node.pod is not None]
    for role, role_block in block.roles.items():
        if role not in resolver.absent_roles:
            in_role = [node for node in role_block.patches if node.pod is not None and resolver.stands(node, role)]
            ordered += [_role_patch(node, role, resolver, present) for node in in_role]
    ordered += [patch(node, None, resolver.scope) for node in nodes if node.pod is None]
    return tuple(each for each in ordered if each is not None)


def _role_patch(node: ast.Patch, role: str, resolver: Resolver, present: tuple[str, ...]) -> resolved.Patch | None:
    in_role = patch(node, role, resolver.role_scope(role))
    if role in present:
        return in_role
    from tfdsl.semantics.absent_items import dropped

    resolver.report(dropped(resolver, node.path.span, "the patch", role))
    return None


def patch(node: ast.Patch, role: str | None, scope: Scope) -> resolved.Patch | None:
    """``node``, in the block of ``role`` if there is one; ``None``, with a report, when it is wrong."""
    written = conform(evaluate(node.path, scope), STRING, "the path of a patch", scope.report)
    value = None if node.value is None else evaluate(node.value, scope)
    fits = value is None or _fits(value, scope)
    path = _path(written, written.data, scope, pod=node.pod is not None) if isinstance(written.data, str) else None
    if path is None or not fits:
        return None
    unchecked = node.unchecked is not None
    return resolved.Patch(node.op, node.pod, role, path, written.span, value, unchecked, node.span)


def _path(value: Value, text: str, scope: Scope, *, pod: bool) -> Path | None:
    """``text`` as a path; what is wrong with it is reported."""
    parsed = parse_path(text)
    if not isinstance(parsed, Problem) and (parsed.prefix is None or not pod):
        return parsed
    if not isinstance(parsed, Problem):
        parsed = Problem(0, len(parsed.prefix or "") + 1, "the path of patch pod starts at the pod template")
    span = value.span
    if span.text == f'"{text}"' and text:  # without escapes, offsets in the path are offsets in the source
        start = span.start + 1 + min(parsed.offset, len(text) - 1)
        span = Span(span.source, start, max(start + 1, span.start + 1 + min(parsed.end, len(text))))
    scope.report(name_rules.BAD_PATCH_PATH(span, problem=parsed.message))
    return None


def _fits(value: Value, scope: Scope) -> bool:
    """Whether a document can contain ``value``; reported if not."""
    fits = True
    for leaf in _leaves(value):
        data = leaf.data
        if isinstance(data, RunTimeText):
            diagnostic = name_rules.RUN_TIME_HERE(leaf.span, name="this text")
            scope.report(diagnostic.help("a patch is fixed when the job is compiled"))
        elif isinstance(data, Reference | PodField):
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
