"""The picture of a job: its boxes and links, from the IR and, for a target, from what was generated.

What a job reads and writes outside of its replicas is a store; what only a replica itself has (``scratch``, ``memory``,
``/dev/shm``) is a line of its role's box.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from itertools import combinations
from typing import TypeAlias

from tfdsl.backend import TargetObject
from tfdsl.backend.objects import CLAIM
from tfdsl.diagnostics.render.columns import visible
from tfdsl.drawing.picture import FRAME, Box, Line, Link, LinkKind, Picture, cut
from tfdsl.ir.cluster_spec import IN_CLUSTER
from tfdsl.ir.flow import Flow, FlowRun
from tfdsl.ir.model import (
    ClaimMount,
    ConfigMapMount,
    Job,
    Mount,
    Output,
    Policy,
    PvcMount,
    Role,
    SecretMount,
    Step,
    in_memory,
)
from tfdsl.ir.policies import ranges
from tfdsl.lifecycle.flow import overlap_words
from tfdsl.record import Record, replace
from tfdsl.rules.values import literal, parts_of

_APART = 3
"""So many stores that the same roles use in the same way have a box each; more are lines of one box."""
_MOST_LINKS = 500
"""Links between the jobs of a flow, as many as Mermaid draws: of more, those that others imply are left out."""
_MOST_LABELS = 4
"""Lines of the label of a link."""
_KINDS: tuple[LinkKind, ...] = ("output", "logs", "mount", "variables")
"""Of several ways in which a role uses a store, the first is that of the link."""
_MANY = {"mount": "mount", "variables": "source of variables", "output": "destination", "logs": "folder"}


def picture(job: Job, target: str = "", objects: Sequence[TargetObject] = ()) -> Picture:
    """The picture of ``job``. ``objects``: what ``target``, a name with a version, has for it."""
    roles = [*role_boxes(job)]
    taken = {(target_object.kind, visible(target_object.name)): target_object for target_object in objects}
    found, links = _stores(job)
    stores = [_with_object(box, keys, taken) for box, keys in found]
    of_role = [target_object for target_object in taken.values() if target_object.role]
    roles = [
        replace(
            box,
            lines=(
                *_said_of(target_object for target_object in of_role if role_id(target_object.role) == box.id),
                *box.lines,
            ),
        )
        for box in roles
    ]
    whole = [
        _object_box(number, target_object)
        for number, target_object in enumerate(taken.values())
        if not target_object.role
    ]
    links = [*role_links(job), *links, *(Link(box.id, FRAME, "object") for box in whole if not box.implied)]
    return Picture(job.name, visible(target), tuple(job_lines(job)), (*roles, *stores, *whole), tuple(links))


def flow_picture(flow: Flow, jobs: Mapping[str, Job], target: str = "") -> Picture:
    """The picture of ``flow``. ``jobs``: by their names in it."""
    ids = {run.job: f"run-{at}" for at, run in enumerate(flow.runs)}
    boxes = [
        Box(ids[run.job], "run", run.job, "job", lines=tuple(_roles(jobs[run.job])), path=run.path) for run in flow.runs
    ]
    links = [
        Link(
            ids[job],
            ids[run.job],
            run.ending,
            "" if run.ending == "succeeded" else run.ending,
            path=f"{run.path}.after",
        )
        for run, before in _befores(flow)
        for job in before
    ]
    zone = f" ({flow.time_zone})" if flow.time_zone is not None else ""
    when = f"{flow.schedule}{zone}" if flow.schedule is not None else ""
    lines = tuple(Line("fact", text, path) for text, path in _flow_facts(flow))
    return Picture(flow.name, visible(target), lines, tuple(boxes), tuple(links), what="flow", when=visible(when))


def _befores(flow: Flow) -> Iterator[tuple[FlowRun, Sequence[str]]]:
    """Each job with those that it comes after: in a large flow without those that another of them comes after.

    What comes after a job has waited for its end; and for its success, if each job between has.
    """
    if sum(len(run.after) for run in flow.runs) <= _MOST_LINKS:
        yield from ((run, run.after) for run in flow.runs)
        return
    above: dict[str, dict[str, set[str]]] = {"ended": {}, "succeeded": {}}
    for job in TopologicalSorter({run.job: run.after for run in flow.runs}).static_order():
        run = flow.run_of(job)
        for ending, of in above.items():
            counts = run.after if ending in ("ended", run.ending) else ()
            of[job] = set(counts).union(*(of[one] for one in counts))
    for run in flow.runs:
        of = above["ended" if run.ending == "ended" else "succeeded"]
        implied = set[str]().union(*(of[name] for name in run.after))
        yield run, [job for job in run.after if job not in implied]


def _roles(job: Job) -> Iterator[Line]:
    roles = (role.name if role.replicas == 1 else f"{role.name} ×{role.replicas:,}" for role in job.roles)
    yield Line("fact", ", ".join(roles))


def _flow_facts(flow: Flow) -> Iterator[tuple[str, str]]:
    """Words and the field that they are about."""
    if flow.schedule is not None:
        yield f"a run that is due while another runs {overlap_words(flow.overlap)}", "overlap"
    if flow.deadline is not None:
        yield f"at most {flow.deadline.text}", "deadline"
    if flow.namespace is not None:
        yield f"namespace {shown(flow.namespace)}", "namespace"


# --- stores ----------------------------------------------------------------------------------------------------------


class _Used(Record):
    """A store and all its uses."""

    store: Store
    uses: tuple[Use, ...]

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that use it, in order."""
        return tuple(dict.fromkeys(use.role for use in self.uses))

    def kind(self, role: str) -> LinkKind:
        """How a role uses it, first of all."""
        kinds = {use.kind for use in self.uses if use.role == role}
        return next(kind for kind in _KINDS if kind in kinds)

    def words(self, role: str) -> tuple[str, ...]:
        """What is to be said about how a role uses it."""
        return tuple(dict.fromkeys(use.words for use in self.uses if use.role == role))


