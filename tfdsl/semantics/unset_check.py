"""Whether there is something to take away for each ``unset``.

It is an error only if no layer has the thing, and, for an ``unset`` in a template, no user of the template. What an
absent item would have given counts as there. It is loaded only for files that unset something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.diagnostics.suggest import closest
from tfdsl.record import replace
from tfdsl.rules import policies as policy_rules
from tfdsl.semantics import unset
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.values import MapData
from tfdsl.syntax import ast
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.roles import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tfdsl.semantics.blocks import Layer
    from tfdsl.semantics.resolve import Resolver
    from tfdsl.semantics.scope import Scope
    from tfdsl.text import Span

    Layers = list[tuple[Layer, str]]
    """Layers, each with a role that it is for."""

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
    everything = [pair for pairs in of_role.values() for pair in pairs]
    for layer in resolver.job_layers():
        _check_layer(resolver, layer, None, everything, known)
    for role in resolver.role_names():
        for layer in resolver.own_layers(role):
            _check_layer(resolver, layer, role, of_role[role], known)


def _check_layer(resolver: Resolver, layer: Layer, role: str | None, layers: Layers, known: Unsets) -> None:
    for node in layer.unsets:
        condition = node.condition
        roles = (role,) if role is not None else resolver.role_names()
        if condition is not None and not any(resolver.holds(condition, each) for each in roles):
            continue
        missing = _Search(resolver, layers, role).missing(node)
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
    """Looks in ``layers`` for what is unset; ``role``: that of the block with the ``unset``."""

    def __init__(self, resolver: Resolver, layers: Layers, role: str | None) -> None:
        self.resolver = resolver
        self.layers = layers
        self.role = role

    def missing(self, node: ast.Unset) -> Diagnostic | None:
        """The error that there is nothing; ``None`` if there is something, or another error."""
        if isinstance(node, ast.UnsetAttribute):
            return self._attribute(node) if node.key is None else self._entry(node, node.key)
        if isinstance(node, ast.UnsetMount):
            return self._mount(node)
        if isinstance(node, ast.UnsetOutput):
            return self._output(node)
        return self._policy(node) if isinstance(node, ast.UnsetPolicy) else self._step(node)

    def _scope(self, role: str) -> Scope:
        return replace(self.resolver.role_scope(role), report=_unheard)

    def _assigns(self) -> Iterator[tuple[ast.Assign, str]]:
        for layer, role in self.layers:
            yield from ((item, role) for item in layer.items if isinstance(item, ast.Assign))

    def _attribute(self, node: ast.UnsetAttribute) -> Diagnostic | None:
        names = dict.fromkeys(assign.key.text for assign, _ in self._assigns())
        name = node.name.text
        if name in names:
            return None
        row = attributes.BY_NAME[name]
        diagnostic = name_rules.NOTHING_TO_UNSET(node.name.span, what=f"value of {name}")
        near = closest(name, names)
        if near is not None:
            return diagnostic.help(f"did you mean {near}?").replacing(f"write {near}", near)
        if row.default in ("none", "required", "{}", "[]"):
            return diagnostic
        return diagnostic.help(f"its default ({row.default}) cannot be unset; for another value, write {name} = …")

    def _entry(self, node: ast.UnsetAttribute, key: ast.Expr) -> Diagnostic | None:
        name = node.name.text
        there: dict[str, None] = {}
        wanted: list[str] = []
        for assign, role in self._assigns():
            data = evaluate(assign.value, self._scope(role)).data if assign.key.text == name else None
            there |= dict.fromkeys(data.entries) if isinstance(data, MapData) else {}
        for role in dict.fromkeys(role for _, role in self.layers):
            text = evaluate(key, self._scope(role)).data
            wanted += [text] if isinstance(text, str) else []
        if not wanted or any(text in there for text in wanted):
            return None
        diagnostic = name_rules.NOTHING_TO_UNSET(key.span, what=f"entry {wanted[0]} of {name}")
        return _meant(diagnostic, wanted[0], there)

    def _mount(self, node: ast.UnsetMount) -> Diagnostic | None:
        there: dict[str, None] = {}
        wanted: list[str] = []
        for layer, role in self.layers:
            scope = self._scope(role)
            paths = [unset.mount_path(item.path, scope) for item in layer.items if isinstance(item, ast.Mount)]
            there |= dict.fromkeys(path for path in paths if path is not None)
            path = unset.mount_path(node.path, scope)
            if path is not None and path in paths:
                return None
            wanted += [path] if path is not None else []
        if not wanted:
            return None
        diagnostic = name_rules.NOTHING_TO_UNSET(node.path.span, what=f"mount at {wanted[0]}")
        if wanted[0] == "/dev/shm" and any(assign.key.text == "shm" for assign, _ in self._assigns()):
            return diagnostic.help("shm is set: write unset shm")
        return _meant(diagnostic, wanted[0], there)

    def _output(self, node: ast.UnsetOutput) -> Diagnostic | None:
        wanted: list[unset.Ends] = []
        for layer, role in self.layers:
            scope = self._scope(role)
            ends = unset.output_ends(node, scope)
            if ends is None:
                return None
            if any(unset.output_ends(item, scope) == ends for item in layer.items if isinstance(item, ast.Output)):
                return None
            wanted.append(ends)
        what = f"output {node.source.span.text} to {node.destination.span.text}"
        diagnostic = name_rules.NOTHING_TO_UNSET(_name(node), what=what)
        return diagnostic.help("an output is known by its source and its destination") if wanted else None

    def _policy(self, node: ast.UnsetPolicy) -> Diagnostic | None:
        subject = node.subject
        if subject is not None and subject.role.text in BY_NAME and subject.role.text not in self.resolver.role_names():
            names = self.resolver.role_names()
            return policy_rules.no_such_role(self.resolver.name, subject.role.text, names).at(subject.role.span)
        scope = replace(self.resolver.scope, report=_unheard)
        wanted = unset.codes_of(node, scope, self.role)
        if wanted is None:
            return None
        of_all = ""
        for layer, role in self.layers:
            own = any(layer is each for each in self.resolver.own_layers(role))
            for item in layer.items:
                if not isinstance(item, ast.Policy) or item.event.name.text != node.event.name.text:
                    continue
                if _is_same(item, node, role if own else None, self.role):
                    codes = unset.codes_of(item, scope, None)
                    if codes is None or not wanted or codes & wanted:
                        return None
                elif item.subject is None and not own:
                    event = node.event.name.text
                    of_all = f"the job's policy on {event} is for all roles: write one here to replace it for this role"
        diagnostic = name_rules.NOTHING_TO_UNSET(_name(node), what=unset.policy_words(node).removeprefix("the "))
        return diagnostic.help(of_all) if of_all else diagnostic

    def _step(self, node: ast.UnsetStep) -> Diagnostic | None:
        steps = [item for layer, _ in self.layers for item in layer.items if isinstance(item, ast.Step)]
        name = node.name.text
        if any(step.kind == node.kind and step.name.text == name for step in steps):
            return None
        diagnostic = name_rules.NOTHING_TO_UNSET(node.name.span, what=f"{node.kind} {name}")
        other = next((step.kind for step in steps if step.name.text == name), None)
        if other is not None:
            return diagnostic.help(f"{name} is a {other} step: write unset {other} {name}")
        near = closest(name, dict.fromkeys(step.name.text for step in steps if step.kind == node.kind))
        return diagnostic.help(f"did you mean {near}?") if near else diagnostic


def _is_same(item: ast.Policy, node: ast.UnsetPolicy, own: str | None, role: str | None) -> bool:
    """Whether ``item``, in a block of role ``own``, has the subject of ``node``, in one of ``role``."""
    of_item = unset.subject_of(item.subject) or (None if own is None else (own, None))
    if role is not None:
        return of_item == (role, None)
    return item.subject is None if node.subject is None else of_item == unset.subject_of(node.subject)


def _meant(diagnostic: Diagnostic, given: str, there: Iterable[str]) -> Diagnostic:
    near = closest(given, dict.fromkeys(there))
    if near is None:
        return diagnostic
    diagnostic = diagnostic.help(f"did you mean {near}?")
    return diagnostic.replacing(f'write "{near}"', f'"{near}"') if diagnostic.span.text == f'"{given}"' else diagnostic


def _unheard(diagnostic: Diagnostic) -> None:
    """What is wrong with a value has been reported where it is used."""
