"""What the layers of a job come to: each gives items and takes some away from those below it.

Layers, low to high (language reference, "Layers"): the job's templates, the job's own items, the role's templates,
the role's own, then the same from the target block. An item is known by its name, path or the like
(:func:`tfdsl.semantics.statements.identities`): one of a higher layer takes the place of those that are known by the
same, and ``unset`` takes them away. Maps and steps are merged entry by entry; of a policy for several exit statuses
the others are left. An absent item replaces nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Generic, TypeVar

from tfdsl.diagnostics import Diagnostic, value_rules
from tfdsl.record import replace
from tfdsl.rules import mounts as mount_rules
from tfdsl.rules.job import both_kinds
from tfdsl.rules.mounts import output_twice as copied_twice
from tfdsl.rules.policies import same
from tfdsl.semantics import resolved, statements
from tfdsl.semantics.blocks import Layer, StepBlock, in_one_block, set_twice, twice
from tfdsl.semantics.resolve import Resolver
from tfdsl.semantics.statements import Key, identities
from tfdsl.semantics.values import ListData, MapData, Poison, Value, list_data, map_data
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.types import MapType

Node = TypeVar("Node", ast.Mount, ast.Output, ast.Policy, StepBlock)
Read = TypeVar("Read")
Item = TypeVar("Item")
Unset = tuple[Span, str]
"""Where something is unset, and what it is in words."""


# --- attributes ------------------------------------------------------------------------------------------------


def job_settings(resolver: Resolver) -> dict[str, resolved.Setting]:
    """The job's own attributes, without those that are only defaults of roles."""
    settings: dict[str, resolved.Setting] = {}
    for layer in resolver.job_layers():
        _unset_attributes(resolver, layer, settings, None)
        for name, assign in layer.attributes.items():
            if attributes.BY_NAME[name].where in ("job", "each"):
                _put(resolver, settings, name, assign, None)
    return settings


def role_settings(resolver: Resolver, role: str) -> dict[str, resolved.Setting]:
    """The attributes of ``role``, including the job's defaults."""
    settings: dict[str, resolved.Setting] = {}
    for layer, own in resolver.role_layers(role):
        _unset_attributes(resolver, layer, settings, role)
        for name, assign in layer.attributes.items():
            if (own or inherited(name, role)) and (name != "min_available" or role not in resolver.params.scale):
                _put(resolver, settings, name, assign, role)
    return settings


def inherited(name: str, role: str) -> bool:
    """Whether the job's value of ``name`` is the default of ``role``."""
    if attributes.BY_NAME[name].where != "both":
        return False
    return role != attributes.BOARD or name in attributes.TENSORBOARD_INHERITS


def _put(
    resolver: Resolver, settings: dict[str, resolved.Setting], name: str, assign: ast.Assign, role: str | None
) -> None:
    """Replace the attribute in ``settings``; maps are merged."""
    value = resolver.typed(assign, role)
    below = settings.get(name)
    if below is not None and isinstance(attributes.BY_NAME[name].type, MapType):
        lower, upper = below.value.data, value.data
        if isinstance(lower, MapData) and isinstance(upper, MapData):
            value = Value(map_data(lower.entries | upper.entries), value.span)
    settings[name] = resolved.Setting(assign.key.span, value)


def _unset_attributes(
    resolver: Resolver, layer: Layer, settings: dict[str, resolved.Setting], role: str | None
) -> None:
    """Take from ``settings`` the attributes, and entries of maps, that ``layer`` unsets."""
    taken: dict[Key, Unset] = {}
    for node in layer.unsets:
        if not isinstance(node, ast.UnsetAttribute):
            continue
        if node.key is None:
            settings.pop(node.name.text, None)
            continue
        for name, key in identities(node, resolver.scope_of(role), role):
            _take_entry(settings, str(name), str(key))
            _note(resolver, taken, (name, key), (node.key.span, f'{name}["{key}"]'))
    for (name, key), unset in taken.items():
        if name in layer.attributes:
            data = resolver.typed(layer.attributes[str(name)], role).data
            if isinstance(data, MapData) and key in data.entries:
                resolver.report(in_one_block(*unset, data.entries[str(key)].key_span))


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


