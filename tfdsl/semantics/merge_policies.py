"""The policies of a job: by subject and event, the highest layer wins (language reference, "Layers")."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from tfdsl.record import replace
from tfdsl.rules.policies import same
from tfdsl.semantics import resolved, statements, subjects
from tfdsl.syntax import ast

if TYPE_CHECKING:
    from tfdsl.semantics.resolve import Resolver


Key: TypeAlias = tuple[str | None, int | None, str]
"""Subject and event."""


def policies(resolver: Resolver, present: tuple[str, ...]) -> tuple[resolved.Policy, ...]:
    """All policies: by subject and event, the highest layer wins, also for exit statuses in common."""
    merged: list[resolved.Policy] = []
    for layer, role in resolver.all_layers(present):
        here: dict[Key, list[resolved.Policy]] = {}
        order: list[resolved.Policy] = []
        for node in layer.policies:
            if not resolver.stands(node, role):
                continue
            policy = statements.policy(node, resolver.role_scope(role) if role else resolver.scope, role)
            if policy is None or not _stands(resolver, policy, node, present):
                continue
            group = here.setdefault(_key(policy), [])
            if _is_new(resolver, policy, group):
                group.append(policy)
                order.append(policy)
        if layer.unsets:
            from tfdsl.semantics import unset

            merged = unset.policies(resolver, layer, role, merged, order)
        merged = [left for policy in merged if (left := _under(policy, here.get(_key(policy), ()))) is not None] + order
    return tuple(merged)


def _key(policy: resolved.Policy) -> Key:
    return policy.role, policy.index, policy.event


def _stands(resolver: Resolver, policy: resolved.Policy, node: ast.Policy, present: tuple[str, ...]) -> bool:
    """Whether the subject of the policy exists; reported if not."""
    if node.subject is None:
        return True
    if not subjects.exists(resolver, node.subject.role, present, "the policy"):
        return False
    index = node.subject.index
    return index is None or subjects.index_exists(resolver, node.subject.role.text, index)


def _is_new(resolver: Resolver, policy: resolved.Policy, group: Iterable[resolved.Policy]) -> bool:
    """Whether no policy in ``group``, with the same subject and event in the same block, handles the same."""
    for other in group:
        broken = same(policy, other)
        if broken is not None:
            diagnostic = broken.marked("handled again here").at(policy.event_span)
            resolver.report(diagnostic.note(other.event_span, "first handled here"))
            return False
    return True


def _under(policy: resolved.Policy, above: Iterable[resolved.Policy]) -> resolved.Policy | None:
    """What is left of ``policy`` under the policies of a higher layer."""
    for other in above:
        if policy.event != "exit":
            return None
        left = tuple(code for code in policy.codes if code not in other.codes)
        if not left:
            return None
        policy = replace(policy, codes=left)
    return policy
