"""The items of a block, sorted by kind: misplaced and duplicate items are reported.

Nothing is evaluated here but the conditions of attributes, roles and ``use``, on which it depends what is a duplicate.
All other items keep their conditions. A block with ``use`` becomes several :class:`Layer` values, its templates first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, Report, name_rules, repeated, value_rules
from tfdsl.diagnostics.suggest import closest, enumeration, meant, offering, proposing, words_of
from tfdsl.record import Record, replace
from tfdsl.rules.job import step_name
from tfdsl.rules.values import as_label
from tfdsl.semantics import attribute_names
from tfdsl.semantics.attribute_names import Around
from tfdsl.semantics.conditions import Conditions
from tfdsl.semantics.known_names import known_role, target_called
from tfdsl.semantics.scope import in_order
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.statements import STEP_ATTRIBUTES
from tfdsl.vocabulary.types import Option

if TYPE_CHECKING:
    from tfdsl.backend import Backend


Block = TypeVar("Block", ast.Cluster, ast.Build, ast.Matrix)
Table: TypeAlias = dict[str, ast.Assign]
Where: TypeAlias = Literal["job", "role", "target", "template"]

_ANYWHERE = (ast.Assign, ast.Use, ast.Mount, ast.Output, ast.Policy, ast.Step, *ast.UNSET)
_ALLOWED: dict[Where, tuple[type, ...]] = {
    "job": (*_ANYWHERE, ast.Role, ast.Cluster, ast.Build, ast.Target, ast.Matrix),
    "role": _ANYWHERE,
    "target": (*_ANYWHERE, ast.Role, ast.Patch),
    "template": _ANYWHERE,
}
"""What a block can contain."""


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


class Templates:
    """The templates of the program, and what has been read of them, for the next block that uses them.

    ``asked``: the targets that it is compiled for. Only what is the same everywhere is kept. ``uses``: template → the
    known templates that it uses, those whose ``use`` is absent, and whether it uses no unknown one; ``layers``:
    template and kind of block → its layer; ``compared``: how many names unknown ones were compared with.
    """

    def __init__(self, templates: Mapping[str, ast.Template], asked: tuple[str, ...] = ()) -> None:
        self.by_name = templates
        self.asked = asked
        self.uses: dict[str, tuple[list[ast.Name], list[str], bool]] = {}
        self.layers: dict[tuple[str, Where], Layer] = {}
        self.compared = 0


def read_job(node: ast.Job, templates: Templates, report: Report, conditions: Conditions) -> JobBlock:
    """Sort the items of ``node`` and report misplaced ones. ``conditions``: those of the job."""
    reader = Reader(templates, report, conditions)
    reader.around = replace(reader.around, targets=_targets_at_hand(node, templates))
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

    def __init__(self, templates: Templates, report: Report, conditions: Conditions | None = None) -> None:
        self.templates = templates
        self.report = report
        self.complete = True
        self.unknown_roles: list[RoleBlock] = []
        self.around = Around(templates.asked)
        self._conditions = conditions

    def holds(self, condition: ast.Condition | None) -> bool:
        """Whether an item is there. In a template that is read by itself, no item with a condition is."""
        if condition is None:
            return True
        return self._conditions is not None and self._conditions.holds(condition, self.around.role)

    def is_same(self, condition: ast.Condition | None) -> bool:
        """Whether a condition that has been evaluated is the same in every job and role."""
        return condition is None or (self._conditions is not None and self._conditions.is_same(condition))

    # --- layers ---

    def layers(self, items: tuple[ast.Item, ...], where: Where, options: tuple[Option, ...]) -> tuple[Layer, ...]:
        """The templates that ``items`` use, in order and each once, then the items themselves."""
        if not any(isinstance(item, ast.Use) for item in items):
            return (self.layer(items, where, options),)

        uses = TemplateUses(self, where)
        templates = uses.layers(items)
        own = self.layer(items, where, options)
        absent = uses.absent_items()
        return (*templates, replace(own, absent=(*own.absent, *absent)) if absent else own)

    def layer(self, items: tuple[ast.Item, ...], where: Where, options: tuple[Option, ...]) -> Layer:
        """The items of one block or template by kind."""
        known: dict[str, ast.Assign] = {}
        chosen: dict[str, ast.Assign] = {}
        near: list[str | None] = []
        absent: list[ast.Item] = []
        names = {option.name for option in options} | ({"version"} if options else set[str]())
        for item in items:
            if isinstance(item, ast.Assign):
                near.append(self._assign(item, where, names, (known, chosen), absent))
            elif not isinstance(item, _ALLOWED[where]):
                self.report(misplaced(item, where))
        steps = [item for item in items if isinstance(item, ast.Step)]
        unsets, left_out = read_unsets(
            [item for item in items if isinstance(item, ast.UNSET)], where, names, known, self
        )
        return Layer(
            known,
            tuple(item for item in items if isinstance(item, ast.Mount)),
            tuple(item for item in items if isinstance(item, ast.Output)),
            tuple(item for item in items if isinstance(item, ast.Policy)),
            chosen,
            frozenset(name for name in near if name is not None),
            read_steps(steps, where, self.add, self.report),
            (*absent, *left_out),
            unsets,
        )

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
                keys = [
                    assign.key
                    for assign in (*layer.attributes.values(), *layer.absent)
                    if isinstance(assign, ast.Assign)
                ]
                attribute_names.check_role_only(name.text, keys, self.report)
            if not self.holds(item.condition):
                absent.append(block)
                continue
            first = blocks.setdefault(name.text, block)
            if first is not block:
                self.report(_block_twice(name.span, first.node.name.span, f"role {name.text}", where))
        return blocks, tuple(absent)

    def _role(self, item: ast.Role, where: Where) -> RoleBlock:
        items, patches = item.items, _patches(item.items) if where == "target" else ()
        if patches:  # those of documents are misplaced
            items = tuple(each for each in items if not (isinstance(each, ast.Patch) and each.pod is not None))
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
                self.report(_block_twice(item.name.span, first.node.name.span, f"target {target.name}", "job"))
        return blocks


def set_twice(item: ast.Assign, first: ast.Assign) -> Diagnostic:
    """That ``item`` sets what ``first`` has set in the same block."""
    return repeated(name_rules.DUPLICATE_KEY(item.key.span, name=item.key.text), first.key.span, "set")


def _patches(items: Iterable[ast.Item]) -> tuple[ast.Patch, ...]:
    return tuple(item for item in items if isinstance(item, ast.Patch))


def _targets_at_hand(node: ast.Job, templates: Templates) -> tuple[str, ...]:
    """The targets with pods that the job is compiled for, else those it has blocks for."""
    if templates.asked:
        return templates.asked
    written = [targets.find(item.name.text) for item in node.items if isinstance(item, ast.Target)]
    return _with_pods(target for target in written if target is not None)


def _with_pods(known: Iterable[Backend]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(target.name for target in known if target.pods))


def _once(items: Iterable[ast.Item], kind: type[Block], word: str, report: Report) -> Block | None:
    same_kind = [item for item in items if isinstance(item, kind)]
    for item in same_kind[1:]:
        report(_block_twice(item.word, same_kind[0].word, word, "job"))
    return same_kind[0] if same_kind else None


# --- prepare and sidecar blocks: only some attributes can be in them ---------------------------------------------


Add: TypeAlias = Callable[[ast.Assign, dict[str, ast.Assign]], None]

_ALIASES = words_of(attributes.ATTRIBUTES)

_ITEMS: dict[type, tuple[str, str]] = {
    ast.Mount: ("a mount", "a step has the mounts of its role: put it beside the step"),
    ast.Output: ("an output", "put it beside the step: an output copies when the command has ended"),
    ast.Policy: ("a policy", "put it beside the step: a policy covers the whole replica"),
    ast.Use: ("use", "a template can contain the whole step: put use beside it"),
    ast.Step: ("a step", "put it beside the step"),
    ast.Role: ("a role", "put it in the job block"),
    ast.Cluster: ("cluster", "put it in the job block"),
    ast.Build: ("build", "put it in the job block"),
    ast.Matrix: ("a matrix", "put it in the job block"),
    ast.Target: ("a target", "put it in the job block"),
    ast.Patch: ("a patch", 'put it in a target block, e.g. patch pod "spec.initContainers[name=NAME].tty" = true'),
}
_UNSET = ("unset", "put it beside the step; an attribute of a step is replaced, not taken away")
_REASONS = {
    "port": "the TensorFlow server runs in the command's container; a sidecar has ports",
    "ports": "only a sidecar has ports",
    "cpu_limit": "the limit of a step is its cpu",
    "memory_limit": "the limit of a step is its memory",
}


class StepBlock(Record):
    """A prepare or sidecar block. ``meant``: the attributes that misspelt names were probably meant to be.

    ``conditional``: attributes with a condition, which may differ between the roles that have the step.
    """

    node: ast.Step
    attributes: Mapping[str, ast.Assign]
    meant: frozenset[str] = frozenset()
    conditional: tuple[ast.Assign, ...] = ()


def read_steps(nodes: Iterable[ast.Step], where: str, add: Add, report: Report) -> tuple[StepBlock, ...]:
    """The steps of one block or template; ``where``: what it is. ``add`` puts an item into a table.

    Each is there once, unless it has a condition: then it depends on the role whether it is one too many.
    """
    blocks: list[StepBlock] = []
    known: dict[str, StepBlock] = {}
    for node in nodes:
        block = _read(node, add, report)
        first = block if node.condition is not None else known.setdefault(node.name.text, block)
        if first is block:
            blocks.append(block)
        else:
            report(twice(block, first, where))
    return tuple(blocks)


def twice(block: StepBlock, first: StepBlock, where: str) -> Diagnostic:
    """That ``block`` has the name of another step in the same ``where``."""
    name = block.node.name
    kind = block.node.kind if block.node.kind == first.node.kind else "a step"
    return _block_twice(name.span, first.node.name.span, f"{kind} {name.text}", where)


def _block_twice(span: Span, first: Span, name: str, where: str) -> Diagnostic:
    return repeated(name_rules.DUPLICATE_BLOCK(span, name=name, where=where), first)


def _read(node: ast.Step, add: Add, report: Report) -> StepBlock:
    _check_name(node, report)
    known: dict[str, ast.Assign] = {}
    conditional: list[ast.Assign] = []
    meant: set[str] = set() if node.name.text else {"command"}  # a name that could not be read has been reported
    for item in node.items:
        if not isinstance(item, ast.Assign):
            what, advice = _ITEMS.get(type(item), _UNSET)
            report(name_rules.MISPLACED_ITEM(place_of(item), item=what, where=f"{node.kind} block").help(advice))
        elif item.key.text not in attributes.BY_NAME:
            meant.add(_unknown_in_step(item, node.kind, report))
        elif item.key.text not in STEP_ATTRIBUTES[node.kind]:
            name = item.key.text
            diagnostic = name_rules.MISPLACED_ATTRIBUTE(item.key.span, name=name, where=f"{node.kind} block")
            report(diagnostic.help(_REASONS.get(name, f"put {name} beside the step: it is for the whole replica")))
        elif item.condition is not None:
            conditional.append(item)
        else:
            add(item, known)
    return StepBlock(node, known, frozenset(meant), tuple(conditional))


def _check_name(node: ast.Step, report: Report) -> None:
    broken = step_name(node.name.text, node.kind) if node.name.text else None
    if broken is None:
        return
    diagnostic = broken.at(node.name.span)
    near = as_label(node.name.text)
    if near and step_name(near, node.kind) is None:
        diagnostic = diagnostic.replacing(f'write "{near}"', f'"{near}"')
    report(diagnostic)


def _unknown_in_step(item: ast.Assign, kind: str, report: Report) -> str:
    """Report that the attribute of ``item`` does not exist; returns the name that was probably meant, or nothing."""
    key = item.key
    here = [name for name in STEP_ATTRIBUTES[kind] if name in attributes.BY_NAME]
    diagnostic = name_rules.UNKNOWN_ATTRIBUTE(key.span, where=f"{kind} block", what="attribute", name=key.text)
    near = closest(key.text, here, _ALIASES)
    report(offering(diagnostic, near, here, _ALIASES) if near else diagnostic.help(f"it has {enumeration(here)}"))
    return near or ""


# --- items that belong elsewhere ---------------------------------------------------------------------------------


_WORDS: dict[type, str] = {
    ast.Role: "a role",
    ast.Cluster: "cluster",
    ast.Build: "build",
    ast.Target: "a target",
    ast.Patch: "a patch",
    ast.Matrix: "a matrix",
}


def misplaced(item: ast.Item, where: str) -> Diagnostic:
    """That ``item`` cannot be in a ``where``, and where it belongs."""
    diagnostic = name_rules.MISPLACED_ITEM(place_of(item), item=_WORDS[type(item)], where=where)
    return diagnostic.help(_patch_help(item, where) if isinstance(item, ast.Patch) else "put it in the job block")


def place_of(item: ast.Item) -> Span:
    """Where an item is reported that cannot be in its block: its name or keyword."""
    if isinstance(item, ast.Cluster | ast.Build | ast.Matrix):
        return item.word
    if isinstance(item, ast.Role | ast.Target | ast.Step | ast.Use):
        return item.name.span
    return item.path.span if isinstance(item, ast.Patch) else item.span


def _patch_help(item: ast.Patch, where: str) -> str:
    if where != "role":
        return "put it in a target block"
    if item.pod is not None:
        line = f"role worker {{ {item.span.text} }}"
        return f"put it in a target block: target {targets.with_pods()[0]} {{ {line} }}"
    return "put it in a target block; a role in a target block can have patch pod and unpatch pod"


# --- the attributes that ``unset`` names in one block ------------------------------------------------------------


def read_unsets(
    nodes: Iterable[ast.Unset],
    where: Where,
    options: Collection[str],
    known: Mapping[str, ast.Assign],
    reader: Reader,
) -> tuple[tuple[ast.Unset, ...], tuple[ast.Unset, ...]]:
    """The valid ones of ``nodes``, and the attributes whose condition is false.

    ``options``: those of the target whose block it is; ``known``: the attributes that the block sets.
    """
    present: list[ast.Unset] = []
    absent: list[ast.Unset] = []
    first: dict[str, ast.UnsetAttribute] = {}
    for node in nodes:
        if not isinstance(node, ast.UnsetAttribute):
            present.append(node)
        elif not _is_known(node, where, options, reader):
            continue
        elif not reader.holds(node.condition):
            absent.append(node)
        else:
            name = node.name.text
            if node.key is None and first.setdefault(name, node) is not node:
                reader.report(in_one_block(node.name.span, name, first[name].name.span, twice=True))
            elif node.key is None and name in known:
                reader.report(in_one_block(node.name.span, name, known[name].key.span))
            else:
                present.append(node)
    return tuple(present), tuple(absent)


def in_one_block(span: Span, what: str, other: Span, *, twice: bool = False) -> Diagnostic:
    """That ``what`` is unset at ``span``, and set, or unset as well, at ``other`` in the same block."""
    how = "unset twice" if twice else "set and unset"
    diagnostic = name_rules.UNSET_IN_BLOCK(span, what=what, how=how)
    return diagnostic.note(other, "first unset here" if twice else "set here").marked("unset here")


def _is_known(node: ast.UnsetAttribute, where: Where, options: Collection[str], reader: Reader) -> bool:
    """Whether the attribute exists, can be in such a block, and has entries if one is named; reported if not."""
    name = node.name
    row = attributes.BY_NAME.get(name.text)
    if row is None:
        reader.report(_unknown_to_unset(name, where, options))
        return False
    if where in ("job", "role") and not attribute_names.is_legal(name, where, reader.report):
        return False
    if node.key is not None and not row.has_entries:
        reader.report(name_rules.UNSET_ENTRY(node.name.span, name=name.text).help(f"write unset {name.text}"))
        return False
    return True


def _unknown_to_unset(name: ast.Name, where: Where, options: Collection[str]) -> Diagnostic:
    diagnostic = name_rules.UNKNOWN_ATTRIBUTE(name.span, where=where, what="attribute", name=name.text)
    if name.text in options:
        return diagnostic.help(f"{name.text} is an option of the target: only this block sets it, so remove that line")
    return meant(diagnostic, name.text, attributes.BY_NAME, _ALIASES)


# --- templates: what one uses and contains is read once for all blocks, unless it depends on a condition ---------


MOST_TEMPLATES = 100
"""The most templates that one block can use, including those of its templates."""

MOST_COMPARED = 100_000
"""The most template names that are compared with unknown ones; after that, no suggestions are made."""


def check_templates(templates: Templates, report: Report) -> None:
    """Check templates on their own: their content, and whether they use themselves."""
    uses: dict[str, list[ast.Ref]] = {}
    for name, template in templates.by_name.items():
        reader = Reader(templates, report)
        used = TemplateUses(reader, "template").every_name(template.items)
        uses[name] = [ast.Ref(use.text, use.span) for use in used]
        reader.layer(template.items, "template", ())
    in_order(uses, name_rules.TEMPLATE_CYCLE, report)


class TemplateUses:
    """The templates that one block uses. ``reader`` reads them; ``where``: what kind of block it is."""

    def __init__(self, reader: Reader, where: Where) -> None:
        self.reader = reader
        self.templates = reader.templates
        self.where: Where = where
        self._layers: list[Layer] = []
        self._reached: dict[str, None] = {}
        self._absent: list[str] = []

    def layers(self, items: Iterable[ast.Item]) -> list[Layer]:
        """The layers of the templates that ``items`` use, in order and each once."""
        self._use(self._used(items))
        return self._layers

    def absent_items(self) -> list[ast.Item]:
        """The items of the templates whose ``use`` is absent, and which nothing else uses."""
        items: list[ast.Item] = []
        seen = dict(self._reached)
        while self._absent and len(seen) < 2 * MOST_TEMPLATES:
            name = self._absent.pop()
            if name not in seen:
                seen[name] = None
                items += self._layer(name).items
                self._absent += [use.text for use in self._used_by(name)]  # which adds those of absent uses itself
        return items

    def every_name(self, items: Iterable[ast.Item]) -> list[ast.Name]:
        """The known templates that ``items`` name, each once, whether the conditions hold or not."""
        used = self._used(items)
        here = {name.text for name in used}
        named = (item.name for item in items if isinstance(item, ast.Use) and item.condition is not None)
        others = {name.text: name for name in named if name.text in self.templates.by_name and name.text not in here}
        return sorted((*used, *others.values()), key=lambda name: name.span.start)

    # --- what is used ------------------------------------------------------------------------------------------

    def _use(self, used: Iterable[ast.Name]) -> bool:
        """Append the layers of the templates ``used``; false when there are too many."""
        for name in used:
            if name.text in self._reached:
                continue
            if len(self._reached) == MOST_TEMPLATES:
                reason = f"a block can use at most {MOST_TEMPLATES} templates"
                self.reader.report(value_rules.TOO_LARGE(name.span, reason=reason))
                return False
            self._reached[name.text] = None
            if not self._use(self._used_by(name.text)):
                return False
            layer = self._layer(name.text)
            if not layer.is_empty:
                self._layers.append(layer)
        return True

    def _used_by(self, template: str) -> list[ast.Name]:
        read, reader = self.templates, self.reader
        known = read.uses.get(template)
        if known is not None:
            used, absent, complete = known
            self._absent += absent
            reader.complete = reader.complete and complete
            return used
        before, reader.complete = reader.complete, True
        noted = len(self._absent)
        items = self.templates.by_name[template].items
        used = self._used(items)
        if all(reader.is_same(item.condition) for item in items if isinstance(item, ast.Use)):
            read.uses[template] = used, self._absent[noted:], reader.complete
        reader.complete = before and reader.complete
        return used

    def _used(self, items: Iterable[ast.Item]) -> list[ast.Name]:
        """The known templates that ``items`` use, each once; those whose ``use`` is absent are noted."""
        here: dict[str, ast.Name] = {}
        for item in items:
            if not isinstance(item, ast.Use):
                continue
            name = item.name
            holds = self.reader.holds(item.condition)
            first = here.setdefault(name.text, name) if holds else name
            if first is not name:
                self.reader.report(repeated(name_rules.DUPLICATE_USE(name.span, name=name.text), first.span, "used"))
            elif name.text not in self.templates.by_name:
                self._unknown(name)
            elif not holds:
                self._absent.append(name.text)
        return [name for name in here.values() if name.text in self.templates.by_name]

    def _unknown(self, name: ast.Name) -> None:
        self.reader.complete = False
        diagnostic = name_rules.UNKNOWN_TEMPLATE(name.span, name=name.text)
        read = self.templates
        read.compared += len(self.templates.by_name)
        near = closest(name.text, self.templates.by_name if read.compared <= MOST_COMPARED else ())
        self.reader.report(proposing(diagnostic, near) if near else diagnostic)

    # --- what is in them ---------------------------------------------------------------------------------------

    def _layer(self, template: str) -> Layer:
        layers = self.templates.layers
        layer = layers.get((template, self.where))
        if layer is None:
            body = tuple(item for item in self.templates.by_name[template].items if isinstance(item, _ANYWHERE))
            layer = self.reader.layer(body, self.where, ())
            decided = (item for item in body if isinstance(item, ast.Assign | ast.UnsetAttribute))
            if all(self.reader.is_same(item.condition) for item in decided):
                layers[template, self.where] = layer
        return layer