def _note(resolver: Resolver, taken: dict[Key, Unset], key: Key, unset: Unset) -> None:
    """Note that ``key`` is unset; that it is unset twice is reported."""
    first = taken.setdefault(key, unset)
    if first[0] != unset[0]:
        resolver.report(in_one_block(*unset, first[0], twice=True))


# --- items -----------------------------------------------------------------------------------------------------


class _Fold(Generic[Node, Read, Item]):
    """The items of one kind in the layers that were added, low to high, by what they are known by.

    ``role``: the role that they are for, or in whose block they are; ``present``: the roles of the job, for items of
    all; ``unset``: the statement that takes one away.
    """

    unset: ClassVar[type[ast.Unset]]

    def __init__(self, resolver: Resolver, role: str | None = None, present: tuple[str, ...] = ()) -> None:
        self.resolver = resolver
        self.role = role
        self.present = present
        self.items: dict[Key, Item] = {}

    def add(self, layer: Layer, nodes: Iterable[Node]) -> None:
        """Take away what ``layer`` unsets, and put what its ``nodes`` give over what is there."""
        taken = self._taken(layer) if layer.unsets else {}
        here: dict[Key, Read] = {}
        for node in nodes:
            read = self.read(node)
            if read is None:
                continue
            keys, place, item = read
            if any(key in here for key in keys):
                self.resolver.report(self.twice(item, next(other for key, other in here.items() if key in keys)))
                continue
            unset = next((taken[key] for key in keys if key in taken), None)
            if unset is not None:
                both = in_one_block(*unset, place)
                another = self.unset is ast.UnsetStep
                self.resolver.report(both.help("give the new step another name") if another else both)
            here |= dict.fromkeys(keys, item)
            self.put(keys, item)

    def _taken(self, layer: Layer) -> dict[Key, Unset]:
        """Take away what ``layer`` unsets; returns where it does."""
        taken: dict[Key, Unset] = {}
        for node in layer.unsets:
            for role in self.roles() if isinstance(node, self.unset) else ():
                if self.resolver.stands(node, role):
                    for key in self.unset_keys(node, role):
                        self.take(key)
                        _note(self.resolver, taken, key, unset_item(node, key))
        return taken

    def roles(self) -> Sequence[str | None]:
        """The roles for which an ``unset`` of the layer takes away items."""
        return (self.role,)

    def unset_keys(self, node: ast.Unset, role: str | None) -> Iterable[Key]:
        """What the items that ``node`` takes away are known by."""
        return identities(node, self.resolver.scope_of(role), role)

    def take(self, key: Key) -> None:
        """Take away what is known by ``key``."""
        self.items.pop(key, None)

    def read(self, node: Node) -> tuple[Sequence[Key], Span, Read] | None:
        """By what an item is known, its place, and what is read of it; ``None`` if it is absent or wrong."""
        raise NotImplementedError

    def twice(self, item: Read, first: Read) -> Diagnostic:
        """That a layer has both, which are known by the same."""
        raise NotImplementedError

    def put(self, keys: Sequence[Key], item: Read) -> None:
        """Put ``item`` over what is there."""
        raise NotImplementedError


def unset_item(node: ast.Unset, key: Key) -> Unset:
    """Where ``node`` unsets what is known by ``key``, and what that is."""
    if isinstance(node, ast.UnsetMount):
        return node.path.span, f"the mount at {key[-1]}"
    if isinstance(node, ast.UnsetOutput):
        return node.destination.span, "this output"
    if isinstance(node, ast.UnsetPolicy):
        return node.event.span, policy_words(node)
    return node.name.span, " ".join(map(str, key))


def policy_words(node: ast.UnsetPolicy) -> str:
    """The policy in words."""
    event = " ".join(node.event.span.text.split())
    return f"the policy on {event}" if node.subject is None else f"the policy on {node.subject.span.text} {event}"