def _stores(job: Job) -> tuple[list[tuple[Box, tuple[Key, ...]]], list[Link]]:
    """The boxes, each with the keys of its stores, and the links to them."""
    by_key: dict[Key, list[Use]] = {}
    for use in uses(job):
        by_key.setdefault(use.store.key, []).append(use)
    checkpoint = _checkpoint(job)
    alike: dict[object, list[_Used]] = {}
    for key, of_store in by_key.items():
        used = _Used(of_store[0].store, tuple(of_store))
        signature = tuple((role, used.kind(role)) for role in used.roles)
        alike.setdefault((signature, key == checkpoint), []).append(used)
    boxes: list[tuple[Box, tuple[Key, ...]]] = []
    links: list[Link] = []
    for group in alike.values():
        parts = [group] if len(group) > _APART else [[one] for one in group]
        for part in parts:
            box = _box(f"store-{len(boxes)}", part)
            if part[0].store.key == checkpoint:
                box = replace(box, lines=(*box.lines, Line("fact", "checkpoints", "checkpoint")))
            boxes.append((box, tuple(one.store.key for one in part)))
            links += _links(job, box, part)
    return boxes, links


def _checkpoint(job: Job) -> Key | None:
    """The store that the folder of checkpoints is in."""
    if job.checkpoint is None:
        return None
    checkpoints = (store_of(job, role, job.checkpoint, "checkpoint") for role in job.roles)
    return next((store.key for store in checkpoints if store is not None), None)


def _box(identity: str, group: Sequence[_Used]) -> Box:
    first = group[0].store
    if len(group) == 1:
        return Box(identity, "store", first.name, first.what, path=first.path)
    items = [Line("item", _item(used), used.store.path) for used in group]
    kinds = [*dict.fromkeys(used.kind(role) for used in group for role in used.roles)]
    thing = _MANY[kinds[0]] if len(kinds) == 1 else "store"
    name = counted(len(group), thing).replace("variabless", "variables")
    return Box(identity, "store", name, "", lines=tuple(cut(items)), path=first.path)


def _item(used: _Used) -> str:
    words = dict.fromkeys(word for role in used.roles for word in used.words(role))
    return f"{used.store.what} {used.store.name}: {', '.join(words)}".replace("\n", " ")


