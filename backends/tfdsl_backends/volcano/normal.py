"""The normal form of Volcano's jobs: what its webhook fills in, what its controller overwrites or never looks at.

``spec.volumes`` are volumes that the controller mounts in every container of every task. An existing claim that is
named there is the same as a volume of each pod template, which the controller makes of it (pkg/controllers/job,
``createJobPod``; init containers get nothing). Of two entries with one claim only the first is mounted. A claim that is
described there is made for the job, and goes with it.

Pods that are kept on different nodes are named by the labels that the controller gives them. In a job with one task,
the pods of the job are the pods of the task. Which of the two a selector names, and whether as a label or as an
expression of one value, is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence as Many
from functools import cache
from typing import Final

from tfdsl.manifest.nodes import (
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    changed,
    child,
    each,
    items,
    mapping,
    scalar,
    text,
    view,
    with_value,
    within,
    without,
)
from tfdsl.record import Record
from tfdsl.text import Span
from tfdsl_backends.podspec.fields import absent
from tfdsl_backends.podspec.normal import documents
from tfdsl_backends.podspec.normal.documents import dialect, document, with_names_of
from tfdsl_backends.podspec.normal.rules import in_containers, with_each, without_entries
from tfdsl_backends.podspec.normal.walk import Defaults, Dialect, Rule, Sets, Types
from tfdsl_backends.podspec.plan import PORT_NAME
from tfdsl_backends.volcano.controller import MAX_RETRY, minimums, of_task
from tfdsl_backends.volcano.features import API_VERSION, plugin_variables
from tfdsl_backends.volcano.fields import SPEC
from tfdsl_backends.volcano.names import ANNOTATIONS, JOB, LABELS, labels
from tfdsl_backends.volcano.normal_policies import (
    gang,
    in_their_order,
    policies as lifecycle,
    with_defaults,
    with_minimum_of,
)

_PLACE: Final = ("template", "spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


def by_task(job: Node) -> Node:
    """``job`` with selectors that mean its own pods, of its one task, as labels of that task."""
    tasks = items(child(job, "spec", "tasks"))
    name, task = scalar(child(job, "metadata", "name")), scalar(child(tasks[0], "name")) if len(tasks) == 1 else None
    if not isinstance(name, str) or not isinstance(task, str):
        return job
    wanted = labels(name, task)

    def term(node: Mapping) -> Node:
        selector = node.get("labelSelector")
        if selector is None or not _means(selector, wanted):
            return node
        if any(node.get(key) is not None for key in ("namespaces", "namespaceSelector")):
            return node
        return with_value(node, "labelSelector", _selector(wanted, selector.span))

    def in_task(node: Node) -> Node:
        return changed(node, _PLACE, lambda terms: each(terms, term))

    return changed(job, ("spec", "tasks"), lambda listed: each(listed, in_task))


def _means(selector: Node, wanted: dict[str, str]) -> bool:
    """Whether ``selector`` names the job, and if a task, the one that it has."""
    defaults: dict[str, object] = {}
    named = child(selector, "matchLabels")
    if isinstance(named, Mapping):
        defaults.update({key: scalar(entry.value) for key, entry in named.entries.items()})
    for item in items(child(selector, "matchExpressions")):
        key, values = scalar(child(item, "key")), [scalar(value) for value in items(child(item, "values"))]
        if scalar(child(item, "operator")) != "In" or len(values) != 1 or not isinstance(key, str) or key in defaults:
            return False
        defaults[key] = values[0]
    return defaults.get(JOB) == wanted[JOB] and all(wanted.get(key) == value for key, value in defaults.items())


def _selector(wanted: dict[str, str], span: Span) -> Node:
    entries: dict[str, Node] = {key: Scalar(value, span) for key, value in wanted.items()}
    return mapping({"matchLabels": mapping(entries, span)}, span)


_TEMPLATE: Final = ("template", "spec")


class JobVolume(Record):
    """One entry. ``claim``: the name of an existing claim; ``made``: the description of a new one."""

    path: str
    claim: str | None
    made: Node | None
    node: Node


def job_volumes(job: Node) -> list[JobVolume]:
    """The entries that the webhook would take."""
    volumes: list[JobVolume] = []
    for entry in items(child(job, "spec", "volumes")):
        path, claim = scalar(child(entry, "mountPath")), scalar(child(entry, "volumeClaimName"))
        made = child(entry, "volumeClaim")
        if isinstance(path, str) and path and (isinstance(claim, str) and claim != "") != isinstance(made, Mapping):
            volumes.append(JobVolume(path, claim if isinstance(claim, str) else None, made, entry))
    return volumes


def without_generated_names(job: Node) -> Node:
    """``job`` without the names that the controller writes beside the claims that it has made."""
    start = f"{scalar(child(job, 'metadata', 'name'))}-pvc-"

    def volume(node: Mapping) -> Node:
        name = scalar(node.get("volumeClaimName"))
        is_generated = "volumeClaim" in node.entries and isinstance(name, str) and name.startswith(start)
        return without(node, ("volumeClaimName",)) if is_generated else node

    return changed(job, ("spec", "volumes"), lambda volumes: each(volumes, volume))


def in_templates(job: Node, chosen: Callable[[JobVolume], str | None]) -> Node:
    """``job`` with entries of ``spec.volumes`` as volumes of the pod templates.

    ``chosen``: the claim that a pod would name for an entry, ``None`` to leave the entry where it is.
    """
    moved: list[tuple[JobVolume, str]] = []
    for volume in job_volumes(job):
        name = chosen(volume)
        if name is not None:
            moved.append((volume, name))
    if not moved:
        return job
    first: dict[str, JobVolume] = {}
    for volume, name in moved:
        first.setdefault(name, volume)
    mounted = [(volume, name) for name, volume in first.items()]
    job = changed(job, ("spec", "tasks"), lambda tasks: each(tasks, lambda task: _with_volumes(task, mounted)))
    return _without_entries(job, [volume.node for volume, _ in moved])


def _without_entries(job: Node, moved: Iterable[Node]) -> Node:
    gone = {id(node) for node in moved}
    spec = child(job, "spec")
    if not isinstance(spec, Mapping) or not isinstance(job, Mapping):
        return job
    old = spec.get("volumes")
    left = tuple(item for item in items(old) if id(item) not in gone)
    new = with_value(spec, "volumes", Sequence(left, old.span)) if left and old else without(spec, ("volumes",))
    return with_value(job, "spec", new)


def _with_volumes(task: Node, volumes: list[tuple[JobVolume, str]]) -> Node:
    pod = child(task, *_TEMPLATE)
    if not isinstance(pod, Mapping):
        return task
    taken = {scalar(child(item, "name")) for item in items(pod.get("volumes"))}
    named = [(_free(f"job-volume-{number}", taken), *volume) for number, volume in enumerate(volumes)]
    added = [_volume(name, claim, volume.node.span) for name, volume, claim in named]
    pod = with_value(pod, "volumes", _extended(pod.get("volumes"), added))
    mounts = [(volume.path, _mount(name, volume)) for name, volume, _ in named]
    containers = pod.get("containers")
    if containers is not None:
        pod = with_value(pod, "containers", each(containers, lambda item: _with_mounts(item, mounts)))
    return changed(task, _TEMPLATE, lambda _: pod)


def _with_mounts(container: Mapping, mounts: list[tuple[str, Node]]) -> Node:
    own = container.get("volumeMounts")
    paths = {scalar(child(item, "mountPath")) for item in items(own)}
    added = [node for path, node in mounts if path not in paths]
    return with_value(container, "volumeMounts", _extended(own, added)) if added else container


def _extended(old: Node | None, added: list[Node]) -> Sequence:
    return Sequence((*items(old), *added), old.span if old is not None else added[0].span)


def _volume(name: str, claim: str, span: Span) -> Node:
    source = mapping({"claimName": Scalar(claim, span)}, span)
    return mapping({"name": Scalar(name, span), "persistentVolumeClaim": source}, span)


def _mount(name: str, volume: JobVolume) -> Node:
    span = volume.node.span
    return mapping({"name": Scalar(name, span), "mountPath": Scalar(volume.path, span)}, span)


def _free(name: str, taken: Iterable[object]) -> str:
    known = {*taken}
    while name in known:
        name = f"{name}-x"
    return name


HEADERS: Final = (API_VERSION, "scheduling.incubator.k8s.io/v1alpha1")
"""Today's header of a job, and the group that kube-batch had for its kinds."""

