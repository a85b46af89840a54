"""One job for one target: evaluate every layer, and merge them.

Layers, low to high (language reference, "Layers"): the job's templates, the job's own items, the role's templates,
the role's own, then the same from the target block. An attribute is replaced by name (maps merge key by key), a mount
by path, an output by source and destination, a policy by subject and event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.record import Record, replace
from tfdsl.semantics import resolved, statements
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.suggest import listing
from tfdsl.semantics.values import MapData, Value
from tfdsl.syntax import ast
from tfdsl.vocabulary import attributes, roles
from tfdsl.vocabulary.types import MapType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics.blocks import JobBlock, Layer, RoleBlock, TargetBlock, TargetRows
    from tfdsl.semantics.params import Params
    from tfdsl.text import Span

CYCLE = -1
"""What :meth:`Resolver.replicas` gives while the replicas of that role are being worked out."""


class Resolver:
    """State of resolving one job for one target; implements :class:`~tfdsl.semantics.scope.JobNames`."""

    def __init__(
        self, block: JobBlock, params: Params, target: TargetRows | None, report: Callable[[Diagnostic], None]
    ) -> None:
        self.block = block
        self.name = block.node.name.text
        self.target = target
        self.target_block: TargetBlock | None = block.targets.get(target.name) if target is not None else None
        self.report = report
        self.scope = Scope(params, report, self)
        self._scopes: dict[str, Scope] = {}
        self._typed: dict[tuple[int, str | None], Value] = {}
        self._mounts: dict[tuple[int, str | None], resolved.Mount | None] = {}
        self._replicas: dict[str, int | None] = {}
        self._speaks: dict[int, bool] = {}

    # --- names ---

    def namespace(self) -> str | None:
        """The job's namespace, if it has one."""
        for layer in reversed(self.job_layers()):
            assign = layer.attributes.get("namespace")
            if assign is not None:
                data = self.typed(assign, None).data
                return data if isinstance(data, str) else None
        return None

    def knows_submitter(self) -> bool:
        """Whether the target knows the submitter; without a target that is left to the targets."""
        return self.target is None or self.target.user

    def role_names(self) -> tuple[str, ...]:
        """The job's roles, in the order of the language."""
        named = {*self.block.roles, *(self.target_block.roles if self.target_block else ())}
        return tuple(name for name in roles.ROLE_NAMES if name in named)

    def replicas(self, role: str) -> int | None:
        """Replicas of ``role``; ``None`` when they are wrong (reported), :data:`CYCLE` while being worked out."""
        if role not in self._replicas:
            self._replicas[role] = CYCLE
            self._replicas[role] = self._work_out_replicas(role)
        return self._replicas[role]

    def _work_out_replicas(self, role: str) -> int | None:
        for layer in reversed(self.own_layers(role)):
            assign = layer.attributes.get("replicas")
            if assign is not None:
                data = self.typed(assign, role).data
                return data if isinstance(data, int) else None
        return 1

    # --- layers ---

    def job_layers(self) -> list[Layer]:
        """Layers of the job and of the target block."""
        return [*self.block.layers, *(self.target_block.layers if self.target_block else ())]

    def own_layers(self, role: str) -> list[Layer]:
        """Layers of the role blocks of ``role``."""
        return [layer for block in self.role_blocks(role) for layer in block.layers]

    def role_blocks(self, role: str) -> list[RoleBlock]:
        """The blocks of ``role``: the job's, the target's."""
        found = [self.block.roles.get(role), self.target_block.roles.get(role) if self.target_block else None]
        return [block for block in found if block is not None]

    def role_layers(self, role: str) -> list[tuple[Layer, bool]]:
        """All layers that ``role`` is made of, low to high; whether each is from a role block."""
        found: list[tuple[Layer, bool]] = [(layer, False) for layer in self.block.layers]
        if role in self.block.roles:
            found += [(layer, True) for layer in self.block.roles[role].layers]
        if self.target_block is not None:
            found += [(layer, False) for layer in self.target_block.layers]
            if role in self.target_block.roles:
                found += [(layer, True) for layer in self.target_block.roles[role].layers]
        return found

    def role_scope(self, role: str) -> Scope:
        """The names in role ``role``."""
        if role not in self._scopes:
            self._scopes[role] = replace(self.scope, role=role)
        return self._scopes[role]

    # --- values ---

    def typed(self, assign: ast.Assign, role: str | None) -> Value:
        """The typed value of an attribute; evaluated once, or once per role where it speaks of the role."""
        key = (id(assign), role if role is not None and self._per_role(assign) else None)
        if key not in self._typed:
            row = attributes.BY_NAME[assign.key.text]
            scope = self.scope if role is None else self.role_scope(role)
            self._typed[key] = conform(evaluate(assign.value, scope), row.type, row.name, self.report)
        return self._typed[key]

    def _per_role(self, node: ast.Assign | ast.Mount) -> bool:
        if id(node) not in self._speaks:
            self._speaks[id(node)] = speaks_of_role(node)
        return self._speaks[id(node)]

    def job_settings(self) -> dict[str, resolved.Setting]:
        """The job's own attributes; those that are only defaults of roles are in the roles."""
        found: dict[str, resolved.Setting] = {}
        for layer in self.job_layers():
            for name, assign in layer.attributes.items():
                if attributes.BY_NAME[name].where in ("job", "each"):
                    self._put(found, name, assign, None)
        return found

    def role_settings(self, role: str) -> dict[str, resolved.Setting]:
        """The attributes of ``role``, the job's defaults included."""
        found: dict[str, resolved.Setting] = {}
        for layer, own in self.role_layers(role):
            for name, assign in layer.attributes.items():
                if own or _inherited(name, role):
                    self._put(found, name, assign, role)
        return found

    def _put(self, found: dict[str, resolved.Setting], name: str, assign: ast.Assign, role: str | None) -> None:
        value = self.typed(assign, role)
        below = found.get(name)
        if below is not None and isinstance(attributes.BY_NAME[name].type, MapType):
            lower, upper = below.value.data, value.data
            if isinstance(lower, MapData) and isinstance(upper, MapData):
                value = Value(MapData(lower.entries | upper.entries), value.span)
        found[name] = resolved.Setting(assign.key.span, value)

    def role_mounts(self, role: str) -> tuple[resolved.Mount, ...]:
        """The mounts of ``role``: by path, the highest layer wins."""
        found: dict[str, resolved.Mount] = {}
        for layer, _ in self.role_layers(role):
            here: dict[str, resolved.Mount] = {}
            for node in layer.mounts:
                mount = self._mount(node, role)
                if mount is None:
                    continue
                first = here.setdefault(mount.at, mount)
                if first is not mount:
                    diagnostic = value_rules.DUPLICATE_MOUNT_PATH(mount.at_span, role=role, path=mount.at)
                    diagnostic = diagnostic.note(first.at_span, "first mounted here").help(
                        "give one of them another path"
                    )
                    self.report(diagnostic)
            found |= here
        return tuple(found.values())

    def _mount(self, node: ast.Mount, role: str) -> resolved.Mount | None:
        key = (id(node), role if self._per_role(node) else None)
        if key not in self._mounts:
            self._mounts[key] = statements.mount(node, self.role_scope(role))
        return self._mounts[key]

    # --- outputs ---

    def outputs(self, present: tuple[str, ...]) -> dict[str, tuple[resolved.Output, ...]]:
        """The outputs of each role of ``present``: by source and destination, the highest layer wins."""
        found: dict[str, dict[tuple[object, object], resolved.Output]] = {role: {} for role in present}
        for layer in self.job_layers():
            self._layer_outputs(layer, None, present, found)
        for role in present:
            for layer in self.own_layers(role):
                self._layer_outputs(layer, role, present, found)
        return {role: tuple(outputs.values()) for role, outputs in found.items()}

    def _layer_outputs(
        self,
        layer: Layer,
        own: str | None,
        present: tuple[str, ...],
        found: dict[str, dict[tuple[object, object], resolved.Output]],
    ) -> None:
        here: dict[tuple[str, object, object], resolved.Output] = {}
        for node in layer.outputs:
            place = self._output_place(node, own, present)
            if place is None:
                continue
            role, index = place
            output = statements.output(node, self.role_scope(role), index)
            if output is None:
                continue
            key = (role, output.source.data, output.destination.data)
            first = here.setdefault(key, output)
            if first is not output:
                diagnostic = value_rules.DUPLICATE_OUTPUT(output.destination.span)
                self.report(diagnostic.note(first.destination.span, "first here"))
                continue
            found[role][key[1:]] = output

    def _output_place(
        self, node: ast.Output, own: str | None, present: tuple[str, ...]
    ) -> tuple[str, int | None] | None:
        """Role and index that ``node`` copies from; ``None`` when there is nothing to copy from."""
        if own is not None:
            if node.subject is not None:
                self.report(value_rules.OUTPUT_FROM_HERE(node.subject.span).help("leave from out"))
                return None
            return own, None
        if node.subject is None:
            decider = next((role for role in ("chief", "master", "worker") if role in present), None)
            return None if decider is None else (decider, 0 if decider == "worker" else None)
        name = node.subject.role
        if not self._subject_exists(name, present, "the output"):
            return None
        index = node.subject.index
        if index is None:
            return name.text, None
        return (name.text, int(index.text)) if self._index_exists(name.text, index) else None

    def _subject_exists(self, name: ast.Name, present: tuple[str, ...], item: str) -> bool:
        if name.text in present:
            return True
        if name.text in self.role_names():
            self.report(value_rules.DROPPED_ITEM(name.span, item=item, role=name.text))
        else:
            self.report(self.no_such_role(name.text, name.span))
        return False

    def no_such_role(self, name: str, span: Span) -> Diagnostic:
        """``name`` is no role of this job."""
        known = self.role_names()
        found = name_rules.ROLE_NOT_IN_JOB(span, job=self.name, name=name)
        return found.help(f"its roles are {listing(known)}" if known else f"add role {name} {{ }}")

    def _index_exists(self, role: str, index: ast.Number) -> bool:
        replicas = self.replicas(role)
        number = int(index.text) if index.text.isdigit() and len(index.text) < 10 else -1
        if replicas is None or 0 <= number < replicas:
            return True
        shown = "0" if replicas == 1 else f"0 to {replicas - 1}"
        self.report(value_rules.OUTPUT_INDEX(index.span, role=role, index=index.text, range=shown))
        return False

    # --- policies ---

    def policies(self, present: tuple[str, ...]) -> tuple[resolved.Policy, ...]:
        """All policies: by subject and event, the highest layer wins; for common exit statuses too."""
        merged: list[resolved.Policy] = []
        for layer, role in self._policy_layers(present):
            here: list[resolved.Policy] = []
            for node in layer.policies:
                policy = statements.policy(node, self.role_scope(role) if role else self.scope, role)
                if policy is not None and self._stands(policy, node, present) and self._is_new(policy, here):
                    here.append(policy)
            merged = [left for policy in merged if (left := _under(policy, here)) is not None] + here
        return tuple(merged)

    def _policy_layers(self, present: tuple[str, ...]) -> Iterable[tuple[Layer, str | None]]:
        yield from ((layer, None) for layer in self.block.layers)
        for role in present:
            yield from ((layer, role) for layer in (self.block.roles[role].layers if role in self.block.roles else ()))
        if self.target_block is not None:
            yield from ((layer, None) for layer in self.target_block.layers)
            for role in present:
                block = self.target_block.roles.get(role)
                yield from ((layer, role) for layer in (block.layers if block else ()))

    def _stands(self, policy: resolved.Policy, node: ast.Policy, present: tuple[str, ...]) -> bool:
        """Whether the policy's subject is there."""
        if node.subject is None:
            return True
        if not self._subject_exists(node.subject.role, present, "the policy"):
            return False
        index = node.subject.index
        return index is None or self._index_exists(node.subject.role.text, index)

    def _is_new(self, policy: resolved.Policy, here: list[resolved.Policy]) -> bool:
        subject = "the job" if policy.role is None else policy.role
        subject += "" if policy.index is None else f"[{policy.index}]"
        for other in here:
            if (other.role, other.index, other.event) != (policy.role, policy.index, policy.event):
                continue
            common = sorted({*other.codes} & {*policy.codes})
            if policy.event != "exit":
                found = value_rules.DUPLICATE_POLICY(policy.event_span, subject=subject, event=policy.event)
            elif common:
                codes = ", ".join(str(code) for code in common[:5])
                found = value_rules.OVERLAPPING_EXIT(policy.event_span, subject=subject, codes=codes)
            else:
                continue
            self.report(found.note(other.event_span, "first decided here"))
            return False
        return True