def _links(job: Job, box: Box, group: Sequence[_Used]) -> Iterator[Link]:
    """A link of the job for what all roles do alike, and one for each role that does more."""
    used, alone = group[0], len(group) == 1
    how = {role: {(use.kind, use.words): use for use in used.uses if use.role == role} for role in used.roles}
    shared = [way for way in how[used.roles[0]] if all(way in ways for ways in how.values())]
    if len(how) == len(job.roles) > 1 and shared:
        yield _link(FRAME, box, [how[used.roles[0]][way] for way in shared], alone=alone)
    else:
        shared = []
    for role, ways in how.items():
        own = [use for way, use in ways.items() if way not in shared]
        if own:
            yield _link(role_id(role), box, own, alone=alone)


def _link(source: str, box: Box, uses: Sequence[Use], *, alone: bool) -> Link:
    first = min(uses, key=lambda use: _KINDS.index(use.kind))
    return Link(source, box.id, first.kind, _label([use.words for use in uses]) if alone else "", path=first.path)


def _label(words: Sequence[str]) -> str:
    lines = [line for word in words for line in word.split("\n")]
    if len(lines) <= _MOST_LABELS:
        return "\n".join(lines)
    return "\n".join([*lines[: _MOST_LABELS - 1], f"… and {len(lines) - _MOST_LABELS + 1:,} more"])


# --- objects of the target -------------------------------------------------------------------------------------------


def _with_object(box: Box, keys: Iterable[Key], objects: dict[Key, TargetObject]) -> Box:
    """``box`` with the objects that its stores are, which are taken out of ``objects``."""
    target_objects = [objects.pop(key) for key in keys if key in objects]
    return replace(box, lines=(*_said_of(target_objects), *box.lines)) if target_objects else box


def _said_of(objects: Iterable[TargetObject]) -> Iterator[Line]:
    """Lines about ``objects`` in the box of a role or store."""
    for target_object in objects:
        yield Line("object", f"{target_object.kind} {visible(target_object.name)}")
        yield from (Line("object", f"  {visible(line)}") for line in target_object.lines)


def _object_box(number: int, target_object: TargetObject) -> Box:
    lines = [Line("fact", visible(line)) for line in target_object.lines]
    if target_object.maker:
        lines.append(Line("fact", f"made by {target_object.maker}"))
    return Box(
        f"object-{number}",
        "object",
        visible(target_object.name),
        target_object.kind,
        lines=tuple(cut(lines)),
        implied=bool(target_object.maker),
    )


# --- roles -----------------------------------------------------------------------------------------------------------

_TOGETHER = ("chief", "master", "worker", "ps")
"""Roles of the cluster as pictures have them: who leads is above who is led, parameters are below."""


_IN_LINE = 4
"""Facts about the job in a line."""


def role_id(name: str) -> str:
    """The id of the box of a role."""
    return f"role-{name}"


def role_boxes(job: Job) -> Iterator[Box]:
    """One box for each role, whatever the number of its replicas."""
    for role in job.roles:
        lines = [*_facts(job, role), *cut([*_steps(role)]), *cut([*_space(role)]), *cut([*_policy_lines(job, role)])]
        yield Box(role_id(role.name), "role", role.name, "role", role.replicas, tuple(lines), role.path)


def _facts(job: Job, role: Role) -> Iterator[Line]:
    path = role.path
    size = devices(role)
    if size:
        yield Line("fact", size, path)
    if not role.is_board and role.min_available < role.replicas and job.gang and not role.after:
        yield Line("fact", f"starts when {role.min_available:,} can", f"{path}.min_available")
    if role.server:
        yield Line("fact", "TensorFlow server", f"{path}.server")
    if role.name in IN_CLUSTER or role.is_board:
        yield Line("fact", f"port {role.port}", f"{path}.port")
    for name, port in role.ports.items():
        yield Line("fact", f"port {port} ({shown(name)})", f"{path}.ports[{name}]")
    if role.replicas > 1 and role.name in _TOGETHER and _know_each_other(job) and job.role("ps") is None:
        yield Line("fact", f"each talks to all ({job.cluster.protocol})", f"{path}.replicas")
    if role.node_selector:
        words = (f"{shown(key)}={_any_of(value)}" for key, value in role.node_selector.items())
        yield Line("fact", f"on nodes {', '.join(words)}", f"{path}.node_selector")
    if role.node_label is not None:
        yield Line("fact", f"on nodes {shown(role.node_label)}", f"{path}.node_label")
    if role.spread == "node":
        yield Line("fact", "each on a node of its own", f"{path}.spread")