TEMPLATES: Final = ("flow.volcano.sh/v1alpha1", "batch.volcano.sh/v1alpha1")
KINDS: Final = {(API_VERSION, "Job"): "VolcanoJob"}
TYPES: Final[Types] = {
    "VolcanoJob": {"metadata": "ObjectMeta", "spec": "VolcanoJobSpec"},
    "VolcanoJobSpec": {
        "schedulerName": "s",
        "minAvailable": "i",
        "volumes": "[]VolcanoVolume",
        "tasks": "[]TaskSpec",
        "policies": "[]LifecyclePolicy",
        "plugins": "{}[]s",
        "runningEstimate": "*s",
        "queue": "s",
        "maxRetry": "i",
        "ttlSecondsAfterFinished": "*i",
        "priorityClassName": "s",
        "minSuccess": "*i",
        "networkTopology": "*NetworkTopologySpec",
    },
    "VolcanoVolume": {"mountPath": "s", "volumeClaimName": "s", "volumeClaim": "*PersistentVolumeClaimSpec"},
    "TaskSpec": {
        "name": "s",
        "replicas": "i",
        "minAvailable": "*i",
        "template": "PodTemplateSpec",
        "policies": "[]LifecyclePolicy",
        "topologyPolicy": "s",
        "maxRetry": "i",
        "dependsOn": "*DependsOn",
        "partitionPolicy": "*PartitionPolicySpec",
    },
    "DependsOn": {"name": "[]s", "iteration": "s"},
    "LifecyclePolicy": {"action": "s", "event": "s", "events": "[]s", "exitCode": "*i", "timeout": "*s"},
    "NetworkTopologySpec": {"mode": "s", "highestTierAllowed": "*i", "highestTierName": "s"},
    "PartitionPolicySpec": {
        "totalPartitions": "i",
        "partitionSize": "i",
        "minPartitions": "i",
        "networkTopology": "*NetworkTopologySpec",
    },
}
"""Source: volcano-sh/apis pkg/apis/batch/v1alpha1, and the CRD of Volcano 1.15."""

