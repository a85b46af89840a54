"""The items of a block, sorted by kind: misplaced and duplicate items are reported.

Nothing is evaluated here. A block with ``use`` becomes several :class:`Layer` values, its templates first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, name_rules, value_rules
from tfdsl.diagnostics.suggest import closest, proposing
from tfdsl.record import Record, replace
from tfdsl.semantics import attribute_names
from tfdsl.semantics.attribute_names import Around
from tfdsl.semantics.dependencies import in_order
from tfdsl.semantics.role_names import known_role
from tfdsl.semantics.target_names import target_called
from tfdsl.syntax import ast
from tfdsl.vocabulary import attributes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tfdsl.backend import Backend
    from tfdsl.semantics.step_blocks import StepBlock
    from tfdsl.vocabulary.options import Option

    Report = Callable[[Diagnostic], None]

Block = TypeVar("Block", ast.Cluster, ast.Build, ast.Matrix)
Where: TypeAlias = Literal["job", "role", "target", "template"]

_UNSET = (ast.UnsetAttribute, ast.UnsetMount, ast.UnsetOutput, ast.UnsetPolicy, ast.UnsetStep)

_ALLOWED: dict[Where, tuple[type, ...]] = {
    "job": (ast.Use, ast.Role, ast.Cluster, ast.Build, ast.Target, ast.Matrix, ast.Step, *_UNSET),
    "role": (ast.Use, ast.Step, *_UNSET),
    "target": (ast.Use, ast.Role, ast.Patch, ast.Step, *_UNSET),
    "template": (ast.Use, ast.Step, *_UNSET),
}
"""What a block can contain besides attributes, mounts, outputs and policies."""

_IN_TEMPLATE = (ast.Assign, ast.Use, ast.Mount, ast.Output, ast.Policy, ast.Step)

MOST_TEMPLATES = 100
"""The most templates that one block can use, including those of its templates."""

MOST_COMPARED = 100_000
"""The most template names that are compared with unknown ones; after that, no suggestions are made."""


class Layer(Record):
    """One block, or the part of it that came from one template; all its names are known and valid.

    ``steps``: by their names. ``meant``: the attributes that misspelt names were probably meant to be.
    """

    attributes: Mapping[str, ast.Assign]
    mounts: tuple[ast.Mount, ...]
    outputs: tuple[ast.Output, ...]
    policies: tuple[ast.Policy, ...]
    options: Mapping[str, ast.Assign]
    meant: frozenset[str] = frozenset()
    steps: Mapping[str, StepBlock] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing is in it, not even a misspelt name."""
        return not (
            self.attributes or self.mounts or self.outputs or self.policies or self.options or self.meant or self.steps
        )


class RoleBlock(Record):
    """A role block, its layers, and its patches, which only a role in a target block has."""

    node: ast.Role
    layers: tuple[Layer, ...]
    patches: tuple[ast.Patch, ...]


class TargetBlock(Record):
    """A target block and its layers. ``name`` is the target's own name, even if an alias was written."""

    node: ast.Target
    name: str
    layers: tuple[Layer, ...]
    roles: Mapping[str, RoleBlock]
    patches: tuple[ast.Patch, ...]


class JobBlock(Record):
    """A job block, sorted. ``complete``: it uses no unknown role or template, so what is missing really is missing.

    ``unknown_roles``: the blocks of roles that do not exist.
    """

    node: ast.Job
    layers: tuple[Layer, ...]
    roles: Mapping[str, RoleBlock]
    targets: Mapping[str, TargetBlock]
    cluster: ast.Cluster | None
    build: ast.Build | None
    complete: bool
    unknown_roles: tuple[RoleBlock, ...] = ()


class Names(Record):
    """What blocks refer to: the templates of the program. ``asked``: the targets that it is compiled for."""

    templates: Mapping[str, ast.Template]
    read: ReadTemplates
    asked: tuple[str, ...] = ()


class ReadTemplates:
    """What has been read of templates, for the next block that uses them.

    ``uses``: template → the known templates that it uses; ``incomplete``: those that use an unknown one; ``layers``:
    template and kind of block → its layers; ``compared``: how many names unknown ones were compared with.
    """

    def __init__(self) -> None:
        self.uses: dict[str, list[ast.Name]] = {}
        self.incomplete: set[str] = set()
        self.layers: dict[tuple[str, Where], Layer] = {}
        self.compared = 0