def _under(policy: resolved.Policy, above: list[resolved.Policy]) -> resolved.Policy | None:
    """What is left of ``policy`` under the policies of a higher layer."""
    for other in above:
        if (other.role, other.index, other.event) != (policy.role, policy.index, policy.event):
            continue
        if policy.event != "exit":
            return None
        left = tuple(code for code in policy.codes if code not in other.codes)
        if not left:
            return None
        policy = replace(policy, codes=left)
    return policy


def _inherited(name: str, role: str) -> bool:
    """Whether the job's value of ``name`` is the default of ``role``."""
    if attributes.BY_NAME[name].where != "both":
        return False
    return role != "tensorboard" or name in attributes.TENSORBOARD_INHERITS


def speaks_of_role(node: object) -> bool:
    """Whether ``role.name`` or ``role.replicas`` occurs in ``node``; found without recursion."""
    todo: list[object] = [node]
    while todo:
        item = todo.pop()
        if isinstance(item, ast.Ref):
            if item.name == "role":
                return True
        elif isinstance(item, tuple):
            todo.extend(item)  # pyright: ignore[reportUnknownArgumentType]  (children of any kind)
        elif isinstance(item, Record) and not isinstance(item, ast.Name | ast.Number | ast.Bool | ast.Unit):
            todo.extend(getattr(item, field) for field in type(item).__fields__ if field != "span")
    return False
