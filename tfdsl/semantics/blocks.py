"""The items of a block, sorted by kind: misplaced and duplicate items are reported.

Nothing is evaluated here but the conditions of attributes, roles and ``use``, on which it depends what is a duplicate.
All other items keep their conditions. A block with ``use`` becomes several :class:`Layer` values, its templates first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeGuard, TypeVar

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.record import Record, replace
from tfdsl.semantics import attribute_names
from tfdsl.semantics.attribute_names import Around
from tfdsl.semantics.role_names import known_role
from tfdsl.semantics.target_names import target_called
from tfdsl.syntax import ast
from tfdsl.vocabulary import attributes

if TYPE_CHECKING:
    from tfdsl.backend import Backend
    from tfdsl.semantics.conditions import Conditions
    from tfdsl.semantics.step_blocks import StepBlock
    from tfdsl.vocabulary.types import Option

    Report = Callable[[Diagnostic], None]

Block = TypeVar("Block", ast.Cluster, ast.Build, ast.Matrix)
Table: TypeAlias = dict[str, ast.Assign]
Where: TypeAlias = Literal["job", "role", "target", "template"]

_ALLOWED: dict[Where, tuple[type, ...]] = {
    "job": (ast.Use, ast.Role, ast.Cluster, ast.Build, ast.Target, ast.Matrix, ast.Step, *ast.UNSET),
    "role": (ast.Use, ast.Step, *ast.UNSET),
    "target": (ast.Use, ast.Role, ast.Patch, ast.Step, *ast.UNSET),
    "template": (ast.Use, ast.Step, *ast.UNSET),
}
"""What a block can contain besides attributes, mounts, outputs and policies."""


class Layer(Record):
    """One block, or the part of it that came from one template; all its names are known and valid.

    ``steps``: those with a condition may have one name. ``meant``: the attributes that misspelt names were probably
    meant to be. ``absent``: attributes and options whose condition is false, and the items of templates that are not
    used because of one: only their names and types are checked.
    """

    attributes: Mapping[str, ast.Assign]
    mounts: tuple[ast.Mount, ...]
    outputs: tuple[ast.Output, ...]
    policies: tuple[ast.Policy, ...]
    options: Mapping[str, ast.Assign]
    meant: frozenset[str] = frozenset()
    steps: tuple[StepBlock, ...] = ()
    absent: tuple[ast.Item, ...] = ()
    unsets: tuple[ast.Unset, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is in it, not even a misspelt name."""
        items = self.attributes or self.mounts or self.outputs or self.policies or self.options or self.steps
        return not (items or self.meant or self.absent or self.unsets)

    @property
    def items(self) -> tuple[ast.Item, ...]:
        """All items but options, those that are absent too."""
        steps = (step.node for step in self.steps)
        return (
            *self.attributes.values(),
            *self.mounts,
            *self.outputs,
            *self.policies,
            *steps,
            *self.unsets,
            *self.absent,
        )


class RoleBlock(Record):
    """A role block, its layers, and its patches, which only a role in a target block has."""

    node: ast.Role
    layers: tuple[Layer, ...]
    patches: tuple[ast.Patch, ...]


class TargetBlock(Record):
    """A target block and its layers. ``name`` is the target's own name, even if an alias was written.

    ``absent_roles``: the role blocks whose condition is false.
    """

    node: ast.Target
    name: str
    layers: tuple[Layer, ...]
    roles: Mapping[str, RoleBlock]
    patches: tuple[ast.Patch, ...]
    absent_roles: tuple[RoleBlock, ...] = ()


class JobBlock(Record):
    """A job block, sorted. ``complete``: it uses no unknown role or template, so what is missing really is missing.

    ``unknown_roles``: the blocks of roles that do not exist; ``absent_roles``: those whose condition is false.
    """

    node: ast.Job
    layers: tuple[Layer, ...]
    roles: Mapping[str, RoleBlock]
    targets: Mapping[str, TargetBlock]
    cluster: ast.Cluster | None
    build: ast.Build | None
    complete: bool
    unknown_roles: tuple[RoleBlock, ...] = ()
    absent_roles: tuple[RoleBlock, ...] = ()


class Names(Record):
    """What blocks refer to: the templates of the program. ``asked``: the targets that it is compiled for."""

    templates: Mapping[str, ast.Template]
    read: ReadTemplates
    asked: tuple[str, ...] = ()


class ReadTemplates:
    """What has been read of templates, for the next block that uses them.

    Only what is the same everywhere is kept. ``uses``: template → the known templates that it uses, those whose ``use``
    is absent, and whether it uses no unknown one; ``layers``: template and kind of block → its layer; ``compared``: how
    many names unknown ones were compared with.
    """

    def __init__(self) -> None:
        self.uses: dict[str, tuple[list[ast.Name], list[str], bool]] = {}
        self.layers: dict[tuple[str, Where], Layer] = {}
        self.compared = 0