DEFAULTS: Final[Defaults] = {
    "VolcanoJobSpec": {**absent(SPEC), "maxRetry": MAX_RETRY},
    "PodSpec": {"dnsPolicy": ""},
    "TaskSpec": {"maxRetry": MAX_RETRY, "topologyPolicy": "none", "dependsOn": {}},
    "NetworkTopologySpec": {"mode": "hard"},
}
SETS: Final[Sets] = {
    "VolcanoJobSpec": {"tasks": ("name",), "volumes": ("mountPath",)},
    "DependsOn": {"name": ()},
}


def depends_on(spec: Mapping) -> Mapping:
    """Without an ``iteration`` that means all: everything but ``any``, and ``any`` of one."""
    names = {scalar(name) for name in items(spec.get("name"))}
    return spec if scalar(spec.get("iteration")) == "any" and len(names) > 1 else without(spec, ("iteration",))


def names(spec: Mapping) -> Mapping:
    """With the names that the webhook gives tasks without one: ``default`` and their position."""
    tasks = spec.get("tasks")
    if not isinstance(tasks, Sequence):
        return spec
    named: list[Node] = []
    for number, task in enumerate(tasks.items):
        if isinstance(task, Mapping) and not scalar(task.get("name")):
            task = with_value(task, "name", text(f"default{number}", task.span))
        named.append(task)
    return with_value(spec, "tasks", Sequence(tuple(named), tasks.span))


def volumes(spec: Mapping) -> Mapping:
    """Without mounts of a claim that is mounted already, which the controller skips, and generated names of claims."""
    own = spec.get("volumes")
    if not isinstance(own, Sequence):
        return spec
    kept: list[Node] = []
    claims: set[str] = set()
    for volume in own.items:
        claim = scalar(child(volume, "volumeClaimName"))
        if isinstance(volume, Mapping) and "volumeClaim" in volume.entries:
            kept.append(without(volume, ("volumeClaimName",)))
        elif not isinstance(claim, str) or claim not in claims:
            kept.append(volume)
            claims.update((claim,) if isinstance(claim, str) else ())
    return with_value(spec, "volumes", Sequence(tuple(kept), own.span))


def pods(spec: Mapping) -> Mapping:
    """Without what pods get from the job: its scheduler and priority, labels, annotations and variables."""
    scheduler = scalar(spec.get("schedulerName")) or "volcano"
    priority = scalar(spec.get("priorityClassName"))
    own = child(spec, "plugins")
    variables = plugin_variables(("env",) if child(own, "env") is not None else (), ())

    def pod(node: Mapping) -> Mapping:
        equal = {"schedulerName": scheduler, "priorityClassName": priority}
        node = without(node, [key for key, value in equal.items() if scalar(node.get(key)) == value])
        return in_containers(
            node, lambda item: without_entries(item, lambda entry: scalar(child(entry, "name")) in variables)
        )

    def task(node: Mapping) -> Mapping:
        node = within(node, ("template", "spec"), pod)
        node = within(node, ("template", "metadata", "labels"), lambda labels: without(labels, LABELS))
        return within(node, ("template", "metadata", "annotations"), lambda notes: without(notes, ANNOTATIONS))

    return with_each(spec, "tasks", task)


