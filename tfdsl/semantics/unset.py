"""Whether there is something to take away for each ``unset``.

It is an error only if no layer has the thing, and, for an ``unset`` in a template, no user of the template. What an
absent item would have given counts as there. It is loaded only for files that unset something.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import TypeAlias

from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.diagnostics.suggest import closest
from tfdsl.record import replace
from tfdsl.rules import policies as policy_rules
from tfdsl.semantics.blocks import Layer
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.layers import policy_words
from tfdsl.semantics.resolve import Resolver, Unsets
from tfdsl.semantics.statements import Key, identities
from tfdsl.semantics.values import MapData
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.attributes import ROLES_BY_NAME

MOST_PROPOSED = 100
"""Of more keys or paths than these, none is proposed: they can be long texts, which take long to compare."""

_GIVEN_BY: dict[type[ast.Unset], type[ast.Mount | ast.Output | ast.Policy | ast.Step]] = {
    ast.UnsetMount: ast.Mount,
    ast.UnsetOutput: ast.Output,
    ast.UnsetPolicy: ast.Policy,
    ast.UnsetStep: ast.Step,
}
"""The items that each statement takes away."""

Layers: TypeAlias = list[tuple[Layer, str]]
"""Layers, each with a role that it is for."""


def check(resolver: Resolver) -> None:
    """Look for what every ``unset`` in the layers of ``resolver`` takes away."""
    known = resolver.shared.unsets or Unsets()
    resolver.shared.unsets = known
    roles = resolver.role_names() or ("worker",)
    of_role = {role: [(layer, role) for layer, _ in resolver.role_layers(role)] for role in roles}
    for block in resolver.absent_blocks():
        role = block.node.name.text
        of_role.setdefault(role, []).extend((layer, role) for layer in block.layers)
    everything = _Search(resolver, [pair for pairs in of_role.values() for pair in pairs], None)
    for layer in resolver.job_layers():
        _check_layer(layer, everything, known)
    for role in resolver.role_names():
        search = _Search(resolver, of_role[role], role)
        for layer in resolver.own_layers(role):
            _check_layer(layer, search, known)


def _check_layer(layer: Layer, search: _Search, known: Unsets) -> None:
    for node in layer.unsets:
        if search.holds(node.condition):
            missing = search.missing(node)
            if missing is None:
                known.add([_name(node)], ())
            else:
                known.add((), [(_name(node), missing)])


def _name(node: ast.Unset) -> Span:
    """The place of the thing that is unset."""
    if isinstance(node, ast.UnsetAttribute):
        return node.name.span if node.key is None else node.key.span
    if isinstance(node, ast.UnsetMount):
        return node.path.span
    if isinstance(node, ast.UnsetOutput):
        return node.source.span.to(node.destination.span)
    return node.event.span if isinstance(node, ast.UnsetPolicy) else node.name.span


class _Search:
    """Looks in ``layers`` for what is unset; ``role``: that of the block with the ``unset``.

    What is there is collected once, so that many an ``unset`` costs little.
    """

    def __init__(self, resolver: Resolver, layers: Layers, role: str | None) -> None:
        self.resolver = resolver
        self.layers = layers
        self.role = role
        self._scopes = {role: replace(resolver.scope_of(role), report=_unheard) for _, role in layers}
        self._given: dict[type, dict[str, dict[Key, None]]] = {}

    def holds(self, condition: ast.Condition | None) -> bool:
        """Whether an ``unset`` is there, for any role that it is for."""
        roles = (self.role,) if self.role is not None else self.resolver.role_names()
        return condition is None or any(self.resolver.holds(condition, role) for role in roles)

    def missing(self, node: ast.Unset) -> Diagnostic | None:
        """The error that there is nothing; ``None`` if there is something, or another error."""
        if isinstance(node, ast.UnsetAttribute):
            return self._attribute(node) if node.key is None else self._entry(node, node.key)
        if isinstance(node, ast.UnsetPolicy) and node.subject is not None:
            role, names = node.subject.role, self.resolver.role_names()
            if role.text in ROLES_BY_NAME and role.text not in names:
                return policy_rules.no_such_role(self.resolver.name, role.text, names).at(role.span)
        there = self._there(_GIVEN_BY[type(node)])
        wanted = {role: identities(node, scope, self.role) for role, scope in self._scopes.items()}
        if not all(wanted.values()) or any(key in there[role] for role, keys in wanted.items() for key in keys):
            return None
        every = list(dict.fromkeys(key for keys in there.values() for key in keys))
        if isinstance(node, ast.UnsetMount):
            return self._mount(node, str(next(iter(wanted.values()))[0][0]), [str(path) for (path,) in every])
        if isinstance(node, ast.UnsetOutput):
            what = f"output {node.source.span.text} to {node.destination.span.text}"
            diagnostic = name_rules.NOTHING_TO_UNSET(_name(node), what=what)
            return diagnostic.help("an output is known by its source and its destination")
        return self._policy(node, every) if isinstance(node, ast.UnsetPolicy) else self._step(node, every)

    # --- items -------------------------------------------------------------------------------------------------

    def _there(self, kind: type[ast.Mount | ast.Output | ast.Policy | ast.Step]) -> dict[str, dict[Key, None]]:
        """By what the items of one kind are known, by role; policies in a role block with and without their role."""
        if kind not in self._given:
            there = self._given[kind] = {role: {} for role in self._scopes}
            own = {(id(layer), role) for role in self._scopes for layer in self.resolver.own_layers(role)}
            for layer, role in self.layers:
                for item in (each for each in layer.items if isinstance(each, kind)):
                    there[role] |= dict.fromkeys(identities(item, self._scopes[role], None))
                    if isinstance(item, ast.Policy) and item.subject is None and (id(layer), role) in own:
                        there[role] |= dict.fromkeys(identities(item, self._scopes[role], role))
        return self._given[kind]

    def _mount(self, node: ast.UnsetMount, path: str, there: Collection[str]) -> Diagnostic:
        diagnostic = name_rules.NOTHING_TO_UNSET(node.path.span, what=f"mount at {path}")
        attribute = attributes.IN_MEMORY_AT.get(path)
        if attribute in self._assigns:
            return diagnostic.help(f"{attribute} is set: write unset {attribute}")
        return self._meant(diagnostic, path, there)

    def _policy(self, node: ast.UnsetPolicy, there: Iterable[Key]) -> Diagnostic:
        event = node.event.name.text
        diagnostic = name_rules.NOTHING_TO_UNSET(_name(node), what=policy_words(node).removeprefix("the "))
        if self.role is None or not any(key[:3] == (event, None, None) for key in there):
            return diagnostic
        return diagnostic.help(
            f"the job's policy on {event} is for all roles: write one here to replace it for this role"
        )

    def _step(self, node: ast.UnsetStep, there: Iterable[Key]) -> Diagnostic:
        name = node.name.text
        diagnostic = name_rules.NOTHING_TO_UNSET(node.name.span, what=f"{node.kind} {name}")
        kinds = {str(other): str(kind) for kind, other in there}
        if name in kinds:
            return diagnostic.help(f"{name} is a {kinds[name]} step: write unset {kinds[name]} {name}")
        near = self.resolver.params.closest(name, kinds)
        return diagnostic.help(f"did you mean {near}?") if near else diagnostic

    # --- attributes ---------------------------------------------------------------------------------------

    @cached_property
    def _assigns(self) -> dict[str, list[tuple[ast.Assign, str]]]:
        """Attributes by name, each with a role that it is for."""
        assigns: dict[str, list[tuple[ast.Assign, str]]] = {}
        for layer, role in self.layers:
            for item in layer.items:
                if isinstance(item, ast.Assign):
                    assigns.setdefault(item.key.text, []).append((item, role))
        return assigns

    @cached_property
    def _entries(self) -> dict[str, dict[str, None]]:
        """Keys by the names of their maps, as far as they have been asked for."""
        return {}

    def _attribute(self, node: ast.UnsetAttribute) -> Diagnostic | None:
        name = node.name.text
        if name in self._assigns:
            return None
        row = attributes.BY_NAME[name]
        diagnostic = name_rules.NOTHING_TO_UNSET(node.name.span, what=f"value of {name}")
        near = closest(name, self._assigns)
        if near is not None:
            return diagnostic.help(f"did you mean {near}?").replacing(f"write {near}", near)
        if row.default in ("none", "required", "{}", "[]"):
            return diagnostic
        return diagnostic.help(f"its default ({row.default}) cannot be unset; for another value, write {name} = …")

    def _entry(self, node: ast.UnsetAttribute, key: ast.Expr) -> Diagnostic | None:
        name = node.name.text
        there = self._entries.get(name)
        if there is None:
            there = self._entries[name] = {}
            for assign, role in self._assigns.get(name, ()):
                data = evaluate(assign.value, self._scopes[role]).data
                there |= dict.fromkeys(data.entries) if isinstance(data, MapData) else {}
        wanted = [text for scope in self._scopes.values() if isinstance(text := evaluate(key, scope).data, str)]
        if not wanted or any(text in there for text in wanted):
            return None
        diagnostic = name_rules.NOTHING_TO_UNSET(key.span, what=f"entry {wanted[0]} of {name}")
        return self._meant(diagnostic, wanted[0], there)

    def _meant(self, diagnostic: Diagnostic, given: str, there: Collection[str]) -> Diagnostic:
        near = self.resolver.params.closest(given, there) if len(there) <= MOST_PROPOSED else None
        if near is None:
            return diagnostic
        diagnostic = diagnostic.help(f"did you mean {near}?")
        if diagnostic.span.text != f'"{given}"':
            return diagnostic
        return diagnostic.replacing(f'write "{near}"', f'"{near}"')


def _unheard(diagnostic: Diagnostic) -> None:
    """Take no report: what is wrong with a value has been reported where it is used."""