def _any_of(value: str | tuple[str, ...]) -> str:
    return shown(value) if isinstance(value, str) else "|".join(shown(item) for item in value)


def _steps(role: Role) -> Iterator[Line]:
    for step in role.steps:
        yield Line("step", _step(step), step.path)


def _step(step: Step) -> str:
    gpus = f" ({counted(step.gpu, 'GPU')})" if step.gpu else ""
    return f"{step.kind} {shown(step.name)}{gpus}"


def _space(role: Role) -> Iterator[Line]:
    """What a replica has for itself."""
    for memory in in_memory(role):
        yield Line("space", f"{memory.size.text} at {memory.at}", f"{role.path}.{memory.name}")
    for mount in role.mounts:
        if mount.kind == "scratch":
            size = f" {mount.size.text}" if mount.size is not None else ""
            yield Line("space", f"scratch{size} at {shown(mount.at)}", mount.path)
        elif mount.kind == "memory":
            size = f" {mount.size.text}" if mount.size is not None else ""
            yield Line("space", f"memory{size} at {shown(mount.at)}", mount.path)


def _policy_lines(job: Job, role: Role) -> Iterator[Line]:
    for policy in job.policies:
        if policy.role == role.name:
            yield Line(
                "policy" if policy.written else "default policy",
                f"on {policy_words(policy, subject=False)}",
                policy.path,
            )


# --- the job as a whole ----------------------------------------------------------------------------------------------


def job_lines(job: Job) -> Iterator[Line]:
    """What holds for the whole job."""
    facts = [*_job_facts(job)]
    for start in range(0, len(facts), _IN_LINE):
        part = facts[start : start + _IN_LINE]
        yield Line("fact", " · ".join(text for text, _ in part), part[0][1])
    policies = [
        Line("policy" if policy.written else "default policy", f"on {policy_words(policy, subject=True)}", policy.path)
        for policy in job.policies
        if policy.role is None
    ]
    yield from cut(policies)


def _job_facts(job: Job) -> Iterator[tuple[str, str]]:
    """Words and the field that they are about."""
    for name, value in (("namespace", job.namespace), ("queue", job.queue), ("priority", job.priority)):
        if value is not None:
            yield f"{name} {shown(str(value))}", name
    if sum(role.replicas for role in job.training_roles) > 1:
        yield ("starts as a gang" if job.gang else "no gang"), "gang"
    if job.retries:
        yield counted(job.retries, "retry").replace("retrys", "retries"), "retries"
    if job.deadline is not None:
        yield f"at most {job.deadline.text}", "deadline"
    if job.ttl is not None:
        yield f"removed after {job.ttl.text}", "ttl"
    if job.suspend:
        yield "suspended", "suspend"
    if job.checkpoint is not None:
        yield f"checkpoints in {shown(job.checkpoint)}", "checkpoint"


# --- links -----------------------------------------------------------------------------------------------------------


def role_links(job: Job) -> Iterator[Link]:
    """Who talks to whom, and who starts after whom."""
    yield from _peers(job)
    for role in job.roles:
        for other in role.after:
            if job.role(other) is not None:
                yield Link(role_id(role.name), role_id(other), "after", "starts after", path=f"{role.path}.after")


def _know_each_other(job: Job) -> bool:
    return job.cluster.discovery != "none" or any(role.server for role in job.roles)


def _peers(job: Job) -> Iterator[Link]:
    """The roles of the cluster spec: each of their tasks knows the address of every other one."""
    if not _know_each_other(job):
        return
    members = [role for name in _TOGETHER if (role := job.role(name)) is not None]
    for first, second in combinations(members, 2):
        yield Link(role_id(first.name), role_id(second.name), "peers", job.cluster.protocol, both=True)