class _Mounts(_Fold[ast.Mount, resolved.Mount, resolved.Mount]):
    """The mounts of one role, by path. ``broken``: whether one could not be read."""

    unset = ast.UnsetMount
    broken = False

    def read(self, node: ast.Mount) -> tuple[Sequence[Key], Span, resolved.Mount] | None:
        if not self.resolver.stands(node, self.role):
            return None
        mount = self.resolver.mount(node, str(self.role))
        if mount is None or any(isinstance(option.value.data, Poison) for option in mount.options.values()):
            self.broken = True
        return None if mount is None else (((mount.at,),), mount.at_span, mount)

    def twice(self, item: resolved.Mount, first: resolved.Mount) -> Diagnostic:
        spans = {"again": item.at_span, "first": first.at_span}
        return mount_rules.twice(str(self.role), item.at, ("again",), ("first",)).among(spans)

    def put(self, keys: Sequence[Key], item: resolved.Mount) -> None:
        self.items[keys[0]] = item


def role_mounts(resolver: Resolver, role: str) -> _Mounts:
    """The mounts of ``role``."""
    mounts = _Mounts(resolver, role)
    for layer, _ in resolver.role_layers(role):
        mounts.add(layer, layer.mounts)
    return mounts


class _Outputs(_Fold[ast.Output, resolved.Output, resolved.Output]):
    """The outputs of the roles ``present``, by role, source and destination."""

    unset = ast.UnsetOutput

    def roles(self) -> Sequence[str]:
        return self.present if self.role is None else (self.role,)

    def unset_keys(self, node: ast.Unset, role: str | None) -> Iterable[Key]:
        return ((role, *key) for key in super().unset_keys(node, role))

    def read(self, node: ast.Output) -> tuple[Sequence[Key], Span, resolved.Output] | None:
        written = self._decider() if node.subject is None else node.subject.role.text
        place = self._from(node) if self.resolver.stands(node, self.role or written) else None
        if place is None:
            return None
        role, index = place
        output = statements.output(node, self.resolver.scope_of(role), index)
        if output is None:
            return None
        return ((role, output.source.data, output.destination.data),), output.destination.span, output

    def _decider(self) -> str | None:
        """The role that decides whether the job has succeeded."""
        return attributes.decider(self.present)

    def _from(self, node: ast.Output) -> tuple[str, int | None] | None:
        """The role and index that ``node`` copies from; ``None`` when there are none."""
        resolver, subject = self.resolver, node.subject
        if self.role is not None:
            if subject is None:
                return self.role, None
            resolver.report(value_rules.OUTPUT_FROM_HERE(subject.span).help("remove from and its role"))
            return None
        if subject is None:
            decider = self._decider()
            return None if decider is None else (decider, 0 if decider == "worker" else None)
        name = subject.role.text
        if resolver.has_subject(subject, self.present, "the output"):
            return name, None if subject.index is None else statements.index_of(subject.index)
        if name in resolver.role_names() and name not in self.present:
            statements.output(node, resolver.scope_of(name), None)  # to report what is wrong in it
        return None

    def twice(self, item: resolved.Output, first: resolved.Output) -> Diagnostic:
        spans = {"again": item.destination.span, "first": first.destination.span}
        return copied_twice(("again",), ("first",)).among(spans)

    def put(self, keys: Sequence[Key], item: resolved.Output) -> None:
        self.items[keys[0]] = item


def outputs(resolver: Resolver, present: tuple[str, ...]) -> dict[str, tuple[resolved.Output, ...]]:
    """The outputs of each role of ``present``: those of the job by what they copy from, those of role blocks."""
    fold = _Outputs(resolver, present=present)
    for layer, fold.role in resolver.all_layers(present):
        fold.add(layer, layer.outputs)
    return {role: tuple(output for key, output in fold.items.items() if key[0] == role) for role in present}


