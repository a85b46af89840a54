"""``unset``: what a layer takes away from the layers below it.

It is loaded only for files that unset something. An attribute is named, a mount is known by its path, an output by its
source and destination, a policy by its subject and event, a step by its kind and name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

from tfdsl.diagnostics import name_rules
from tfdsl.record import replace
from tfdsl.semantics import statements
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.unset_names import in_one_block
from tfdsl.semantics.values import MapData, Poison, a_kind, map_data
from tfdsl.syntax import ast
from tfdsl.vocabulary.types import STRING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.semantics import resolved
    from tfdsl.semantics.blocks import Layer
    from tfdsl.semantics.resolve import Resolver
    from tfdsl.semantics.scope import Scope
    from tfdsl.text import Span

K = TypeVar("K")


# --- attributes ------------------------------------------------------------------------------------------------


def attributes(resolver: Resolver, layer: Layer, settings: dict[str, resolved.Setting], role: str | None) -> None:
    """Take from ``settings`` the attributes, and entries of maps, that ``layer`` unsets."""
    taken: dict[tuple[str, str], Span] = {}
    for node in layer.unsets:
        if not isinstance(node, ast.UnsetAttribute):
            continue
        name = node.name.text
        if node.key is None:
            settings.pop(name, None)
            continue
        key = entry_key(node.key, _scope(resolver, role))
        if key is not None:
            _take_entry(settings, name, key)
            _note(resolver, taken, (name, key), node.key.span, f'{name}["{key}"]')
    for (name, key), span in taken.items():
        if name in layer.attributes:
            data = resolver.typed(layer.attributes[name], role).data
            if isinstance(data, MapData) and key in data.entries:
                place = data.entries[key].key_span
                resolver.report(in_one_block(span, f'{name}["{key}"]', place))


def _take_entry(settings: dict[str, resolved.Setting], name: str, key: str) -> None:
    setting = settings.get(name)
    data = None if setting is None else setting.value.data
    if setting is None or not isinstance(data, MapData) or key not in data.entries:
        return
    left = {other: entry for other, entry in data.entries.items() if other != key}
    if left:
        settings[name] = replace(setting, value=replace(setting.value, data=map_data(left)))
    else:
        del settings[name]


def entry_key(node: ast.Expr, scope: Scope) -> str | None:
    """The key of an entry; ``None``, with a report, when it is not a string."""
    value = evaluate(node, scope)
    if isinstance(value.data, str):
        return value.data
    if not isinstance(value.data, Poison):
        scope.report(name_rules.INDEX_TYPE(node.span, base="a map", expected="a string", given=a_kind(value.data)))
    return None


def unsets_attribute(layer: Layer, name: str) -> bool:
    """Whether ``layer`` unsets the whole attribute."""
    return any(isinstance(node, ast.UnsetAttribute) and node.name.text == name for node in layer.unsets)


# --- mounts and outputs ----------------------------------------------------------------------------------------


def mounts(resolver: Resolver, layer: Layer, role: str, below: dict[str, resolved.Mount]) -> dict[str, Span]:
    """Take from ``below`` the mounts that ``layer`` unsets; returns where, by path."""
    taken: dict[str, Span] = {}
    for node in layer.unsets:
        if not isinstance(node, ast.UnsetMount) or not resolver.stands(node, role):
            continue
        path = mount_path(node.path, resolver.role_scope(role))
        if path is not None:
            below.pop(path, None)
            _note(resolver, taken, path, node.path.span, f"the mount at {path}")
    return taken


def _note(resolver: Resolver, taken: dict[K, Span], key: K, span: Span, what: str) -> None:
    """Note that ``key`` is unset at ``span``; that it is unset twice is reported."""
    first = taken.setdefault(key, span)
    if first != span:
        resolver.report(in_one_block(span, what, first, twice=True))


def mount_path(node: ast.Expr, scope: Scope) -> str | None:
    """The path of a mount without a ``/`` at its end; ``None``, with a report, when it is not a path."""
    data = conform(evaluate(node, scope), STRING, "the path of a mount", scope.report).data
    return (data.rstrip("/") or "/") if isinstance(data, str) else None


Ends: TypeAlias = tuple[object, object]
"""Source and destination of an output."""


def outputs(resolver: Resolver, layer: Layer, role: str, below: dict[Ends, resolved.Output]) -> dict[Ends, Span]:
    """Take from ``below`` the outputs of ``role`` that ``layer`` unsets; returns where."""
    taken: dict[Ends, Span] = {}
    for node in layer.unsets:
        if not isinstance(node, ast.UnsetOutput) or not resolver.stands(node, role):
            continue
        ends = output_ends(node, resolver.role_scope(role))
        if ends is not None:
            below.pop(ends, None)
            _note(resolver, taken, ends, node.destination.span, "this output")
    return taken


def output_ends(node: ast.Output | ast.UnsetOutput, scope: Scope) -> Ends | None:
    """Source and destination; ``None``, with a report, when one is not a text."""
    source = conform(evaluate(node.source, scope), statements.SOURCE, "the source of an output", scope.report)
    to = conform(evaluate(node.destination, scope), statements.SOURCE, "the destination of an output", scope.report)
    return None if isinstance(source.data, Poison) or isinstance(to.data, Poison) else (source.data, to.data)


# --- policies and steps ----------------------------------------------------------------------------------------


def policies(
    resolver: Resolver,
    layer: Layer,
    role: str | None,
    below: list[resolved.Policy],
    here: Sequence[resolved.Policy],
) -> list[resolved.Policy]:
    """What is left of ``below`` when ``layer``, whose own policies are ``here``, has taken away what it unsets."""
    first: list[tuple[ast.UnsetPolicy, frozenset[int]]] = []
    for node in layer.unsets:
        if not isinstance(node, ast.UnsetPolicy) or not resolver.stands(node, role):
            continue
        codes = codes_of(node, _scope(resolver, role), role)
        if codes is None:
            continue
        for other, others in first:
            if _is_same(node, other) and (not codes or codes & others):
                resolver.report(in_one_block(node.event.span, policy_words(node), other.event.span, twice=True))
        first.append((node, codes))
        for policy in here:
            if is_of(policy, node, role) and (not codes or codes & {*policy.codes}):
                resolver.report(in_one_block(node.event.span, policy_words(node), policy.event_span))
        below = [left for policy in below if (left := _without(policy, node, codes, role)) is not None]
    return below


def _is_same(node: ast.UnsetPolicy, other: ast.UnsetPolicy) -> bool:
    same_event = node.event.name.text == other.event.name.text
    return same_event and subject_of(node.subject) == subject_of(other.subject)


def subject_of(node: ast.Subject | None) -> tuple[str, str | None] | None:
    """Role and index as written."""
    return None if node is None else (node.role.text, node.index.text if node.index is not None else None)


def codes_of(node: ast.Policy | ast.UnsetPolicy, scope: Scope, role: str | None) -> frozenset[int] | None:
    """The exit statuses of ``node``, none for another event; ``None``, with a report, when it is wrong."""
    codes = statements.event_codes(node.event, node.subject, scope, role)
    return None if codes is None else frozenset(codes)


def _without(
    policy: resolved.Policy, node: ast.UnsetPolicy, codes: frozenset[int], role: str | None
) -> resolved.Policy | None:
    if not is_of(policy, node, role):
        return policy
    left = tuple(code for code in policy.codes if code not in codes)
    return replace(policy, codes=left) if left else None


def is_of(policy: resolved.Policy, node: ast.UnsetPolicy, role: str | None) -> bool:
    """Whether ``policy`` has the event and subject of ``node``; ``role``: the role whose block ``node`` is in.

    Without a subject, in a job or target block, it is about the policies that are written without one.
    """
    if policy.event != node.event.name.text:
        return False
    if role is not None:
        return policy.role == role and policy.index is None
    if node.subject is None:
        return policy.subject is None
    index = None if node.subject.index is None else node.subject.index.text
    return policy.role == node.subject.role.text and (None if policy.index is None else str(policy.index)) == index


def policy_words(node: ast.UnsetPolicy) -> str:
    """The policy in words."""
    event = " ".join(node.event.span.text.split())
    return f"the policy on {event}" if node.subject is None else f"the policy on {node.subject.span.text} {event}"


def steps(resolver: Resolver, layer: Layer, role: str, below: dict[str, resolved.Step]) -> dict[str, Span]:
    """Take from ``below`` the steps that ``layer`` unsets; returns where, by name."""
    taken: dict[str, Span] = {}
    for node in layer.unsets:
        if not isinstance(node, ast.UnsetStep) or not resolver.stands(node, role):
            continue
        name = node.name.text
        if name in below and below[name].kind == node.kind:
            del below[name]
        _note(resolver, taken, f"{node.kind} {name}", node.name.span, f"{node.kind} {name}")
    return taken


def check_names(node: ast.Unset, role: str | None, scope: Scope) -> None:
    """The names and types in ``node``, which is absent."""
    if isinstance(node, ast.UnsetAttribute) and node.key is not None:
        entry_key(node.key, scope)
    elif isinstance(node, ast.UnsetMount):
        mount_path(node.path, scope)
    elif isinstance(node, ast.UnsetOutput):
        output_ends(node, scope)
    elif isinstance(node, ast.UnsetPolicy):
        codes_of(node, scope, role)


def _scope(resolver: Resolver, role: str | None) -> Scope:
    return resolver.scope if role is None else resolver.role_scope(role)