def read_job(node: ast.Job, names: Names, report: Report, conditions: Callable[[], Conditions]) -> JobBlock:
    """Sort the items of ``node`` and report misplaced ones. ``conditions`` is called if an item has a condition."""
    reader = Reader(names, report, conditions)
    reader.around = replace(reader.around, targets=_targets_at_hand(node, names))
    _once(node.items, ast.Matrix, "matrix", report)  # its axes are read where the jobs are named
    layers = reader.layers(node.items, "job", ())
    roles, absent_roles = reader.roles(node.items, "job")
    return JobBlock(
        node,
        layers,
        roles,
        reader.targets(node.items),
        _once(node.items, ast.Cluster, "cluster", report),
        _once(node.items, ast.Build, "build", report),
        reader.complete,
        tuple(reader.unknown_roles),
        absent_roles,
    )


class Reader:
    """Reads the blocks of one job. ``complete``: see :class:`JobBlock`."""

    def __init__(self, names: Names, report: Report, conditions: Callable[[], Conditions] | None = None) -> None:
        self.names = names
        self.report = report
        self.complete = True
        self.unknown_roles: list[RoleBlock] = []
        self.around = Around(names.asked)
        self._new_conditions = conditions
        self._conditions: Conditions | None = None

    def holds(self, condition: ast.Condition | None) -> bool:
        """Whether an item is there. In a template that is read by itself, no item with a condition is."""
        if condition is None:
            return True
        if self._conditions is None:
            if self._new_conditions is None:
                return False
            self._conditions = self._new_conditions()
        return self._conditions.holds(condition, self.around.role)

    def is_same(self, condition: ast.Condition | None) -> bool:
        """Whether a condition that has been evaluated is the same in every job and role."""
        return condition is None or (self._conditions is not None and self._conditions.is_same(condition))

    # --- layers ---

    def layers(self, items: tuple[ast.Item, ...], where: Where, options: tuple[Option, ...]) -> tuple[Layer, ...]:
        """The templates that ``items`` use, in order and each once, then the items themselves."""
        if not any(isinstance(item, ast.Use) for item in items):
            return (self.layer(items, where, options),)
        from tfdsl.semantics.template_uses import TemplateUses

        uses = TemplateUses(self, where)
        templates = uses.layers(items)
        own = self.layer(items, where, options)
        absent = uses.absent_items()
        return (*templates, replace(own, absent=(*own.absent, *absent)) if absent else own)

    def layer(self, items: tuple[ast.Item, ...], where: Where, options: tuple[Option, ...]) -> Layer:
        """The items of one block or template by kind."""
        known: dict[str, ast.Assign] = {}
        chosen: dict[str, ast.Assign] = {}
        meant: list[str] = []
        absent: list[ast.Item] = []
        mounts: list[ast.Mount] = []
        outputs: list[ast.Output] = []
        policies: list[ast.Policy] = []
        steps: list[ast.Step] = []
        unsets: list[ast.Unset] = []
        option_names = {option.name for option in options}
        if options:
            option_names.add("version")
        for item in items:
            if isinstance(item, ast.Assign):
                near = self._assign(item, where, option_names, (known, chosen), absent)
                meant += [near] if near is not None else []
            elif isinstance(item, ast.Mount):
                mounts.append(item)
            elif isinstance(item, ast.Output):
                outputs.append(item)
            elif isinstance(item, ast.Policy):
                policies.append(item)
            elif isinstance(item, ast.Step):
                steps.append(item)
            elif isinstance(item, ast.UNSET):
                unsets.append(item)
            elif not isinstance(item, _ALLOWED[where]):
                from tfdsl.semantics.misplaced_items import misplaced

                self.report(misplaced(item, where))
        found = Layer(
            known,
            tuple(mounts),
            tuple(outputs),
            tuple(policies),
            chosen,
            frozenset(meant),
            absent=tuple(absent),
        )
        if steps:
            from tfdsl.semantics.step_blocks import read_steps

            found = replace(found, steps=read_steps(steps, where, self.add, self.report))
        if unsets:
            from tfdsl.semantics.unset_names import read_unsets

            present, left_out = read_unsets(unsets, where, option_names, known, self)
            found = replace(found, unsets=present, absent=(*found.absent, *left_out))
        return found

    def _assign(
        self, item: ast.Assign, where: Where, options: set[str], tables: tuple[Table, Table], absent: list[ast.Item]
    ) -> str | None:
        """Put ``item`` into the first of ``tables``, an option into the second; returns what an unknown name meant."""
        key = item.key
        if key.text in options:
            self._add_present(item, tables[1], absent)
        elif key.text not in attributes.BY_NAME:
            return attribute_names.unknown(item, where, options, self.around, self.report)
        elif where == "template" or attribute_names.is_legal(key, where, self.report):
            self._add_present(item, tables[0], absent)
        return None

    def _add_present(self, item: ast.Assign, table: dict[str, ast.Assign], absent: list[ast.Item]) -> None:
        if item.condition is None or self.holds(item.condition):
            self.add(item, table)
        else:
            absent.append(item)

    def add(self, item: ast.Assign, table: dict[str, ast.Assign]) -> None:
        """Put ``item`` into ``table``; a second one of that name is reported."""
        first = table.setdefault(item.key.text, item)
        if first is not item:
            self.report(set_twice(item, first))

    # --- roles and targets ---

    def roles(self, items: Iterable[ast.Item], where: Where) -> tuple[dict[str, RoleBlock], tuple[RoleBlock, ...]]:
        """The role blocks among ``items``, and those whose condition is false."""
        blocks: dict[str, RoleBlock] = {}
        absent: list[RoleBlock] = []
        for item in items:
            if not isinstance(item, ast.Role):
                continue
            name = item.name
            block = self._role(item, where)
            if not known_role(name.text, name.span, self.report):
                self.complete = False
                self.unknown_roles.append(block)
                continue
            for layer in block.layers:
                keys = [assign.key for assign in (*layer.attributes.values(), *layer.absent) if _is_attribute(assign)]
                attribute_names.check_role_only(name.text, keys, self.report)
            if not self.holds(item.condition):
                absent.append(block)
                continue
            first = blocks.setdefault(name.text, block)
            if first is not block:
                diagnostic = name_rules.DUPLICATE_BLOCK(name.span, name=f"role {name.text}", where=where)
                self.report(diagnostic.note(first.node.name.span, "first here").marked("again here"))
        return blocks, tuple(absent)

    def _role(self, item: ast.Role, where: Where) -> RoleBlock:
        items = item.items if where != "target" else tuple(each for each in item.items if not _is_pod_patch(each))
        patches = _patches(item.items) if where == "target" else ()
        outer, self.around = self.around, replace(self.around, role=item.name.text)
        layers = self.layers(items, "role", ())
        self.around = outer
        return RoleBlock(item, layers, patches)

    def targets(self, items: Iterable[ast.Item]) -> dict[str, TargetBlock]:
        """The target blocks among ``items``, by the targets' own names."""
        blocks: dict[str, TargetBlock] = {}
        for item in items:
            if not isinstance(item, ast.Target):
                continue
            target = target_called(item.name.text, item.name.span)
            if isinstance(target, Diagnostic):
                self.report(target)
                continue
            outer, self.around = self.around, replace(self.around, block=target.name, targets=_with_pods([target]))
            layers = self.layers(item.items, "target", target.options)
            roles, absent_roles = self.roles(item.items, "target")
            block = TargetBlock(item, target.name, layers, roles, _patches(item.items), absent_roles)
            self.around = outer
            first = blocks.setdefault(target.name, block)
            if first is not block:
                diagnostic = name_rules.DUPLICATE_BLOCK(item.name.span, name=f"target {target.name}", where="job")
                self.report(diagnostic.note(first.node.name.span, "first here").marked("again here"))
        return blocks


