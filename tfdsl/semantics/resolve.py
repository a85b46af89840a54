"""One job for one target: every layer is evaluated, and all are merged.

Layers, low to high (language reference, "Layers"): the job's templates, the job's own items, the role's templates,
the role's own, then the same from the target block. An attribute is replaced by name (maps merge key by key), a mount
by path, an output by source and destination, a policy by subject and event. An absent item replaces nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from tfdsl.diagnostics import Diagnostic
from tfdsl.record import replace
from tfdsl.rules import mounts
from tfdsl.rules.mounts import SHM_PATH
from tfdsl.semantics import operators, resolved
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate, spent
from tfdsl.semantics.scope import PENDING, Dependence, Pending, Scope, dependence
from tfdsl.semantics.statements import mount as read_mount
from tfdsl.semantics.values import CONTAINERS, ELEMENT, POISON, MapData, Poison, Value, map_data
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.types import MapType

if TYPE_CHECKING:
    from tfdsl.backend import Backend
    from tfdsl.semantics.blocks import JobBlock, Layer, RoleBlock, TargetBlock
    from tfdsl.semantics.conditions import Conditions
    from tfdsl.semantics.derived import Derived
    from tfdsl.semantics.params import Params
    from tfdsl.semantics.unset_check import Unsets

T = TypeVar("T")
Conditional: TypeAlias = "ast.Assign | ast.Mount | ast.Output | ast.Policy | ast.Patch | ast.Step | ast.Unset"
Key: TypeAlias = "tuple[int, str | None]"
"""The identity of a node, and the role that its value is for, if the value depends on it."""

COST = 10
"""The cost of checking and lowering an element of an attribute, relative to copying it."""


class Shared:
    """Values that are the same for every job, role and target, which all resolvers of a program share.

    ``report`` takes what is wrong with them.
    """

    def __init__(self, report: Callable[[Diagnostic], None]) -> None:
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


class Resolver:
    """State of resolving one job for one target; implements :class:`~tfdsl.semantics.scope.JobNames`.

    ``compiled``: whether the target is compiled, or only its block checked. ``absent_roles``: those whose own condition
    is false, each with it.
    """

    def __init__(
        self,
        block: JobBlock,
        derived: Derived,
        params: Params,
        target: Backend | None,
        report: Callable[[Diagnostic], None],
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
        self.report = report
        self.scope = Scope(params, report, self, owner=block.node, matrix=derived.combination)
        self._same_scope = replace(self.scope, report=shared.report)
        self._scopes: dict[str, Scope] = {}
        self.shared = shared
        self.absent_roles: dict[str, ast.Condition] = {}
        if self.absent_blocks():
            from tfdsl.semantics.absent_items import absent_roles

            self.absent_roles = absent_roles(self)
        self._conditions: Conditions | None = None
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

    def role_names(self) -> tuple[str, ...]:
        """The job's roles, in the order of the language."""
        named = {*self.block.roles, *(self.target_block.roles if self.target_block else ()), *self.absent_roles}
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
        from tfdsl.semantics import absent_items

        absent_items.check_item(self, node, role)
        return False

    def holds(self, condition: ast.Condition, role: str | None) -> bool:
        """Whether an item with ``condition`` is there, for ``role``."""
        if self._conditions is None:
            from tfdsl.semantics.conditions import Conditions

            self._conditions = Conditions(self.scope, self.params.program.profiles, self.shared.conditions)
        return self._conditions.holds(condition, role)

    def absent_blocks(self) -> tuple[RoleBlock, ...]:
        """The role blocks whose condition is false."""
        return (*self.block.absent_roles, *(self.target_block.absent_roles if self.target_block else ()))

    # --- layers ---

    def job_layers(self) -> list[Layer]:
        """Layers of the job and of the target block."""
        return [*self.block.layers, *(self.target_block.layers if self.target_block else ())]

    def own_layers(self, role: str) -> list[Layer]:
        """Layers of the role blocks of ``role``."""
        return [layer for block in self.role_blocks(role) for layer in block.layers]

    def role_blocks(self, role: str) -> list[RoleBlock]:
        """The blocks of ``role``: the job's, the target's."""
        blocks = [self.block.roles.get(role), self.target_block.roles.get(role) if self.target_block else None]
        return [block for block in blocks if block is not None]

    def role_layers(self, role: str) -> list[tuple[Layer, bool]]:
        """All layers that ``role`` is made of, low to high; whether each is from a role block."""
        layers: list[tuple[Layer, bool]] = [(layer, False) for layer in self.block.layers]
        if role in self.block.roles:
            layers += [(layer, True) for layer in self.block.roles[role].layers]
        if self.target_block is not None:
            layers += [(layer, False) for layer in self.target_block.layers]
            if role in self.target_block.roles:
                layers += [(layer, True) for layer in self.target_block.roles[role].layers]
        return layers

    def all_layers(self, present: tuple[str, ...]) -> Iterator[tuple[Layer, str | None]]:
        """All layers, low to high, each with the role whose block it is from."""
        yield from ((layer, None) for layer in self.block.layers)
        for role in present:
            yield from ((layer, role) for layer in (self.block.roles[role].layers if role in self.block.roles else ()))
        if self.target_block is not None:
            yield from ((layer, None) for layer in self.target_block.layers)
            for role in present:
                block = self.target_block.roles.get(role)
                yield from ((layer, role) for layer in (block.layers if block else ()))

    def role_scope(self, role: str) -> Scope:
        """The names in role ``role``."""
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
            scope = self._scope_of(values is self.shared.typed, role)
            value = evaluate(assign.value, scope)
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

    def _scope_of(self, same: bool, role: str | None) -> Scope:
        """The names for a value in ``role``. ``same``: the value is the same in all jobs."""
        if same:
            return self._same_scope if role is None else replace(self._same_scope, role=role)
        return self.scope if role is None else self.role_scope(role)

    def _place(
        self, node: ast.Assign | ast.Mount, role: str | None, shared: dict[Key, T], own: dict[Key, T]
    ) -> tuple[dict[Key, T], Key]:
        """The cache for the value of ``node`` in ``role``, and its key there."""
        on = self.shared.dependence(node)
        return shared if on == "nothing" else own, (id(node), role if on == "role" else None)

    def job_settings(self) -> dict[str, resolved.Setting]:
        """The job's own attributes, without those that are only defaults of roles."""
        settings: dict[str, resolved.Setting] = {}
        for layer in self.job_layers():
            self._take_attributes(layer, settings, None)
            for name, assign in layer.attributes.items():
                if attributes.BY_NAME[name].where in ("job", "each"):
                    self.put(settings, name, assign, None)
        return settings

    def role_settings(self, role: str) -> dict[str, resolved.Setting]:
        """The attributes of ``role``, including the job's defaults."""
        settings: dict[str, resolved.Setting] = {}
        for layer, own in self.role_layers(role):
            self._take_attributes(layer, settings, role)
            for name, assign in layer.attributes.items():
                if (own or inherited(name, role)) and (name != "min_available" or role not in self.params.scale):
                    self.put(settings, name, assign, role)
        return settings

    def _take_attributes(self, layer: Layer, settings: dict[str, resolved.Setting], role: str | None) -> None:
        if layer.unsets:
            from tfdsl.semantics import unset

            unset.attributes(self, layer, settings, role)

    def put(self, settings: dict[str, resolved.Setting], name: str, assign: ast.Assign, role: str | None) -> None:
        """Replace the attribute in ``settings``; maps are merged."""
        value = self.typed(assign, role)
        below = settings.get(name)
        if below is not None and isinstance(attributes.BY_NAME[name].type, MapType):
            lower, upper = below.value.data, value.data
            if isinstance(lower, MapData) and isinstance(upper, MapData):
                value = Value(map_data(lower.entries | upper.entries), value.span)
        settings[name] = resolved.Setting(assign.key.span, value)

    def role(self, name: str, present: tuple[str, ...], outputs: tuple[resolved.Output, ...]) -> resolved.Role:
        """The role ``name`` with all its layers merged."""
        settings = self.role_settings(name)
        mounts, broken = self.role_mounts(name)
        if "shm" in settings and SHM_PATH in mounts:
            from tfdsl.semantics.shm import settled

            settings, mounts = settled(self, name, settings, mounts)
        if "after" in settings and len(present) < len(self.role_names()):
            from tfdsl.semantics.absent_items import after_present

            settings["after"] = after_present(self, settings["after"], present)
        replicas = self.replicas(name)
        known = isinstance(replicas, int) and replicas > 0
        return resolved.Role(
            name,
            self.role_blocks(name)[0].node.name.span,
            replicas if isinstance(replicas, int) and known else 1,
            settings,
            tuple(mounts.values()),
            outputs,
            known,
            not broken,
            self.role_steps(name),
        )

    def role_mounts(self, role: str) -> tuple[dict[str, resolved.Mount], bool]:
        """The mounts of ``role`` by path, where the highest layer wins; and whether one could not be read."""
        mounts: dict[str, resolved.Mount] = {}
        broken = False
        for layer, _ in self.role_layers(role):
            here: dict[str, resolved.Mount] = {}
            taken: dict[str, Span] = {}
            if layer.unsets:
                from tfdsl.semantics import unset

                taken = unset.mounts(self, layer, role, mounts)
            for node in layer.mounts:
                if not self.stands(node, role):
                    continue
                mount = self.mount(node, role)
                if mount is None or any(isinstance(one.value.data, Poison) for one in mount.options.values()):
                    broken = True
                if mount is None:
                    continue
                first = here.setdefault(mount.at, mount)
                if first is not mount:
                    self.report(_mounted_twice(role, first, mount))
                elif mount.at in taken:
                    from tfdsl.semantics.blocks import in_one_block

                    self.report(in_one_block(taken[mount.at], f"the mount at {mount.at}", mount.at_span))
            mounts |= here
        return mounts, broken

    def role_steps(self, role: str) -> tuple[resolved.Step, ...]:
        """The steps of ``role``, each in the place where it is first written; what is wrong is reported."""
        layers = [(layer, own or role != "tensorboard") for layer, own in self.role_layers(role)]
        return self.merged_steps(layers, role) if any(has and layer.steps for layer, has in layers) else ()

    def merged_steps(self, layers: Sequence[tuple[Layer, bool]], role: str) -> tuple[resolved.Step, ...]:
        """The steps of ``layers``; see :func:`tfdsl.semantics.merge_steps.merged_steps`."""
        from tfdsl.semantics import merge_steps

        return merge_steps.merged_steps(self, layers, role)

    def mount(self, node: ast.Mount, role: str) -> resolved.Mount | None:
        """The mount ``node`` of ``role``; ``None``, with a report, when its path or kind is not known."""
        mounts, key = self._place(node, role, self.shared.mounts, self._mounts)
        if key not in mounts:
            mounts[key] = read_mount(node, self._scope_of(mounts is self.shared.mounts, role))
        return mounts[key]


def unsets(layer: Layer, name: str) -> bool:
    """Whether ``layer`` unsets the whole attribute ``name``."""
    return any(isinstance(node, ast.UnsetAttribute) and node.name.text == name for node in layer.unsets)


def _mounted_twice(role: str, first: resolved.Mount, second: resolved.Mount) -> Diagnostic:
    spans = {"again": second.at_span, "first": first.at_span}
    return mounts.twice(role, second.at, ("again",), ("first",)).among(spans)


def inherited(name: str, role: str) -> bool:
    """Whether the job's value of ``name`` is the default of ``role``."""
    if attributes.BY_NAME[name].where != "both":
        return False
    return role != "tensorboard" or name in attributes.TENSORBOARD_INHERITS
