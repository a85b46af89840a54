"""Items of the job that no role uses, and blocks of roles that do not exist: their content is checked, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.semantics import statements
from tfdsl.semantics.resolve import Resolver, inherited
from tfdsl.vocabulary import attributes

if TYPE_CHECKING:
    from tfdsl.semantics.blocks import Layer


def check(resolver: Resolver, present: tuple[str, ...]) -> None:
    """Check what the roles ``present`` do not use, and the items of blocks of unknown roles as if these existed."""
    _check_unused(resolver, present)
    _check_absent(resolver)
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


def _check_unused(resolver: Resolver, present: tuple[str, ...]) -> None:
    """Evaluate what no present role uses, to report what is wrong with it."""
    names = [*present, *(name for name in resolver.role_names() if name not in present)] or ["worker"]
    for layer in resolver.job_layers():
        for name, assign in layer.attributes.items():
            if attributes.BY_NAME[name].where == "both" and not any(inherited(name, role) for role in present):
                resolver.typed(assign, names[0])
        for node in layer.mounts if not present else ():
            if resolver.stands(node, names[0]):
                resolver.mount(node, names[0])
        if layer.steps and not any(role != "tensorboard" for role in present):
            resolver.merged_steps([(layer, True)], names[0])
    for role in names if names[0] in resolver.role_names() else ():
        if role not in present and role not in resolver.absent_roles:
            resolver.role_settings(role)
            resolver.role_mounts(role)
            resolver.role_steps(role)


def _check_absent(resolver: Resolver) -> None:
    """Check the names and types of what is absent in all roles, and whether there is something to unset."""
    layers = [*resolver.job_layers(), *(layer for role in resolver.role_names() for layer in resolver.own_layers(role))]
    if resolver.absent_roles or resolver.absent_blocks() or any(layer.absent for layer in layers):
        from tfdsl.semantics import absent_items

        absent_items.check(resolver)
    if any(layer.unsets for layer in layers):
        from tfdsl.semantics import unset_check

        unset_check.check(resolver)
