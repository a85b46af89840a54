"""Whether there is something to take away for each ``unset``.

It is an error only if no layer has the thing, and, for an ``unset`` in a template, no user of the template. What an
absent item would have given counts as there. It is loaded only for files that unset something.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.diagnostics.suggest import closest
from tfdsl.record import replace
from tfdsl.rules import policies as policy_rules
from tfdsl.rules.mounts import SHM_PATH
from tfdsl.semantics import unset
from tfdsl.semantics.blocks import Layer
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.values import MapData
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.attributes import ROLES_BY_NAME

if TYPE_CHECKING:
    from tfdsl.semantics.resolve import Resolver

    Layers = list[tuple[Layer, str]]
    """Layers, each with a role that it is for."""

MOST_PROPOSED = 100
"""Of more keys or paths than these, none is proposed: they can be long texts, which take long to compare."""

Place: TypeAlias = tuple[str, int, int]
Miss: TypeAlias = "tuple[Span, Diagnostic]"
"""Where nothing was there to unset, and the error."""


class Unsets:
    """What each ``unset`` has taken away, and what not, by the places of its name.

    ``took``: where there is something; ``missed``: the errors where, for some user, there is nothing.
    """

    def __init__(self) -> None:
        self.took: dict[Place, Span] = {}
        self.missed: dict[Place, Miss] = {}

    def left(self) -> Iterator[Diagnostic]:
        """The errors."""
        yield from (diagnostic for place, (_, diagnostic) in self.missed.items() if place not in self.took)

    def add(self, took: Iterable[Span], missed: Iterable[Miss]) -> None:
        """Add what is known from another user of the same templates."""
        for span in took:
            self.took[_place(span)] = span
        for span, diagnostic in missed:
            self.missed.setdefault(_place(span), (span, diagnostic))


def _place(span: Span) -> Place:
    """The same for one place in two readings of a text."""
    return span.source.path, span.start, span.end


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
        self._scopes = {role: replace(resolver.role_scope(role), report=_unheard) for _, role in layers}

    def holds(self, condition: ast.Condition | None) -> bool:
        """Whether an ``unset`` is there, for any role that it is for."""
        roles = (self.role,) if self.role is not None else self.resolver.role_names()
        return condition is None or any(self.resolver.holds(condition, role) for role in roles)

    def missing(self, node: ast.Unset) -> Diagnostic | None:
        """The error that there is nothing; ``None`` if there is something, or another error."""
        if isinstance(node, ast.UnsetAttribute):
            return self._attribute(node) if node.key is None else self._entry(node, node.key)
        if isinstance(node, ast.UnsetMount):
            return self._mount(node)
        if isinstance(node, ast.UnsetOutput):
            return self._output(node)
        return self._policy(node) if isinstance(node, ast.UnsetPolicy) else self._step(node)

    # --- what is there -----------------------------------------------------------------------------------------

    @cached_property
    def _assigns(self) -> dict[str, list[tuple[ast.Assign, str]]]:
        """Attributes by name, each with a role that it is for."""
        found: dict[str, list[tuple[ast.Assign, str]]] = {}
        for layer, role in self.layers:
            for item in layer.items:
                if isinstance(item, ast.Assign):
                    found.setdefault(item.key.text, []).append((item, role))
        return found

    @cached_property
    def _entries(self) -> dict[str, dict[str, None]]:
        """Keys by the names of their maps, as far as they have been asked for."""
        return {}

    @cached_property
    def _mounts(self) -> dict[str, dict[str, None]]:
        """Paths of mounts by role."""
        found: dict[str, dict[str, None]] = {role: {} for role in self._scopes}
        for layer, role in self.layers:
            for item in (each for each in layer.items if isinstance(each, ast.Mount)):
                path = unset.mount_path(item.path, self._scopes[role])
                if path is not None:
                    found[role][path] = None
        return found

    @cached_property
    def _paths(self) -> dict[str, None]:
        """Paths of mounts of all roles."""
        return {path: None for paths in self._mounts.values() for path in paths}

    @cached_property
    def _outputs(self) -> set[tuple[str, unset.Ends | None]]:
        """Sources and destinations of outputs with a role that they are for."""
        return {
            (role, unset.output_ends(item, self._scopes[role]))
            for layer, role in self.layers
            for item in layer.items
            if isinstance(item, ast.Output)
        }

    @cached_property
    def _policies(self) -> dict[unset.Of, set[int]]:
        """Exit statuses of policies; those in a role block are there with and without their role."""
        found: dict[unset.Of, set[int]] = {}
        own = {(id(layer), role) for role in self._scopes for layer in self.resolver.own_layers(role)}
        for layer, role in self.layers:
            for item in (each for each in layer.items if isinstance(each, ast.Policy)):
                codes = unset.codes_of(item, self._scopes[role], None) or ()
                event = item.event.name.text
                named, index = unset.subject_of(item.subject) or (None, None)
                found.setdefault((event, named, index), set()).update(codes)
                if item.subject is None and (id(layer), role) in own:
                    found.setdefault((event, role, None), set()).update(codes)
        return found

    @cached_property
    def _steps(self) -> dict[str, set[str]]:
        """Kinds of steps by name."""
        found: dict[str, set[str]] = {}
        for layer, _ in self.layers:
            for item in layer.items:
                if isinstance(item, ast.Step):
                    found.setdefault(item.name.text, set()).add(item.kind)
        return found

    # --- what is missing ---------------------------------------------------------------------------------------

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

    def _mount(self, node: ast.UnsetMount) -> Diagnostic | None:
        there = self._mounts
        paths = {role: unset.mount_path(node.path, scope) for role, scope in self._scopes.items()}
        wanted = [path for path in paths.values() if path is not None]
        if not wanted or any(path in there[role] for role, path in paths.items()):
            return None
        diagnostic = name_rules.NOTHING_TO_UNSET(node.path.span, what=f"mount at {wanted[0]}")
        if wanted[0] == SHM_PATH and "shm" in self._assigns:
            return diagnostic.help("shm is set: write unset shm")
        return self._meant(diagnostic, wanted[0], self._paths)

    def _output(self, node: ast.UnsetOutput) -> Diagnostic | None:
        pairs = {(role, unset.output_ends(node, scope)) for role, scope in self._scopes.items()}
        if any(ends is None for _, ends in pairs) or pairs & self._outputs:
            return None
        what = f"output {node.source.span.text} to {node.destination.span.text}"
        diagnostic = name_rules.NOTHING_TO_UNSET(_name(node), what=what)
        return diagnostic.help("an output is known by its source and its destination")

    def _policy(self, node: ast.UnsetPolicy) -> Diagnostic | None:
        role, index = unset.subject_of(node.subject) or (self.role, None)
        names = self.resolver.role_names()
        if node.subject is not None and role in ROLES_BY_NAME and role not in names:
            return policy_rules.no_such_role(self.resolver.name, role, names).at(node.subject.role.span)
        wanted = unset.codes_of(node, replace(self.resolver.scope, report=_unheard), self.role)
        event = node.event.name.text
        codes = self._policies.get((event, role, index))
        if wanted is None or (codes is not None and (not wanted or codes & wanted)):
            return None
        diagnostic = name_rules.NOTHING_TO_UNSET(_name(node), what=unset.policy_words(node).removeprefix("the "))
        if self.role is None or (event, None, None) not in self._policies:
            return diagnostic
        return diagnostic.help(
            f"the job's policy on {event} is for all roles: write one here to replace it for this role"
        )

    def _step(self, node: ast.UnsetStep) -> Diagnostic | None:
        name = node.name.text
        kinds = self._steps.get(name, set())
        if node.kind in kinds:
            return None
        diagnostic = name_rules.NOTHING_TO_UNSET(node.name.span, what=f"{node.kind} {name}")
        for other in kinds:
            return diagnostic.help(f"{name} is a {other} step: write unset {other} {name}")
        near = self.resolver.params.closest(name, self._steps)
        return diagnostic.help(f"did you mean {near}?") if near else diagnostic

    def _meant(self, diagnostic: Diagnostic, given: str, there: Collection[str]) -> Diagnostic:
        near = self.resolver.params.closest(given, there) if len(there) <= MOST_PROPOSED else None
        if near is None:
            return diagnostic
        diagnostic = diagnostic.help(f"did you mean {near}?")
        if diagnostic.span.text != f'"{given}"':
            return diagnostic
        return diagnostic.replacing(f'write "{near}"', f'"{near}"')


def _unheard(diagnostic: Diagnostic) -> None:
    """What is wrong with a value has been reported where it is used."""
