"""One job for one target: its names, its layers and their values.

What the layers come to is in :mod:`tfdsl.semantics.layers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, TypeVar

from tfdsl.backend import Backend
from tfdsl.diagnostics import Diagnostic, Report, value_rules
from tfdsl.record import replace
from tfdsl.rules import policies
from tfdsl.semantics import operators, resolved, statements
from tfdsl.semantics.blocks import JobBlock, Layer, RoleBlock, TargetBlock
from tfdsl.semantics.conditions import Conditions
from tfdsl.semantics.conform import conform
from tfdsl.semantics.derived import Derived
from tfdsl.semantics.evaluate import evaluate_as, spent
from tfdsl.semantics.params import Params
from tfdsl.semantics.scope import PENDING, Dependence, JobNames, Pending, Scope, dependence
from tfdsl.semantics.values import CONTAINERS, ELEMENT, POISON, Poison, Value
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.types import Type

T = TypeVar("T")
Conditional: TypeAlias = "ast.Assign | ast.Mount | ast.Output | ast.Policy | ast.Patch | ast.Step | ast.Unset"
Key: TypeAlias = "tuple[int, str | None]"
"""The identity of a node, and the role that its value is for, if the value depends on it."""

COST = 10
"""The cost of checking and lowering an element of an attribute, relative to copying it."""


Place: TypeAlias = tuple[str, int, int]
Miss: TypeAlias = tuple[Span, Diagnostic]
"""Where nothing was there to unset, and the error."""


class Unsets:
    """What each ``unset`` has taken away, and what not, by the places of its name.

    ``took``: where there is something; ``missed``: the errors where, for some user, there is nothing.
    """

    def __init__(self) -> None:
        self.took: dict[Place, Span] = {}
        self.missed: dict[Place, Miss] = {}

    def left(self) -> Iterator[Diagnostic]:
        """The errors of every ``unset`` that has taken nothing away."""
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


class Shared:
    """Values that are the same for every job, role and target, which all resolvers of a program share.

    ``report`` takes what is wrong with them.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        self.typed: dict[Key, Value] = {}
        self.mounts: dict[Key, resolved.Mount | None] = {}
        self.checked_absent: set[Key] = set()
        self.conditions: dict[int, bool] = {}
        self.unsets: Unsets | None = None
        self._dependence: dict[int, Dependence] = {}

    def dependence(self, node: ast.Item) -> Dependence:
        """What the value of ``node`` depends on, found in its tree once."""
        known = self._dependence.get(id(node))
        if known is None:
            known = self._dependence[id(node)] = dependence(node)
        return known