def dns_policy(pod: Mapping) -> Mapping:
    """Without the policy that the webhook, and after it the server, writes."""
    meant = "ClusterFirstWithHostNet" if scalar(pod.get("hostNetwork")) is True else "ClusterFirst"
    return without(pod, ("dnsPolicy",)) if scalar(pod.get("dnsPolicy")) == meant else pod


def ports(pod: Mapping) -> Mapping:
    """Without ports that only inform: on a network of its own, without a name or with that of TensorFlow's server.

    Nothing in Kubernetes reads the port of a container but for its host port, and where another object names it.
    """
    if scalar(pod.get("hostNetwork")) is True:
        return pod
    named = documents.ports_by_name(pod)

    def informs(port: Node) -> bool:
        name, of_number = scalar(child(port, "name")), f"p{scalar(child(port, 'containerPort'))}"
        return child(port, "hostPort") is None and name in (None, "", PORT_NAME, of_number) and name not in named

    def container(node: Mapping) -> Mapping:
        own = node.get("ports")
        if not isinstance(own, Sequence):
            return node
        kept = tuple(port for port in own.items if not informs(port))
        return with_value(node, "ports", Sequence(kept, own.span)) if kept else without(node, ("ports",))

    return in_containers(pod, container)


def policies(node: Mapping) -> Mapping:
    """With the policies of the job or of a task as the controller reads them."""
    own = node.get("policies")
    return with_value(node, "policies", in_their_order(own)) if isinstance(own, Sequence) else node


def plugins(spec: Mapping) -> Mapping:
    """With the plugins that the webhook adds, and without arguments that are the default."""
    own = spec.get("plugins")
    return with_value(spec, "plugins", with_defaults(own)) if isinstance(own, Mapping) else spec


_WEBHOOK: Final = "pkg/webhooks/admission/jobs/mutate of Volcano 1.15"
_CONTROLLER: Final = "pkg/controllers/job of Volcano 1.15"
RULES: Final = (
    Rule(
        "DependsOn",
        depends_on,
        "`iteration` other than `any`, and any beside a single name",
        f"{_CONTROLLER}/job_controller_actions.go",
    ),
    Rule(
        "PodSpec",
        dns_policy,
        "`dnsPolicy: ClusterFirstWithHostNet` with `hostNetwork`, else `ClusterFirst`",
        _WEBHOOK,
    ),
    Rule(
        "PodSpec",
        ports,
        f"ports of containers that have no `hostPort`, no name, the name `{PORT_NAME}` or one of their "
        "number (`p8080`, which import gives those without one), and that no probe names",
        "`containerPort` in core/v1 Container: it informs, and a port that is not listed is open too",
    ),
    Rule(
        "TaskSpec",
        policies,
        "policies: `events` as one policy each, their order (exit statuses first), exit statuses after a policy on "
        "`PodFailed` or `*`, which never fire, `PodPending` without a timeout, `JobUpdated`; a timeout's unit",
        f"`applyPolicies` in {_CONTROLLER}/job_controller_util.go",
    ),
    Rule("VolcanoJobSpec", policies, "policies of the job, likewise", f"`applyPolicies` in {_CONTROLLER}"),
    Rule("VolcanoJobSpec", names, "the name `default<position>` of a task without one", _WEBHOOK),
    Rule(
        "VolcanoJobSpec",
        gang,
        "`minAvailable` of a task that is its `replicas` (with `minPartitions`, times `partitionSize`), and of the job "
        "that is the sum of its tasks'; that of a task of a job whose own is below the sum, unless another task waits "
        "for it, and that of the one task of a job",
        f"{_WEBHOOK}; `checkTaskValid` in pkg/scheduler/api/job_info.go; {_CONTROLLER}/state/running.go",
    ),
    Rule(
        "VolcanoJobSpec",
        lifecycle,
        "where a policy is written: what follows in all tasks is the job's, the rest the task's; `*` as the events "
        "that it is; policies that never act: exit statuses beside a restart in place, `TaskFailed` without one, "
        "`Unknown` of a task, `ResumeJob` on an event; `TaskCompleted` → `CompleteJob` of the one task of a job; "
        "`maxRetry` of a job that no policy restarts, and of a task without a policy for `TaskFailed`",
        f"`applyPolicies` in {_CONTROLLER}/job_controller_util.go; {_CONTROLLER}/state",
    ),
    Rule(
        "VolcanoJobSpec",
        volumes,
        "a second volume of one claim, which is not mounted; the generated name beside a `volumeClaim`",
        f"`createJobPod` in {_CONTROLLER}/job_controller_util.go",
    ),
    Rule(
        "VolcanoJobSpec",
        plugins,
        "`svc: []` beside tensorflow, mpi, pytorch and ray, `ssh: []` beside mpi; arguments that are the "
        "default, their order and spelling",
        f"{_WEBHOOK}; {_CONTROLLER}/plugins",
    ),
    Rule(
        "VolcanoJobSpec",
        pods,
        "`schedulerName` and `priorityClassName` of a pod that are the job's; labels, annotations and the variables "
        "`VC_TASK_INDEX`, `VK_TASK_INDEX` that the controller writes",
        f"`createJobPod` in {_CONTROLLER}/job_controller_util.go",
    ),
)


