"""The outputs of each role: those of the job by their source, those of role blocks, merged layer by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import value_rules
from tfdsl.rules.mounts import output_twice
from tfdsl.semantics import resolved, statements, subjects
from tfdsl.syntax import ast
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.semantics.blocks import Layer
    from tfdsl.semantics.resolve import Resolver


def outputs(resolver: Resolver, present: tuple[str, ...]) -> dict[str, tuple[resolved.Output, ...]]:
    """The outputs of each role of ``present``: by source and destination, the highest layer wins."""
    merged: dict[str, dict[tuple[object, object], resolved.Output]] = {role: {} for role in present}
    for layer, role in resolver.all_layers(present):
        if layer.outputs or layer.unsets:
            _layer_outputs(resolver, layer, role, present, merged)
    return {role: tuple(outputs.values()) for role, outputs in merged.items()}


def _layer_outputs(
    resolver: Resolver,
    layer: Layer,
    own: str | None,
    present: tuple[str, ...],
    merged: dict[str, dict[tuple[object, object], resolved.Output]],
) -> None:
    here: dict[tuple[str, object, object], resolved.Output] = {}
    taken: dict[tuple[str, object, object], Span] = {}
    if layer.unsets:
        from tfdsl.semantics import unset

        for role in present if own is None else (own,):
            ends = unset.outputs(resolver, layer, role, merged[role])
            taken |= {(role, *key): span for key, span in ends.items()}
    for node in layer.outputs:
        if node.condition is not None and not resolver.stands(node, own or _written_role(node, present)):
            continue
        place = _place(resolver, node, own, present)
        if place is None:
            continue
        role, index = place
        output = statements.output(node, resolver.role_scope(role), index)
        if output is None:
            continue
        key = (role, output.source.data, output.destination.data)
        first = here.setdefault(key, output)
        if first is not output:
            spans = {"again": output.destination.span, "first": first.destination.span}
            resolver.report(output_twice(("again",), ("first",)).among(spans))
            continue
        if key in taken:
            from tfdsl.semantics.blocks import in_one_block

            resolver.report(in_one_block(taken[key], "this output", output.destination.span))
        merged[role][key[1:]] = output


def _decider(present: tuple[str, ...]) -> str | None:
    """The role that decides whether the job has succeeded."""
    return next((role for role in ("chief", "master", "worker") if role in present), None)


def _written_role(node: ast.Output, present: tuple[str, ...]) -> str | None:
    """The role that an output at job level is for, whether there is one or not."""
    return _decider(present) if node.subject is None else node.subject.role.text


def _place(
    resolver: Resolver, node: ast.Output, own: str | None, present: tuple[str, ...]
) -> tuple[str, int | None] | None:
    """The role and index that ``node`` copies from; ``None`` when there are none."""
    if own is not None:
        if node.subject is not None:
            resolver.report(value_rules.OUTPUT_FROM_HERE(node.subject.span).help("remove from and its role"))
            return None
        return own, None
    if node.subject is None:
        decider = _decider(present)
        return None if decider is None else (decider, 0 if decider == "worker" else None)
    name = node.subject.role
    if not subjects.exists(resolver, name, present, "the output"):
        if name.text in resolver.role_names():
            statements.output(node, resolver.role_scope(name.text), None)  # to report what is wrong in it
        return None
    index = node.subject.index
    if index is None:
        return name.text, None
    return (name.text, subjects.index_of(index)) if subjects.index_exists(resolver, name.text, index) else None