class _Policies(_Fold[ast.Policy, resolved.Policy, resolved.Policy]):
    """The policies of a job, by event, subject and each exit status."""

    unset = ast.UnsetPolicy

    def take(self, key: Key) -> None:
        """Without a role, those of all blocks that are written without one."""
        event, role, _, code = key
        gone = [key] if role is not None else [
            other for other, policy in self.items.items()
            if policy.subject is None and (other[0], other[3]) == (event, code)
        ]  # fmt: skip
        for other in gone:
            self.items.pop(other, None)

    def read(self, node: ast.Policy) -> tuple[Sequence[Key], Span, resolved.Policy] | None:
        if not self.resolver.stands(node, self.role):
            return None
        policy = statements.policy(node, self.resolver.scope_of(self.role), self.role)
        if policy is None or not self.resolver.has_subject(node.subject, self.present, "the policy"):
            return None
        index = None if policy.index is None else str(policy.index)
        keys = [(policy.event, policy.role, index, code) for code in policy.codes or (None,)]
        return keys, policy.event_span, policy

    def twice(self, item: resolved.Policy, first: resolved.Policy) -> Diagnostic:
        broken = same(item, first)
        assert broken is not None, "they are known by the same"
        return broken.marked("handled again here").at(item.event_span).note(first.event_span, "first handled here")

    def put(self, keys: Sequence[Key], item: resolved.Policy) -> None:
        for key in keys:
            self.items.pop(key, None)
            self.items[key] = item


def policies(resolver: Resolver, present: tuple[str, ...]) -> tuple[resolved.Policy, ...]:
    """All policies; of one whose exit statuses are partly those of a higher layer, the others are left."""
    fold = _Policies(resolver, present=present)
    for layer, fold.role in resolver.all_layers(present):
        fold.add(layer, layer.policies)
    codes: dict[int, list[int]] = {}
    for key, policy in fold.items.items():
        codes.setdefault(id(policy), []).extend([key[3]] if isinstance(key[3], int) else [])
    left = {id(policy): policy for policy in fold.items.values()}
    return tuple(replace(policy, codes=tuple(codes[at])) for at, policy in left.items())


class _Steps(_Fold[StepBlock, StepBlock, resolved.Step]):
    """The steps of one role, by name; an ``unset`` names their kind too."""

    unset = ast.UnsetStep

    def take(self, key: Key) -> None:
        kind, name = key
        below = self.items.get((name,))
        if below is not None and below.kind == kind:
            del self.items[name,]

    def read(self, node: StepBlock) -> tuple[Sequence[Key], Span, StepBlock] | None:
        step = node.node
        name = step.name.text
        return (((name,), (step.kind, name)), step.name.span, node) if self.resolver.stands(step, self.role) else None

    def twice(self, item: StepBlock, first: StepBlock) -> Diagnostic:
        return twice(item, first, "role" if self.role in self.resolver.role_names() else "job")

    def put(self, keys: Sequence[Key], item: StepBlock) -> None:
        """Merge a step into that of a lower layer, attribute by attribute."""
        node, below = item.node, self.items.get(keys[0])
        same_kind = below is not None and below.kind == node.kind
        settings = dict(below.settings) if below is not None and same_kind else {}
        for name, assign in self._present(item).items():
            _put(self.resolver, settings, name, assign, self.role)
        if below is None:
            self.items[keys[0]] = resolved.Step(settings, node.kind, node.name.text, node.name.span, item.meant)
        elif same_kind:
            self.items[keys[0]] = replace(below, settings=settings, meant=below.meant | item.meant)
        else:
            spans = {"again": node.name.span, "first": below.name_span}
            self.resolver.report(both_kinds(node.name.text, node.kind, below.kind).among(spans))

    def _present(self, block: StepBlock) -> dict[str, ast.Assign]:
        """The attributes of ``block`` that are there."""
        present = dict(block.attributes)
        for assign in block.conditional:
            if self.resolver.stands(assign, self.role):
                first = present.setdefault(assign.key.text, assign)
                if first is not assign:
                    self.resolver.report(set_twice(assign, first))
        return present