@cache
def words() -> Dialect:
    """The dialect of Volcano's jobs."""
    return dialect(TYPES, DEFAULTS, SETS, RULES)


def normal(documents: Many[Node], version: str) -> Many[Node]:
    """The normal form of Volcano's jobs and of what is beside them; the same at every ``version``."""
    return [document(_known(held(node)), KINDS, words()) for node in documents]


def held(node: Node) -> Node:
    """The job that a CronJob or a JobTemplate of Volcano holds, with its name; any other document as it is.

    The header of kube-batch becomes today's.
    """
    version, kind = scalar(child(node, "apiVersion")), scalar(child(node, "kind"))
    if not isinstance(node, Mapping) or not isinstance(version, str):
        return node
    spec: Node | None = node.get("spec")
    template = child(spec, "jobTemplate") if kind == "CronJob" else None
    if version in HEADERS and kind == "Job":
        return with_value(node, "apiVersion", text(API_VERSION, node.entries["apiVersion"].value.span))
    if version == API_VERSION and template is not None:
        spec = child(template, "spec")
    elif not (version in TEMPLATES and kind == "JobTemplate"):
        return node
    old = {key: entry for key, entry in node.entries.items() if key in ("apiVersion", "kind")}
    header = {
        "apiVersion": text(API_VERSION, old["apiVersion"].value.span),
        "kind": text("Job", old["kind"].value.span),
    }
    entries = {key: Entry(key, old[key].key_span, value) for key, value in header.items()}
    metadata = node.get("metadata")
    given = child(template, "metadata")
    if isinstance(metadata, Mapping) and template is not None:
        own = given.entries if isinstance(given, Mapping) else {}
        names = {key: entry for key, entry in metadata.entries.items() if key in ("name", "namespace")}
        metadata = Mapping({**names, **{k: e for k, e in own.items() if k not in names}}, metadata.span)
    for key, value in (("metadata", metadata), ("spec", spec)):
        if value is not None:
            entries[key] = Entry(key, value.span, value)
    return Mapping(entries, node.span)


def _known(node: Node) -> Node:
    """A job without ``runningEstimate``, which no code reads, and with existing claims as volumes of its pods."""
    if not isinstance(node, Mapping):
        return node
    known = within(node, ("spec",), lambda spec: without(spec, ("runningEstimate",)))
    return by_task(in_templates(known, lambda volume: volume.claim))


def aligned(documents: Many[Node], written: Many[Node]) -> Many[Node]:
    """``documents`` with the names in pods that ``written`` has, its order of sets, and its way to write minimums."""
    return with_names_of(documents, written, _job, KINDS, words())


def _job(own: Node, written: Node | None, ports: frozenset[str]) -> Node:
    if not isinstance(own, Mapping) or written is None:
        return own
    theirs = {scalar(child(task, "name")): task for task in items(child(written, "spec", "tasks"))}

    def task(node: Node) -> Node:
        other = theirs.get(scalar(child(node, "name")))
        template = child(other, "template")
        if not isinstance(node, Mapping) or not isinstance(other, Mapping) or not isinstance(template, Mapping):
            return node
        new = with_minimum_of(node, other, lambda item: of_task(view(item)))
        return within(new, ("template",), lambda item: documents.template(item, template, ports))

    spec, other = own.get("spec"), child(written, "spec")
    if not isinstance(spec, Mapping) or not isinstance(other, Mapping):
        return own
    spec = with_minimum_of(spec, other, lambda item: minimums(view(item)).job)
    return with_value(own, "spec", with_each(spec, "tasks", task))
