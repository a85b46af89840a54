"""Blocks of roles that do not exist: their content is checked, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.semantics import statements

if TYPE_CHECKING:
    from tfdsl.semantics.blocks import Layer
    from tfdsl.semantics.resolve import Resolver


def check(resolver: Resolver) -> None:
    """Check the items of those blocks as if the roles existed."""
    for block in resolver.block.unknown_roles:
        for layer in block.layers:
            _read(resolver, layer, block.node.name.text)


def _read(resolver: Resolver, layer: Layer, role: str) -> None:
    scope = resolver.role_scope(role)
    for assign in layer.attributes.values():
        resolver.typed(assign, role)
    for step in layer.steps:
        for assign in (*step.attributes.values(), *step.conditional):
            if resolver.stands(assign, role):
                resolver.typed(assign, role)
    for mount in layer.mounts:
        if resolver.stands(mount, role):
            resolver.mount(mount, role)
    for output in layer.outputs:
        if resolver.stands(output, role):
            statements.output(output, scope, None)
    for policy in layer.policies:
        if resolver.stands(policy, role):
            statements.policy(policy, scope, role)