class Resolver(JobNames):
    """State of resolving one job for one target.

    ``compiled``: whether the target is compiled, or only its block checked. ``absent_roles``: those whose own condition
    is false, each with it.
    """

    def __init__(
        self,
        block: JobBlock,
        derived: Derived,
        params: Params,
        target: Backend | None,
        report: Report,
        shared: Shared,
        *,
        compiled: bool,
    ) -> None:
        self.block = block
        self.params = params
        self.compiled = compiled
        self.derived = derived
        self.name = derived.name
        self.name_known = derived.known
        self.target = target
        self.target_block: TargetBlock | None = block.targets.get(target.name) if target is not None else None
        self.blocks = (block,) if self.target_block is None else (block, self.target_block)
        self.report = report
        self.scope = Scope(params, report, self, owner=block.node, matrix=derived.combination)
        self._same_scope = replace(self.scope, report=shared.report)
        self._scopes: dict[str, Scope] = {}
        self.shared = shared
        self.absent_roles = self._absent_roles()
        self._conditions = Conditions(self.scope, shared.conditions)
        self._typed: dict[Key, Value] = {}
        self._mounts: dict[Key, resolved.Mount | None] = {}
        self._replicas: dict[str, int | Poison | Pending] = {}
        self._namespace_pending = False

    # --- names ---

    def namespace(self) -> Value | Pending | None:
        """The job's namespace, poison when it is wrong; ``None`` when it has none."""
        for layer in reversed(self.job_layers()):
            assign = layer.attributes.get("namespace")
            if assign is None and unsets(layer, "namespace"):
                return None
            if assign is not None:
                if self._namespace_pending:
                    return PENDING
                self._namespace_pending = True
                value = self.typed(assign, None)
                self._namespace_pending = False
                return value
        return None

    def knows_submitter(self, at: Span) -> bool:
        """Whether the target knows the submitter.

        Without a target, any target may know it; for a target that is not compiled, only its own block is checked.
        """
        if self.target is None or self.target.knows_submitter:
            return True
        block = self.target_block.node.span if self.target_block is not None else None
        inside = block is not None and block.source is at.source and block.start <= at.start < block.end
        return not (self.compiled or inside)

    def without_run(self) -> tuple[str, ...]:
        """Why ``flow.run`` has no value in the job, and what to do; empty if it has one."""
        return self.derived.without_run

    def role_names(self) -> tuple[str, ...]:
        """The job's roles, in the order of the language."""
        named = {*self.absent_roles, *(name for block in self.blocks for name in block.roles)}
        return tuple(name for name in attributes.ROLE_NAMES if name in named)

    def replicas(self, role: str) -> int | Poison | Pending:
        """The number of replicas of ``role``."""
        if role not in self._replicas:
            self._replicas[role] = PENDING
            self._replicas[role] = self._evaluated_replicas(role)
        return self._replicas[role]

    def present_roles(self) -> tuple[str, ...]:
        """The roles that have replicas; cycles are found in file order."""
        written = [name for name in self.role_names() if name not in self.absent_roles]
        for name in sorted(written, key=lambda name: self.role_blocks(name)[0].node.span.start):
            self.replicas(name)
        return tuple(name for name in self.role_names() if self.replicas(name) != 0)

    def _evaluated_replicas(self, role: str) -> int | Poison:
        if role in self.absent_roles or role in self.params.scale:
            return 0 if role in self.absent_roles else self.params.scale[role]
        for layer, _ in reversed(self.role_layers(role)):
            assign = layer.attributes.get("replicas")
            if assign is None and unsets(layer, "replicas"):
                return 1
            if assign is not None:
                data = self.typed(assign, role).data
                return data if isinstance(data, int) else POISON
        return 1

    # --- conditions ---

    def stands(self, node: Conditional, role: str | None) -> bool:
        """Whether ``node`` is there, for ``role``; the names and types of an absent one are checked."""
        if node.condition is None or self.holds(node.condition, role):
            return True
        self.check_absent(node, role)
        return False

    def check_absent(self, item: ast.Item, role: str | None, options: Mapping[str, Type] | None = None) -> None:
        """Check the names and types of ``item``; ``options``: those that the block can set beside attributes."""
        on = self.shared.dependence(item)
        key = id(item), role if on == "role" else None
        if on != "job":
            if key in self.shared.checked_absent:
                return
            self.shared.checked_absent.add(key)
        scope = self.scope_of(role)
        statements.check(item, role, replace(scope, report=names_and_types(scope.report)), options or {})

    def holds(self, condition: ast.Condition, role: str | None) -> bool:
        """Whether an item with ``condition`` is there, for ``role``."""
        return self._conditions.holds(condition, role)

    def absent_blocks(self) -> tuple[RoleBlock, ...]:
        """The role blocks whose condition is false."""
        return tuple(role for block in self.blocks for role in block.absent_roles)

    def _absent_roles(self) -> dict[str, ast.Condition]:
        """The roles whose own condition is false: a target block does not bring back a role of the job."""
        there: set[str] = set()
        absent: dict[str, ast.Condition] = {}
        for block in self.blocks:
            there |= block.roles.keys() | absent.keys()
            named = ((role.node.name.text, role.node.condition) for role in block.absent_roles)
            absent |= {name: condition for name, condition in named if name not in there and condition is not None}
        return absent

    # --- subjects of outputs and policies ---

    def has_subject(self, subject: ast.Subject | None, present: tuple[str, ...], item: str) -> bool:
        """Whether ``subject``, a role or a replica of it, exists; reported if not (as info if ``item`` is dropped)."""
        if subject is None:
            return True
        name = subject.role.text
        if name not in self.role_names():
            self.report(policies.no_such_role(self.name, name, self.role_names()).at(subject.role.span))
        elif name not in present:
            self.report(self.dropped(subject.role.span, item, name))
        else:
            replicas, index = self.replicas(name), subject.index
            if index is None or not isinstance(replicas, int):
                return True
            broken = policies.replica(name, replicas, index.text, statements.index_of(index))
            if broken is None:
                return True
            self.report(broken.at(index.span))
        return False

    def dropped(self, span: Span, item: str, role: str) -> Diagnostic:
        """The diagnostic for an item that is left out because of its role."""
        diagnostic = value_rules.DROPPED_ITEM(span, item=item, role=role)
        condition = self.absent_roles.get(role)
        return diagnostic if condition is None else diagnostic.note(condition.value.span, "this condition is false")

    # --- layers ---

    def job_layers(self) -> list[Layer]:
        """Layers of the job and of the target block."""
        return [layer for block in self.blocks for layer in block.layers]

    def own_layers(self, role: str) -> list[Layer]:
        """Layers of the role blocks of ``role``."""
        return [layer for block in self.role_blocks(role) for layer in block.layers]

    def role_blocks(self, role: str) -> list[RoleBlock]:
        """The blocks of ``role``: the job's, the target's."""
        return [block.roles[role] for block in self.blocks if role in block.roles]

    def role_layers(self, role: str) -> list[tuple[Layer, bool]]:
        """All layers that ``role`` is made of, low to high; whether each is from a role block."""
        return [(layer, of is not None) for layer, of in self.all_layers((role,))]

    def all_layers(self, present: tuple[str, ...]) -> Iterator[tuple[Layer, str | None]]:
        """All layers, low to high, each with the role whose block it is from."""
        for block in self.blocks:
            yield from ((layer, None) for layer in block.layers)
            for role in present:
                if role in block.roles:
                    yield from ((layer, role) for layer in block.roles[role].layers)

    def scope_of(self, role: str | None) -> Scope:
        """The names in role ``role``, or outside of roles."""
        if role is None:
            return self.scope
        if role not in self._scopes:
            self._scopes[role] = replace(self.scope, role=role)
        return self._scopes[role]

    # --- values ---

    def typed(self, assign: ast.Assign, role: str | None) -> Value:
        """The typed value of an attribute; evaluated once, or once per role if it depends on the role."""
        values, key = self._place(assign, role, self.shared.typed, self._typed)
        value = values.get(key)
        if value is None:
            row = attributes.BY_NAME[assign.key.text]
            scope = self._value_scope(values is self.shared.typed, role)
            value = evaluate_as(assign.value, row.type, scope)
            if isinstance(value.data, CONTAINERS) and not self._spent(value):
                scope.report(operators.exhausted(value.span))
                value = Value(POISON, value.span)
            value = values[key] = conform(value, row.type, row.name, scope.report)
        elif self.derived.combination is not None and not self._spent(value):  # each job has a copy of it
            self.shared.report(operators.exhausted(value.span))
            return Value(POISON, value.span)
        return value

    def _spent(self, value: Value) -> bool:
        """Account for one more use of a value; false when that is too much for one program."""
        if isinstance(value.data, CONTAINERS):
            return self.params.spend(COST * value.data.weight // ELEMENT)
        return spent(value.data, self.scope)

    def _value_scope(self, same: bool, role: str | None) -> Scope:
        """The names for a value in ``role``. ``same``: the value is the same in all jobs."""
        if same:
            return self._same_scope if role is None else replace(self._same_scope, role=role)
        return self.scope_of(role)

    def _place(
        self, node: ast.Assign | ast.Mount, role: str | None, shared: dict[Key, T], own: dict[Key, T]
    ) -> tuple[dict[Key, T], Key]:
        """The cache for the value of ``node`` in ``role``, and its key there."""
        on = self.shared.dependence(node)
        return shared if on == "nothing" else own, (id(node), role if on == "role" else None)

    def mount(self, node: ast.Mount, role: str) -> resolved.Mount | None:
        """The mount ``node`` of ``role``; ``None``, with a report, when its path or kind is not known."""
        mounts, key = self._place(node, role, self.shared.mounts, self._mounts)
        if key not in mounts:
            mounts[key] = statements.mount(node, self._value_scope(mounts is self.shared.mounts, role))
        return mounts[key]


def unsets(layer: Layer, name: str) -> bool:
    """Whether ``layer`` unsets the whole attribute ``name``."""
    return any(isinstance(node, ast.UnsetAttribute) and node.name.text == name for node in layer.unsets)


def names_and_types(report: Report) -> Report:
    """``report`` for what is absent: of wrong values it takes only memory without a unit, which is a wrong type."""

    def take(diagnostic: Diagnostic) -> None:
        if diagnostic.rule.code.startswith("TFJ1") or diagnostic.rule is value_rules.MEMORY_UNIT:
            report(diagnostic)

    return take
