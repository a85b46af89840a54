"""What is absent because a condition is false, or a role because it has no replicas.

Of absent items the names and types are checked, the rules of the job are not. It is loaded only when something is
absent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, value_rules
from tfdsl.record import replace
from tfdsl.semantics import patches, resolved, statements, unset
from tfdsl.semantics.blocks import Layer, RoleBlock
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.known_names import known_role
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.statements import mount
from tfdsl.semantics.values import ListData, Value, list_data
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.types import STRING, Type

if TYPE_CHECKING:
    from tfdsl.semantics.resolve import Resolver

    Report = Callable[[Diagnostic], None]


def absent_roles(resolver: Resolver) -> dict[str, ast.Condition]:
    """The roles whose own condition is false: a target block does not bring back a role of the job."""
    job, target = resolver.block, resolver.target_block
    blocks = [block for block in job.absent_roles if block.node.name.text not in job.roles]
    if target is not None:
        there = {*job.roles, *target.roles, *(block.node.name.text for block in blocks)}
        blocks += [block for block in target.absent_roles if block.node.name.text not in there]
    return {block.node.name.text: block.node.condition for block in blocks if block.node.condition is not None}


def dropped(resolver: Resolver, span: Span, item: str, role: str) -> Diagnostic:
    """The diagnostic for an item that is left out because of its role."""
    diagnostic = value_rules.DROPPED_ITEM(span, item=item, role=role)
    condition = resolver.absent_roles.get(role)
    return diagnostic if condition is None else diagnostic.note(condition.value.span, "this condition is false")


def after_present(resolver: Resolver, after: resolved.Setting, present: tuple[str, ...]) -> resolved.Setting:
    """``after`` without the roles that have no replicas."""
    data = after.value.data
    if not isinstance(data, ListData):
        return after
    absent = [name for name in resolver.role_names() if name not in present]
    for item in data.items:
        if item.data in absent:
            resolver.report(dropped(resolver, item.span, "it", str(item.data)))
    kept = tuple(item for item in data.items if item.data not in absent)
    return replace(after, value=Value(list_data(kept), after.value.span))


def check(resolver: Resolver) -> None:
    """Check what is absent from the blocks of the job and of the target, and whole role blocks that are."""
    role = next(iter(resolver.role_names()), "worker")
    _check_layers(resolver, resolver.block.layers, role, {})
    blocks = [*resolver.block.roles.values()]
    absent = [*resolver.block.absent_roles]
    if resolver.target_block is not None and resolver.target is not None:
        options: dict[str, Type] = {option.name: option.type for option in resolver.target.options}
        _check_layers(resolver, resolver.target_block.layers, role, {"version": STRING, **options})
        absent += resolver.target_block.absent_roles
        for block in resolver.target_block.roles.values():
            if block.node.name.text not in resolver.absent_roles:
                blocks.append(block)
                continue
            absent.append(block)
            resolver.report(dropped(resolver, block.node.name.span, "this block", block.node.name.text))
    for block in blocks:
        _check_layers(resolver, block.layers, block.node.name.text, {})
    for block in absent:
        _check_block(resolver, block)


def _check_layers(resolver: Resolver, layers: Iterable[Layer], role: str, options: Mapping[str, Type]) -> None:
    for layer in layers:
        for item in layer.absent:
            check_item(resolver, item, role, options)


def _check_block(resolver: Resolver, block: RoleBlock) -> None:
    """All items of a role block that is absent as a whole."""
    for layer in block.layers:
        for item in (*layer.items, *block.patches):
            check_item(resolver, item, block.node.name.text)


def check_item(resolver: Resolver, item: ast.Item, role: str | None, options: Mapping[str, Type] | None = None) -> None:
    """Check the names and types of ``item``; ``options``: those that the block can set beside attributes."""
    on = resolver.shared.dependence(item)
    key = id(item), role if on == "role" else None
    if on != "job":
        if key in resolver.shared.checked_absent:
            return
        resolver.shared.checked_absent.add(key)
    _check_item(item, role, _absent(resolver.scope if role is None else resolver.role_scope(role)), options or {})


def _check_item(item: ast.Item, role: str | None, scope: Scope, options: Mapping[str, Type]) -> None:
    if isinstance(item, ast.Assign):
        name = item.key.text
        row = attributes.BY_NAME.get(name)
        type_ = options.get(name) or (row.type if row is not None else None)
        value = evaluate(item.value, scope)
        if type_ is not None:
            conform(value, type_, name, scope.report)
    elif isinstance(item, ast.Mount):
        mount(item, scope)
    elif isinstance(item, ast.Output):
        statements.output(item, scope, None)
        if item.subject is not None:
            known_role(item.subject.role.text, item.subject.role.span, scope.report)
    elif isinstance(item, ast.Policy):
        statements.policy(item, scope, None if item.subject is not None else role)
    elif isinstance(item, ast.Step):
        for each in item.items:
            _check_item(each, role, scope, options)
    elif isinstance(item, ast.UNSET):
        unset.check_names(item, role, scope)
    elif isinstance(item, ast.Patch):
        patches.patch(item, None, scope)


def _absent(scope: Scope) -> Scope:
    """``scope`` for items that are absent."""
    return replace(scope, report=names_and_types(scope.report))


def names_and_types(report: Report) -> Report:
    """``report`` for what is absent: of wrong values it takes only memory without a unit, which is a wrong type."""

    def take(diagnostic: Diagnostic) -> None:
        if diagnostic.rule.code.startswith("TFJ1") or diagnostic.rule is value_rules.MEMORY_UNIT:
            report(diagnostic)

    return take
