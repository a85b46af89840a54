"""The steps of a role, merged layer by layer.

It is loaded for files that have steps only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tfdsl.record import replace
from tfdsl.rules.job import both_kinds
from tfdsl.semantics import resolved
from tfdsl.semantics.blocks import Layer, StepBlock, set_twice, twice
from tfdsl.syntax import ast
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.semantics.resolve import Resolver


def merged_steps(resolver: Resolver, layers: Iterable[tuple[Layer, bool]], role: str) -> tuple[resolved.Step, ...]:
    """The steps of ``layers``, low to high: a higher one replaces attribute by attribute and keeps the place.

    Each layer comes with whether the role has its steps; what it unsets is unset in any case.
    """
    steps: dict[str, resolved.Step] = {}
    for layer, has_steps in layers:
        here: dict[str, StepBlock] = {}
        taken: dict[str, Span] = {}
        if layer.unsets:
            from tfdsl.semantics import unset

            taken = unset.steps(resolver, layer, role, steps)
        for block in layer.steps if has_steps else ():
            name = block.node.name.text
            if not resolver.stands(block.node, role):
                continue
            first = here.setdefault(name, block)
            what = f"{block.node.kind} {name}"
            if what in taken:
                from tfdsl.semantics.blocks import in_one_block

                resolver.report(in_one_block(taken[what], what, block.node.name.span))
            if first is block:
                steps[name] = _step(resolver, steps.get(name), block, role)
            else:
                resolver.report(twice(block, first, "role" if role in resolver.role_names() else "job"))
    return tuple(steps.values())


def _step(resolver: Resolver, below: resolved.Step | None, block: StepBlock, role: str) -> resolved.Step:
    node = block.node
    settings: dict[str, resolved.Setting] = {}
    same = below is not None and below.kind == node.kind
    if below is not None and same:
        settings.update(below.settings)
    for name, assign in _present(resolver, block, role).items():
        resolver.put(settings, name, assign, role)
    if below is None:
        return resolved.Step(node.kind, node.name.text, node.name.span, settings, block.meant)
    if same:
        return replace(below, settings=settings, meant=below.meant | block.meant)
    spans = {"again": node.name.span, "first": below.name_span}
    resolver.report(both_kinds(node.name.text, node.kind, below.kind).among(spans))
    return below


def _present(resolver: Resolver, block: StepBlock, role: str) -> dict[str, ast.Assign]:
    """The attributes of ``block`` that are there."""
    present = dict(block.attributes)
    for assign in block.conditional:
        if resolver.stands(assign, role):
            first = present.setdefault(assign.key.text, assign)
            if first is not assign:
                resolver.report(set_twice(assign, first))
    return present