def check_templates(names: Names, report: Report) -> None:
    """Check templates on their own: their content, and whether they use themselves."""
    uses: dict[str, list[ast.Ref]] = {}
    for name, template in names.templates.items():
        reader = _Reader(names, report)
        uses[name] = [ast.Ref(one.text, one.span) for one in reader.used_names(template.items)]
        reader.layer(template.items, "template", ())
    in_order(uses, name_rules.TEMPLATE_CYCLE, report)


def read_job(node: ast.Job, names: Names, report: Report) -> JobBlock:
    """Sort the items of ``node`` and report misplaced ones."""
    reader = _Reader(names, report)
    reader.around = replace(reader.around, targets=_targets_at_hand(node, names))
    _once(node.items, ast.Matrix, "matrix", report)  # its axes are read where the jobs are named
    return JobBlock(
        node,
        reader.layers(node.items, "job", ()),
        reader.roles(node.items, "job"),
        reader.targets(node.items),
        _once(node.items, ast.Cluster, "cluster", report),
        _once(node.items, ast.Build, "build", report),
        reader.complete,
        tuple(reader.unknown_roles),
    )


class _Reader:
    """Reads the blocks of one job. ``complete``: see :class:`JobBlock`."""

    def __init__(self, names: Names, report: Report) -> None:
        self.names = names
        self.report = report
        self.complete = True
        self.unknown_roles: list[RoleBlock] = []
        self.around = Around(names.asked)

    # --- layers ---

    def layers(self, items: tuple[ast.Item, ...], where: Where, options: tuple[Option, ...]) -> tuple[Layer, ...]:
        """The templates that ``items`` use, in order and each once, then the items themselves."""
        layers: list[Layer] = []
        self._use(self.used_names(items), where, layers, {})
        layers.append(self.layer(items, where, options))
        return tuple(layers)

    def _use(self, used: Iterable[ast.Name], where: Where, layers: list[Layer], seen: dict[str, None]) -> bool:
        """Append the layers of the templates ``used``; false when there are too many."""
        for name in used:
            if name.text in seen:
                continue
            if len(seen) == MOST_TEMPLATES:
                reason = f"a block can use at most {MOST_TEMPLATES} templates"
                self.report(value_rules.TOO_LARGE(name.span, reason=reason))
                return False
            seen[name.text] = None
            if not self._use(self._used_by(name.text), where, layers, seen):
                return False
            layer = self._template_layer(name.text, where)
            if not layer.is_empty:
                layers.append(layer)
        return True

    def _used_by(self, template: str) -> list[ast.Name]:
        read = self.names.read
        if template not in read.uses:
            before, self.complete = self.complete, True
            read.uses[template] = self.used_names(self.names.templates[template].items)
            if not self.complete:
                read.incomplete.add(template)
            self.complete = before
        self.complete = self.complete and template not in read.incomplete
        return read.uses[template]

    def _template_layer(self, template: str, where: Where) -> Layer:
        layers = self.names.read.layers
        layer = layers.get((template, where))
        if layer is None:
            body = tuple(item for item in self.names.templates[template].items if isinstance(item, _IN_TEMPLATE))
            layer = layers[template, where] = self.layer(body, where, ())
        return layer

    def used_names(self, items: Iterable[ast.Item]) -> list[ast.Name]:
        """The known templates that ``items`` name, each once."""
        here: dict[str, ast.Name] = {}
        for item in items:
            if not isinstance(item, ast.Use):
                continue
            name = item.name
            first = here.setdefault(name.text, name)
            if first is not name:
                diagnostic = name_rules.DUPLICATE_USE(name.span, name=name.text)
                self.report(diagnostic.note(first.span, "first used here").marked("used again here"))
            elif name.text not in self.names.templates:
                self.complete = False
                diagnostic = name_rules.UNKNOWN_TEMPLATE(name.span, name=name.text)
                self.names.read.compared += len(self.names.templates)
                known = self.names.templates if self.names.read.compared <= MOST_COMPARED else ()
                near = closest(name.text, known)
                self.report(proposing(diagnostic, near) if near else diagnostic)
        return [name for name in here.values() if name.text in self.names.templates]

    def layer(self, items: tuple[ast.Item, ...], where: Where, options: tuple[Option, ...]) -> Layer:
        """The items of one block or template by kind."""
        known: dict[str, ast.Assign] = {}
        chosen: dict[str, ast.Assign] = {}
        meant: list[str] = []
        mounts: list[ast.Mount] = []
        outputs: list[ast.Output] = []
        policies: list[ast.Policy] = []
        steps: list[ast.Step] = []
        option_names = {option.name for option in options}
        if options:
            option_names.add("version")
        for item in items:
            if isinstance(item, ast.Assign):
                key = item.key
                if key.text in option_names:
                    self.add(item, chosen)
                elif key.text not in attributes.BY_NAME:
                    near = attribute_names.unknown(item, where, option_names, self.around, self.report)
                    meant += [near] if near is not None else []
                elif where == "template" or attribute_names.is_legal(key, where, self.report):
                    self.add(item, known)
            elif isinstance(item, ast.Mount):
                mounts.append(item)
            elif isinstance(item, ast.Output):
                outputs.append(item)
            elif isinstance(item, ast.Policy):
                policies.append(item)
            elif isinstance(item, ast.Step):
                steps.append(item)
            elif not isinstance(item, _ALLOWED[where]):
                _misplaced(item, where, self.report)
        found = Layer(known, tuple(mounts), tuple(outputs), tuple(policies), chosen, frozenset(meant))
        if not steps:
            return found
        from tfdsl.semantics.step_blocks import read_steps

        return replace(found, steps=read_steps(steps, where, self.add, self.report))

    def add(self, item: ast.Assign, table: dict[str, ast.Assign]) -> None:
        """Put ``item`` into ``table``; a second one of that name is reported."""
        first = table.setdefault(item.key.text, item)
        if first is not item:
            diagnostic = name_rules.DUPLICATE_KEY(item.key.span, name=item.key.text)
            self.report(diagnostic.note(first.key.span, "first set here").marked("set again here"))

    # --- roles and targets ---

    def roles(self, items: Iterable[ast.Item], where: Where) -> dict[str, RoleBlock]:
        """The role blocks among ``items``."""
        blocks: dict[str, RoleBlock] = {}
        for item in items:
            if not isinstance(item, ast.Role):
                continue
            name = item.name
            items = item.items if where != "target" else tuple(each for each in item.items if not _is_pod_patch(each))
            patches = _patches(item.items) if where == "target" else ()
            outer, self.around = self.around, replace(self.around, role=name.text)
            layers = self.layers(items, "role", ())
            self.around = outer
            if not known_role(name.text, name.span, self.report):
                self.complete = False
                self.unknown_roles.append(RoleBlock(item, layers, patches))
                continue
            for layer in layers:
                keys = [assign.key for assign in layer.attributes.values()]
                attribute_names.check_role_only(name.text, keys, self.report)
            first = blocks.setdefault(name.text, RoleBlock(item, layers, patches))
            if first.node is not item:
                diagnostic = name_rules.DUPLICATE_BLOCK(name.span, name=f"role {name.text}", where=where)
                self.report(diagnostic.note(first.node.name.span, "first here").marked("again here"))
        return blocks

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
            block = TargetBlock(
                item,
                target.name,
                self.layers(item.items, "target", target.options),
                self.roles(item.items, "target"),
                _patches(item.items),
            )
            self.around = outer
            first = blocks.setdefault(target.name, block)
            if first is not block:
                diagnostic = name_rules.DUPLICATE_BLOCK(item.name.span, name=f"target {target.name}", where="job")
                self.report(diagnostic.note(first.node.name.span, "first here").marked("again here"))
        return blocks