def role_steps(resolver: Resolver, role: str, only: Layer | None = None) -> tuple[resolved.Step, ...]:
    """The steps of ``role``, each in the place where it is first written; ``only``: those of one layer."""
    layers = [(layer, own or role != attributes.BOARD) for layer, own in resolver.role_layers(role)]
    steps = _Steps(resolver, role)
    if only is not None:
        steps.add(only, only.steps)
    elif any(has_steps and layer.steps for layer, has_steps in layers):
        for layer, has_steps in layers:
            steps.add(layer, layer.steps if has_steps else ())
    return tuple(steps.items.values())


# --- roles -----------------------------------------------------------------------------------------------------


def role_of(
    resolver: Resolver, name: str, present: tuple[str, ...], outputs: tuple[resolved.Output, ...]
) -> resolved.Role:
    """The role ``name`` with all its layers merged."""
    settings = role_settings(resolver, name)
    mounts = role_mounts(resolver, name)
    for attribute, path in attributes.IN_MEMORY.items():
        if attribute in settings and (path,) in mounts.items:
            _settle_in_memory(resolver, name, attribute, settings, mounts.items)
    if "after" in settings and len(present) < len(resolver.role_names()):
        settings["after"] = _after_present(resolver, settings["after"], present)
    replicas = resolver.replicas(name)
    known = isinstance(replicas, int) and replicas > 0
    return resolved.Role(
        settings,
        name,
        resolver.role_blocks(name)[0].node.name.span,
        replicas if isinstance(replicas, int) and known else 1,
        tuple(mounts.items.values()),
        outputs,
        known,
        not mounts.broken,
        role_steps(resolver, name),
    )


def _settle_in_memory(
    resolver: Resolver,
    role: str,
    attribute: str,
    settings: dict[str, resolved.Setting],
    mounts: dict[Key, resolved.Mount],
) -> None:
    """``attribute`` counts as a mount at its path: both in one block are an error, else the higher layer wins."""
    path = attributes.IN_MEMORY[attribute]
    mount = mounts[path,]
    sized = mounted = 0
    for at, (layer, own) in enumerate(resolver.role_layers(role)):
        if attribute in layer.attributes and (own or inherited(attribute, role)):
            sized = at
        if any(node.span == mount.span for node in layer.mounts):
            mounted = at
    if sized == mounted:
        spans = {"mount": mount.at_span, "size": settings[attribute].key}
        resolver.report(mount_rules.in_memory_twice(role, attribute, ("mount",), ("size",)).among(spans))
    if sized < mounted:
        del settings[attribute]
    else:
        del mounts[path,]


def _after_present(resolver: Resolver, after: resolved.Setting, present: tuple[str, ...]) -> resolved.Setting:
    """``after`` without the roles that have no replicas."""
    data = after.value.data
    if not isinstance(data, ListData):
        return after
    absent = [name for name in resolver.role_names() if name not in present]
    for item in data.items:
        if item.data in absent:
            resolver.report(resolver.dropped(item.span, "it", str(item.data)))
    kept = tuple(item for item in data.items if item.data not in absent)
    return replace(after, value=Value(list_data(kept), after.value.span))


# --- patches ---------------------------------------------------------------------------------------------------


def patches(resolver: Resolver, present: tuple[str, ...]) -> tuple[resolved.Patch, ...]:
    """The patches of the target block in the order in which they are applied.

    First those for the pods of every role, then those for the pods of one, then those for documents, each in the order
    written. A patch for a role without replicas is left out.
    """
    block = resolver.target_block
    if block is None:
        return ()
    nodes = [node for node in block.patches if resolver.stands(node, None)]
    ordered = [statements.patch(node, None, resolver.scope) for node in nodes if node.pod is not None]
    for role, role_block in block.roles.items():
        if role not in resolver.absent_roles:
            for node in role_block.patches:
                if node.pod is not None and resolver.stands(node, role):
                    patch = statements.patch(node, role, resolver.scope_of(role))
                    ordered += [patch] if role in present else []
                    if role not in present:
                        resolver.report(resolver.dropped(node.path.span, "the patch", role))
    ordered += [statements.patch(node, None, resolver.scope) for node in nodes if node.pod is None]
    return tuple(patch for patch in ordered if patch is not None)