# --- what roles read and write ---------------------------------------------------------------------------------------

Key: TypeAlias = tuple[str, str]
"""What kind of thing a store is, and its name."""


class Store(Record):
    """One store. ``key`` is that of the object where it is one; ``path``: the first statement that names it."""

    key: Key
    name: str
    what: str
    path: str


class Use(Record):
    """That a role uses a store: how, in a few words, and the IR path of the statement."""

    store: Store
    role: str
    kind: LinkKind
    words: str
    path: str


def uses(job: Job) -> Iterator[Use]:
    """All uses, role by role in the order of the job."""
    for role in job.roles:
        yield from _mounts(job, role)
        yield from _variables(role)
        yield from _outputs(job, role)
        yield from _logs(job, role)


# --- mounts ----------------------------------------------------------------------------------------------------------


def _mounts(job: Job, role: Role) -> Iterator[Use]:
    for mount in role.mounts:
        store = _store(job, mount)
        if store is not None:
            yield Use(store, role.name, "mount", _mounted(mount, store), mount.path)


def _mounted(mount: Mount, store: Store) -> str:
    """``/data (read-only)``, ``corpus at /data``."""
    part = ""
    if isinstance(mount, PvcMount | ClaimMount | ConfigMapMount | SecretMount) and mount.sub_path is not None:
        part = f"{shown(mount.sub_path)} at "
    elif mount.kind == "hdfs":
        part = f"{shown(mount.uri).removeprefix(store.name)} at "
    elif mount.kind == "archive":
        rest = shown(mount.source).removeprefix(store.name)
        part = f"{rest} unpacked at " if rest else "unpacked at "
    only = " (read-only)" if mount.readonly and mount.kind in ("pvc", "claim", "host", "nfs") else ""
    return f"{part}{shown(mount.at)}{only}"


def _store(job: Job, mount: Mount) -> Store | None:
    if mount.kind == "pvc":
        return Store((CLAIM, shown(mount.claim)), shown(mount.claim), "existing claim", mount.path)
    if mount.kind == "claim":
        claim = next(one for one in job.claims if one.name == mount.claim)
        what = f"new claim of {claim.size.text}" + (", kept" if claim.keep else "")
        return Store((CLAIM, f"{job.name}-{claim.name}"), shown(claim.name), what, mount.path)
    if mount.kind == "host":
        return Store(("host", shown(mount.source)), shown(mount.source), "on the node", mount.path)
    if mount.kind == "nfs":
        export = f"{shown(mount.server)}:{shown(mount.share)}"
        return Store(("nfs", export), export, "NFS export", mount.path)
    if mount.kind == "configmap":
        return _config_map(shown(mount.name), mount.path)
    if mount.kind == "secret":
        return _secret(shown(mount.name), mount.path)
    if mount.kind == "hdfs":
        return _remote(mount.uri, mount.path)
    if mount.kind == "archive":
        source = shown(mount.source)
        return _remote(mount.source, mount.path) or Store(("archive", source), source, "archive", mount.path)
    return None


def _secret(name: str, path: str) -> Store:
    return Store(("Secret", name), name, "Secret", path)


def _config_map(name: str, path: str) -> Store:
    return Store(("ConfigMap", name), name, "ConfigMap", path)


def _remote(text: object, path: str) -> Store | None:
    """The file system of a URI: what is before its path."""
    scheme, mark, rest = shown(text).partition("://")
    if not mark:
        return None
    name = f"{scheme}://{rest.partition('/')[0]}"
    return Store(("files", name), name, "HDFS" if scheme == "hdfs" else "remote files", path)


# --- variables -------------------------------------------------------------------------------------------------------


