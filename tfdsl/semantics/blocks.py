"""The items of a block, sorted by kind: what may stand where, and what stands twice.

Nothing is evaluated here. A block with ``use`` becomes several :class:`Layer` values, its templates first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from tfdsl.diagnostics import name_rules
from tfdsl.record import Record
from tfdsl.semantics.suggest import alias_table, closest, listing
from tfdsl.syntax import ast
from tfdsl.vocabulary import attributes, roles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.vocabulary.options import Option

    Report = Callable[[Diagnostic], None]

Block = TypeVar("Block", ast.Cluster, ast.Build)
Where: TypeAlias = Literal["job", "role", "target"]

_ALLOWED: dict[Where, tuple[type, ...]] = {
    "job": (ast.Assign, ast.Use, ast.Mount, ast.Output, ast.Policy, ast.Role, ast.Cluster, ast.Build, ast.Target),
    "role": (ast.Assign, ast.Use, ast.Mount, ast.Output, ast.Policy),
    "target": (ast.Assign, ast.Use, ast.Mount, ast.Output, ast.Policy, ast.Role, ast.Patch),
}
_TEMPLATE = (ast.Assign, ast.Use, ast.Mount, ast.Output, ast.Policy)

FOREIGN = {
    "restartPolicy": "write a policy: on failed => restart container",
    "restart_policy": "write a policy: on failed => restart container",
    "policies": "write policies one by one: on failed => restart container",
    "volumes": 'write mounts: mount pvc "name" at "/data"',
    "volumeMounts": 'write mounts: mount pvc "name" at "/data"',
    "volume_mounts": 'write mounts: mount pvc "name" at "/data"',
    "mounts": 'write mounts one by one: mount pvc "name" at "/data"',
    "outputs": 'write outputs one by one: output "/tmp/model" to "/runs/model"',
    "output": 'write output "/tmp/model" to "/runs/model"',
    "tasks": "write roles: role worker { replicas = 4 }",
    "tfReplicaSpecs": "write roles: role worker { replicas = 4 }",
    "components": "write roles: role worker { replicas = 4 }",
    "name": "the name stands behind the word job: job NAME { … }",
    "successPolicy": "write a policy: on worker completed => complete job",
    "success_policy": "write a policy: on worker completed => complete job",
    "plugins": "plugins follow from the job; see target volcano { tf_config = … }",
    "dnsPolicy": 'use a patch in a target block: patch "spec…" = …',
    "securityContext": 'use a patch in a target block: patch "spec…" = …',
    "nodeName": "use target kubernetes { hosts = [ … ] }",
    "containers": "the container follows from image, command, env, …",
    "initContainers": 'use a patch in a target block: patch "spec…" += [ … ]',
    "tf_config": "write cluster { discovery = … }; the option tf_config belongs into a target block",
}
"""Names of other tools for things that are no attribute here: what to write."""


class Layer(Record):
    """One block, or the part of it that came from one template; all names are known and legal here."""

    attributes: Mapping[str, ast.Assign]
    mounts: tuple[ast.Mount, ...]
    outputs: tuple[ast.Output, ...]
    policies: tuple[ast.Policy, ...]
    options: Mapping[str, ast.Assign]


class RoleBlock(Record):
    """A role block and its layers."""

    node: ast.Role
    layers: tuple[Layer, ...]


class TargetBlock(Record):
    """A target block and its layers. ``name`` is the target's own name where an alias was written."""

    node: ast.Target
    name: str
    layers: tuple[Layer, ...]
    roles: Mapping[str, RoleBlock]
    patches: tuple[ast.Patch, ...]


class JobBlock(Record):
    """A job block, taken apart."""

    node: ast.Job
    layers: tuple[Layer, ...]
    roles: Mapping[str, RoleBlock]
    targets: Mapping[str, TargetBlock]
    cluster: ast.Cluster | None
    build: ast.Build | None


class TargetRows(Record):
    """What has to be known of a target to check its block. ``user``: whether it knows the submitter."""

    name: str
    versions: tuple[str, ...]
    options: tuple[Option, ...]
    user: bool
    requires_image: Callable[[Mapping[str, object]], bool]


class Names(Record):
    """What blocks refer to: the templates of the program, and targets by name or alias."""

    templates: Mapping[str, ast.Template]
    find_target: Callable[[str], TargetRows | None]
    target_names: tuple[str, ...]


def read_job(node: ast.Job, names: Names, report: Report) -> JobBlock:
    """Take ``node`` apart and report what cannot stand where it stands."""
    found_roles = _roles(node.items, names, report, "job")
    return JobBlock(
        node,
        _layers(node.items, "job", names, report, ()),
        found_roles,
        _targets(node.items, names, report),
        _once(node.items, ast.Cluster, "cluster", report),
        _once(node.items, ast.Build, "build", report),
    )


