"""``unset``: what a layer takes away from the layers below it.

It is loaded only for files that unset something. An attribute is named, a mount is known by its path, an output by its
source and destination, a policy by its subject and event, a step by its kind and name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from tfdsl.diagnostics import name_rules
from tfdsl.record import replace
from tfdsl.semantics import resolved, statements
from tfdsl.semantics.blocks import Layer, in_one_block
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.values import MapData, Poison, a_kind, map_data
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary.types import RUN_TIME_WORD, STRING

if TYPE_CHECKING:
    from tfdsl.semantics.resolve import Resolver

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
    source = conform(evaluate(node.source, scope), RUN_TIME_WORD, "the source of an output", scope.report)
    to = conform(evaluate(node.destination, scope), RUN_TIME_WORD, "the destination of an output", scope.report)
    return None if isinstance(source.data, Poison) or isinstance(to.data, Poison) else (source.data, to.data)


# --- policies and steps ----------------------------------------------------------------------------------------


Of: TypeAlias = tuple[str, str | None, str | None]
"""Which policies an ``unset`` is about: event, role and index. Without a role: those that are written without one."""


class _Policies:
    """The policies that one layer unsets. ``taken``: where, by exit status (``None`` for another event)."""

    def __init__(self, resolver: Resolver, layer: Layer, role: str | None) -> None:
        self._resolver = resolver
        self._role = role
        self._taken: dict[Of, dict[int | None, ast.UnsetPolicy]] = {}
        for node in layer.unsets:
            if isinstance(node, ast.UnsetPolicy) and resolver.stands(node, role):
                self._add(node)

    def _add(self, node: ast.UnsetPolicy) -> None:
        codes = codes_of(node, _scope(self._resolver, self._role), self._role)
        if codes is None:
            return
        taken = self._taken.setdefault((node.event.name.text, *_subject(node, self._role)), {})
        again = next((taken[code] for code in codes or (None,) if code in taken), None)
        if again is not None:
            what = policy_words(node)
            self._resolver.report(in_one_block(node.event.span, what, again.event.span, twice=True))
        taken |= dict.fromkeys(codes or (None,), node)

    def check(self, here: Iterable[resolved.Policy]) -> None:
        """Report those of the layer's own policies that it unsets."""
        for policy in here:
            taken = self._of(policy)
            node = next((taken[code] for code in policy.codes or (None,) if code in taken), None)
            if node is not None:
                self._resolver.report(in_one_block(node.event.span, policy_words(node), policy.event_span))

    def left(self, policy: resolved.Policy) -> resolved.Policy | None:
        """What is left of a policy from a lower layer."""
        taken = self._of(policy)
        if not taken:
            return policy
        codes = tuple(code for code in policy.codes if code not in taken)
        return replace(policy, codes=codes) if codes else None

    def _of(self, policy: resolved.Policy) -> Mapping[int | None, ast.UnsetPolicy]:
        """What is unset of policies like ``policy``."""
        if policy.subject is None and self._role is None:
            return self._taken.get((policy.event, None, None), {}) | self._named(policy)
        return self._named(policy)

    def _named(self, policy: resolved.Policy) -> dict[int | None, ast.UnsetPolicy]:
        index = None if policy.index is None else str(policy.index)
        return self._taken.get((policy.event, policy.role, index), {}) if policy.role is not None else {}


def _subject(node: ast.UnsetPolicy, role: str | None) -> tuple[str | None, str | None]:
    """Role and index; in a role block its role."""
    return subject_of(node.subject) or (role, None)


def policies(
    resolver: Resolver,
    layer: Layer,
    role: str | None,
    below: Iterable[resolved.Policy],
    here: Iterable[resolved.Policy],
) -> list[resolved.Policy]:
    """What is left of ``below`` when ``layer``, whose own policies are ``here``, has taken away what it unsets."""
    unset = _Policies(resolver, layer, role)
    unset.check(here)
    return [left for policy in below if (left := unset.left(policy)) is not None]


def subject_of(node: ast.Subject | None) -> tuple[str, str | None] | None:
    """Role and index as written."""
    return None if node is None else (node.role.text, node.index.text if node.index is not None else None)


def codes_of(node: ast.Policy | ast.UnsetPolicy, scope: Scope, role: str | None) -> frozenset[int] | None:
    """The exit statuses of ``node``, none for another event; ``None``, with a report, when it is wrong."""
    codes = statements.event_codes(node.event, node.subject, scope, role)
    return None if codes is None else frozenset(codes)


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