def _variables(role: Role) -> Iterator[Use]:
    """Variables of the command and its steps, and what the image is pulled with."""
    for name, value in role.env.items():
        path = f"{role.path}.env[{name}]"
        if isinstance(value, str):
            continue
        if value.kind == "secret":
            store = _secret(shown(value.name), path)
        elif value.kind == "configmap":
            store = _config_map(shown(value.name), path)
        else:
            continue
        yield Use(store, role.name, "variables", f"variable {shown(name)}", path)
    for number, source in enumerate(role.env_from):
        path = f"{role.path}.env_from[{number}]"
        make = _secret if source.kind == "secret" else _config_map
        yield Use(make(shown(source.name), path), role.name, "variables", "all keys as variables", path)
    for number, name in enumerate(role.image_pull_secrets):
        path = f"{role.path}.image_pull_secrets[{number}]"
        yield Use(_secret(shown(name), path), role.name, "variables", "pulls the image", path)


# --- outputs, checkpoints, logs --------------------------------------------------------------------------------------


def _outputs(job: Job, role: Role) -> Iterator[Use]:
    for output in role.outputs:
        store = store_of(job, role, output.destination, output.path)
        if store is not None:
            yield Use(store, role.name, "output", output_words(output), output.path)


def _logs(job: Job, role: Role) -> Iterator[Use]:
    if role.logdir is not None:
        path = f"{role.path}.logdir"
        store = store_of(job, role, role.logdir, path)
        if store is not None:
            yield Use(store, role.name, "logs", f"shows {shown(role.logdir)}", path)


def store_of(job: Job, role: Role, place: object, path: str) -> Store | None:
    """What a file or folder of ``role`` is in: a file system of its own, or the mount with the longest path."""
    remote = _remote(place, path)
    if remote is not None:
        return remote
    text = literal((parts_of(place) or ("",))[0])
    around = [mount for mount in role.mounts if f"{text}/".startswith(f"{mount.at.rstrip('/')}/")]
    return _store(job, max(around, key=lambda mount: len(mount.at))) if around else None


# --- statements in a few words ---------------------------------------------------------------------------------------

_WHEN = {"success": "on success", "failure": "on failure", "always": "always"}


def shown(text: object) -> str:
    """A text of the job on one line; what is known only at run time is ``${task.index}`` or ``${env.NAME}``."""
    return visible("".join(_part(part) for part in parts_of(text) or ()))


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    return "${task.index}" if getattr(part, "kind", "") == "task_index" else f"${{env.{getattr(part, 'name', '')}}}"


def counted(count: int, thing: str) -> str:
    """``1 replica``, ``4,000 replicas``."""
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def devices(role: Role) -> str:
    """What a replica of a role is given: ``2 GPUs · 4 CPUs · 16Gi``; empty when it asks for nothing."""
    words: list[str] = []
    if role.gpu:
        words.append(counted(role.gpu, "GPU") + (f" ({shown(role.gpu_resource)})" if role.gpu_resource else ""))
    if role.gpu_memory is not None:
        words.append(f"{role.gpu_memory.text} of a GPU")
    if role.cpu is not None:
        words.append(f"{role.cpu.text} CPU" + ("" if role.cpu.milli <= 1000 else "s"))
    if role.memory is not None:
        words.append(role.memory.text)
    words += [f"{amount} {shown(name)}" for name, amount in role.resources.items()]
    return " · ".join(words)


def policy_words(policy: Policy, *, subject: bool) -> str:
    """``worker[1] exit 137 after 5s → restart pod``; without ``subject`` only what follows it."""
    words: list[str] = []
    if policy.index is not None:
        words.append(f"{policy.role}[{policy.index}]")
    elif subject and policy.role is not None:
        words.append(policy.role)
    words.append(policy.event)
    if policy.codes:
        words.append(ranges(policy.codes))
    if policy.count is not None:
        words.append(f"{policy.count:,}")
    if policy.delay is not None:
        words.append(f"after {policy.delay.text}")
    return f"{' '.join(words)} → {policy.action}"


def output_words(output: Output) -> str:
    """``/tmp/model`` and below it ``→ /data/model on success``."""
    who = "" if output.index is None else f"replica {output.index}: "
    return f"{who}{shown(output.source)}\n→ {shown(output.destination)} {_WHEN[output.when]}"


def listed(words: Iterable[str]) -> str:
    """``a, b and c``."""
    *first, last = [*words] or [""]
    return f"{', '.join(first)} and {last}" if first else last