def check_template(node: ast.Template, names: Names, report: Report) -> None:
    """Check a template that nothing uses, as far as that can be said without its user."""
    for item in node.items:
        if not isinstance(item, _TEMPLATE):
            _misplaced(item, "template", report)
        elif isinstance(item, ast.Assign) and item.key.text not in attributes.BY_NAME:
            _unknown_attribute(item.key, "role", (), report)


def _layers(
    items: Iterable[ast.Item], where: Where, names: Names, report: Report, options: tuple[Option, ...]
) -> tuple[Layer, ...]:
    """The templates that ``items`` use, in order and each once, then the items themselves."""
    items = tuple(items)
    layers: list[Layer] = []
    seen: set[str] = set()
    _use(items, where, names, report, layers, seen, ())
    layers.append(_layer(items, where, report, options))
    return tuple(layers)


def _use(
    items: tuple[ast.Item, ...],
    where: Where,
    names: Names,
    report: Report,
    layers: list[Layer],
    seen: set[str],
    stack: tuple[str, ...],
) -> None:
    here: dict[str, ast.Name] = {}
    for item in items:
        if not isinstance(item, ast.Use):
            continue
        name = item.name
        template = names.templates.get(name.text)
        if template is None:
            found = name_rules.UNKNOWN_TEMPLATE(name.span, name=name.text)
            near = closest(name.text, names.templates)
            report(found.help(f"did you mean {near}?").replacing(f"write {near}", near) if near else found)
        elif name.text in here:
            found = name_rules.DUPLICATE_USE(name.span, name=name.text)
            report(found.note(here[name.text].span, "first used here"))
        elif name.text in stack:
            report(name_rules.TEMPLATE_CYCLE(name.span, name=name.text))
        elif name.text not in seen and len(stack) < 100:
            seen.add(name.text)
            body = tuple(inner for inner in template.items if _fits_template(inner, report))
            _use(body, where, names, report, layers, seen, (*stack, name.text))
            layers.append(_layer(body, where, report, ()))
        here.setdefault(name.text, name)


def _fits_template(item: ast.Item, report: Report) -> bool:
    if isinstance(item, _TEMPLATE):
        return True
    _misplaced(item, "template", report)
    return False


def _layer(items: tuple[ast.Item, ...], where: Where, report: Report, options: tuple[Option, ...]) -> Layer:
    known: dict[str, ast.Assign] = {}
    chosen: dict[str, ast.Assign] = {}
    option_names = {option.name for option in options}
    if where == "target":
        option_names.add("version")
    for item in items:
        if not isinstance(item, _ALLOWED[where]):
            _misplaced(item, where, report)
        elif isinstance(item, ast.Assign):
            table = chosen if item.key.text in option_names else known
            if table is chosen or _legal(item.key, where, options, report):
                _add(item, table, report)
    return Layer(
        known,
        tuple(item for item in items if isinstance(item, ast.Mount)),
        tuple(item for item in items if isinstance(item, ast.Output)),
        tuple(item for item in items if isinstance(item, ast.Policy)),
        chosen,
    )


def _add(item: ast.Assign, table: dict[str, ast.Assign], report: Report) -> None:
    first = table.setdefault(item.key.text, item)
    if first is not item:
        found = name_rules.DUPLICATE_KEY(item.key.span, name=item.key.text)
        report(found.note(first.key.span, "first set here"))


def _legal(key: ast.Name, where: Where, options: tuple[Option, ...], report: Report) -> bool:
    row = attributes.BY_NAME.get(key.text)
    if row is None:
        _unknown_attribute(key, where, options, report)
        return False
    if where == "role" and not row.in_role:
        found = name_rules.MISPLACED_ATTRIBUTE(key.span, name=key.text, where="role")
        report(found.help(f"{key.text} is about the whole job: put it into the job block"))
        return False
    if where != "role" and not row.in_job:
        found = name_rules.MISPLACED_ATTRIBUTE(key.span, name=key.text, where=where)
        report(found.help(f"{key.text} is about one role: put it into a role block"))
        return False
    return True


def _unknown_attribute(key: ast.Name, where: Where, options: tuple[Option, ...], report: Report) -> None:
    found = name_rules.UNKNOWN_ATTRIBUTE(key.span, where=where, name=key.text)
    if key.text in FOREIGN:
        report(found.help(FOREIGN[key.text]))
        return
    rows = [row for row in attributes.ATTRIBUTES if (row.in_role if where == "role" else row.in_job)]
    candidates = [row.name for row in rows] + [option.name for option in options]
    aliases = alias_table((row.name, row.aliases) for row in attributes.ATTRIBUTES)
    near = closest(key.text, candidates, aliases)
    if near is None:
        near = closest(key.text, attributes.BY_NAME)
    report(found.help(f"did you mean {near}?").replacing(f"write {near}", near) if near else found)