_WORDS: dict[type, str] = {
    ast.Role: "a role",
    ast.Cluster: "cluster",
    ast.Build: "build",
    ast.Target: "a target",
    ast.Patch: "a patch",
    ast.Matrix: "a matrix",
}


def _misplaced(item: ast.Item, where: str, report: Report) -> None:
    span = item.span
    if isinstance(item, ast.Cluster | ast.Build | ast.Matrix):
        span = item.word
    elif isinstance(item, ast.Role | ast.Target):
        span = item.name.span
    elif isinstance(item, ast.Patch):
        span = item.path.span
    diagnostic = name_rules.MISPLACED_ITEM(span, item=_WORDS[type(item)], where=where)
    report(diagnostic.help(_patch_help(item, where) if isinstance(item, ast.Patch) else "put it in the job block"))


def _patch_help(item: ast.Patch, where: str) -> str:
    if where != "role":
        return "put it in a target block"
    if item.pod is not None:
        line = f"role worker {{ {item.span.text} }}"
        return f"put it in a target block: target {targets.with_pods()[0]} {{ {line} }}"
    return "put it in a target block; a role in a target block can have patch pod and unpatch pod"


def _patches(items: Iterable[ast.Item]) -> tuple[ast.Patch, ...]:
    return tuple(item for item in items if isinstance(item, ast.Patch))


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