def set_twice(item: ast.Assign, first: ast.Assign) -> Diagnostic:
    """That ``item`` sets what ``first`` has set in the same block."""
    diagnostic = name_rules.DUPLICATE_KEY(item.key.span, name=item.key.text)
    return diagnostic.note(first.key.span, "first set here").marked("set again here")


def _patches(items: Iterable[ast.Item]) -> tuple[ast.Patch, ...]:
    return tuple(item for item in items if isinstance(item, ast.Patch))


def _is_attribute(item: ast.Item) -> TypeGuard[ast.Assign]:
    return isinstance(item, ast.Assign)


def _is_pod_patch(item: ast.Item) -> bool:
    return isinstance(item, ast.Patch) and item.pod is not None


def _targets_at_hand(node: ast.Job, names: Names) -> tuple[str, ...]:
    """The targets with pods that the job is compiled for, else those it has blocks for."""
    if names.asked:
        return names.asked
    written = [targets.find(item.name.text) for item in node.items if isinstance(item, ast.Target)]
    return _with_pods(target for target in written if target is not None)


def _with_pods(known: Iterable[Backend]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(target.name for target in known if target.pods))


def _once(items: Iterable[ast.Item], kind: type[Block], word: str, report: Report) -> Block | None:
    same_kind = [item for item in items if isinstance(item, kind)]
    for item in same_kind[1:]:
        diagnostic = name_rules.DUPLICATE_BLOCK(item.word, name=word, where="job")
        report(diagnostic.note(same_kind[0].word, "first here").marked("again here"))
    return same_kind[0] if same_kind else None