_WORDS: dict[type, str] = {
    ast.Role: "a role",
    ast.Cluster: "cluster",
    ast.Build: "build",
    ast.Target: "a target",
    ast.Patch: "a patch",
    ast.Use: "use",
    ast.Mount: "a mount",
    ast.Output: "an output",
    ast.Policy: "a policy",
    ast.Assign: "an attribute",
}


def _misplaced(item: ast.Item, where: str, report: Report) -> None:
    span = item.span
    if isinstance(item, ast.Cluster | ast.Build):
        span = item.word
    elif isinstance(item, ast.Role | ast.Target):
        span = item.name.span
    elif isinstance(item, ast.Patch):
        span = item.path.span
    found = name_rules.MISPLACED_ITEM(span, item=_WORDS[type(item)], where=where)
    report(
        found.help("patches stand in a target block" if isinstance(item, ast.Patch) else "put it into the job block")
    )


def _roles(items: Iterable[ast.Item], names: Names, report: Report, where: Where) -> dict[str, RoleBlock]:
    blocks: dict[str, RoleBlock] = {}
    for item in items:
        if not isinstance(item, ast.Role):
            continue
        name = item.name
        if not known_role(name, report):
            continue
        layers = _layers(item.items, "role", names, report, ())
        _check_role_attributes(name.text, layers, report)
        first = blocks.setdefault(name.text, RoleBlock(item, layers))
        if first.node is not item:
            found = name_rules.DUPLICATE_BLOCK(name.span, name=f"role {name.text}", where=where)
            report(found.note(first.node.name.span, "first here"))
    return blocks


def known_role(name: ast.Name, report: Report) -> bool:
    """Whether ``name`` is a role of the language; reported if not."""
    if name.text in roles.BY_NAME:
        return True
    found = name_rules.UNKNOWN_ROLE(name.span, name=name.text)
    near = closest(name.text, roles.ROLE_NAMES, alias_table((row.name, row.aliases) for row in roles.ROLES))
    if near is not None:
        found = found.help(f"did you mean {near}?").replacing(f"write {near}", near)
    else:
        found = found.help(f"roles are {listing(roles.ROLE_NAMES)}")
    report(found)
    return False


def _check_role_attributes(role: str, layers: tuple[Layer, ...], report: Report) -> None:
    for layer in layers:
        for name, assign in layer.attributes.items():
            only = attributes.BY_NAME[name].roles
            if only and role not in only:
                found = name_rules.MISPLACED_ATTRIBUTE(assign.key.span, name=name, where=f"role {role}")
                report(found.help(f"{name} is for {listing(only)}"))


def _targets(items: Iterable[ast.Item], names: Names, report: Report) -> dict[str, TargetBlock]:
    blocks: dict[str, TargetBlock] = {}
    for item in items:
        if not isinstance(item, ast.Target):
            continue
        rows = names.find_target(item.name.text)
        if rows is None:
            report(unknown_target(item.name, names.target_names))
            continue
        block = TargetBlock(
            item,
            rows.name,
            _layers(item.items, "target", names, report, rows.options),
            _roles(item.items, names, report, "target"),
            tuple(inner for inner in item.items if isinstance(inner, ast.Patch)),
        )
        first = blocks.setdefault(rows.name, block)
        if first is not block:
            found = name_rules.DUPLICATE_BLOCK(item.name.span, name=f"target {rows.name}", where="job")
            report(found.note(first.node.name.span, "first here"))
    return blocks


def unknown_target(name: ast.Name, known: tuple[str, ...]) -> Diagnostic:
    """There is no such target; which one was meant."""
    found = name_rules.UNKNOWN_TARGET(name.span, name=name.text)
    aliases = {"k8s": "kubernetes", "kube": "kubernetes", "vcjob": "volcano", "kubeflow": "tfjob", "hadoop": "yarn",
               "distributedshell": "yarn", "job": "kubernetes", "training-operator": "tfjob"}  # fmt: skip
    near = closest(name.text, known, aliases)
    if near is not None:
        return found.help(f"did you mean {near}?").replacing(f"write {near}", near)
    return found.help(f"targets are {listing(known)}")


def _once(items: Iterable[ast.Item], kind: type[Block], word: str, report: Report) -> Block | None:
    found = [item for item in items if isinstance(item, kind)]
    for item in found[1:]:
        diagnostic = name_rules.DUPLICATE_BLOCK(item.word, name=word, where="job")
        report(diagnostic.note(found[0].word, "first here"))
    return found[0] if found else None
