"""What no role uses: items whose condition is false, roles without replicas, blocks of roles that do not exist.

Of absent items the names and types are checked, the rules of the job are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tfdsl.semantics import layers, statements
from tfdsl.semantics.blocks import Layer, RoleBlock
from tfdsl.semantics.project import Program
from tfdsl.semantics.resolve import Resolver
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.types import STRING, Type


def check(resolver: Resolver, present: tuple[str, ...]) -> None:
    """Check what the roles ``present`` do not use, and the items of blocks of unknown roles as if these existed."""
    _check_unused(resolver, present)
    _check_absent(resolver)
    for block in resolver.block.unknown_roles:
        for layer in block.layers:
            _read(resolver, layer, block.node.name.text)


def _read(resolver: Resolver, layer: Layer, role: str) -> None:
    scope = resolver.scope_of(role)
    for assign in layer.attributes.values():
        resolver.typed(assign, role)
    for step in layer.steps:
        for assign in (*step.attributes.values(), *step.conditional):
            if resolver.stands(assign, role):
                resolver.typed(assign, role)
    for mount in layer.mounts:
        if resolver.stands(mount, role):
            resolver.mount(mount, role)
    for output in layer.outputs:
        if resolver.stands(output, role):
            statements.output(output, scope, None)
    for policy in layer.policies:
        if resolver.stands(policy, role):
            statements.policy(policy, scope, role)


def _check_unused(resolver: Resolver, present: tuple[str, ...]) -> None:
    """Evaluate what no present role uses, to report what is wrong with it."""
    names = [*present, *(name for name in resolver.role_names() if name not in present)] or ["worker"]
    for layer in resolver.job_layers():
        for name, assign in layer.attributes.items():
            if attributes.BY_NAME[name].where == "both" and not any(layers.inherited(name, role) for role in present):
                resolver.typed(assign, names[0])
        for node in layer.mounts if not present else ():
            if resolver.stands(node, names[0]):
                resolver.mount(node, names[0])
        if layer.steps and not any(role != "tensorboard" for role in present):
            layers.role_steps(resolver, names[0], layer)
    for role in names if names[0] in resolver.role_names() else ():
        if role not in present and role not in resolver.absent_roles:
            layers.role_settings(resolver, role)
            layers.role_mounts(resolver, role)
            layers.role_steps(resolver, role)


def _check_absent(resolver: Resolver) -> None:
    """Check the names and types of what is absent in all roles, and whether there is something to unset."""
    every = [*resolver.job_layers(), *(layer for role in resolver.role_names() for layer in resolver.own_layers(role))]
    if resolver.absent_roles or resolver.absent_blocks() or any(layer.absent for layer in every):
        _check_conditions(resolver)
    if any(layer.unsets for layer in every):
        from tfdsl.semantics import unset

        unset.check(resolver)


def _check_conditions(resolver: Resolver) -> None:
    """Check what is absent from the blocks of the job and of the target, and whole role blocks that are."""
    role = next(iter(resolver.role_names()), "worker")
    _check_layers(resolver, resolver.block.layers, role, {})
    blocks = [*resolver.block.roles.values()]
    absent = [*resolver.block.absent_roles]
    if resolver.target_block is not None and resolver.target is not None:
        options: dict[str, Type] = {option.name: option.type for option in resolver.target.options}
        _check_layers(resolver, resolver.target_block.layers, role, {"version": STRING, **options})
        absent += resolver.target_block.absent_roles
        for block in resolver.target_block.roles.values():
            if block.node.name.text not in resolver.absent_roles:
                blocks.append(block)
                continue
            absent.append(block)
            resolver.report(resolver.dropped(block.node.name.span, "this block", block.node.name.text))
    for block in blocks:
        _check_layers(resolver, block.layers, block.node.name.text, {})
    for block in absent:
        _check_block(resolver, block)


def _check_layers(resolver: Resolver, layers: Iterable[Layer], role: str, options: Mapping[str, Type]) -> None:
    for layer in layers:
        for item in layer.absent:
            resolver.check_absent(item, role, options)


def _check_block(resolver: Resolver, block: RoleBlock) -> None:
    """All items of a role block that is absent as a whole."""
    for layer in block.layers:
        for item in (*layer.items, *block.patches):
            resolver.check_absent(item, block.node.name.text)


# --- the lines of absent items: no rule has looked at them ---------------------------------------------------------


def absent_lines(program: Program, conditions: Iterable[Mapping[Span, bool]]) -> Iterator[tuple[str, int]]:
    """Path and number of each line of ``program`` in an item that no job or role has.

    ``conditions``: for each check of the program, whether each condition, by its place, held anywhere in it.
    """
    held: dict[Span, bool] = {}
    for condition in conditions:
        for place, value in condition.items():
            held[place] = held.get(place, False) or value
    reader = _Reader(program.templates, {place for place, value in held.items() if not value})
    reader.read(program.jobs, absent=False)
    for span in reader.absent():
        first, last = span.source.position(span.start)[0], span.source.position(span.end)[0]
        for line in range(first, last + 1):
            yield span.source.path, line


class _Reader:
    """Collects the items that are absent; ``false``: the places of the conditions that held nowhere."""

    def __init__(self, templates: Mapping[str, ast.Template], false: set[Span]) -> None:
        self._templates = templates
        self._false = false
        self._absent: list[Span] = []
        self._present_templates: set[str] = set()
        self._absent_templates: set[str] = set()

    def read(self, items: Iterable[ast.Job | ast.Item], *, absent: bool) -> None:
        """Read ``items``, which are ``absent`` if all around them is."""
        for item in items:
            condition: ast.Condition | None = getattr(item, "condition", None)
            here = absent or (condition is not None and condition.span in self._false)
            if here and not absent:
                self._absent.append(item.span)
            if isinstance(item, ast.Job | ast.Role | ast.Target | ast.Step):
                self.read(item.items, absent=here)
            elif isinstance(item, ast.Use):
                self._use(item.name.text, absent=here)

    def absent(self) -> Iterator[Span]:
        """The items that are absent, and the templates that only absent items use."""
        yield from self._absent
        for name in self._absent_templates - self._present_templates:
            yield self._templates[name].span

    def _use(self, name: str, *, absent: bool) -> None:
        known = self._absent_templates if absent else self._present_templates
        if name in self._templates and name not in known:
            known.add(name)
            self.read(self._templates[name].items, absent=absent)
