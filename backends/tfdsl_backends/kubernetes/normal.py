"""The normal form of plain Jobs: what the server writes into them, and what their controller adds to pods."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping as Map, Sequence as Many
from functools import cache
from typing import Final, cast

from tfdsl.grouping import grouped
from tfdsl.ir.cluster_spec import tf_config
from tfdsl.manifest.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    View,
    changed,
    child,
    each,
    items,
    mapping,
    plain,
    put,
    scalar,
    text,
    view,
    walk,
    with_value,
    within,
    without,
    without_items,
)
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.vocabulary.attributes import ROLES, ROLES_BY_NAME
from tfdsl_backends.kubernetes.policies import JOB_LABEL, ROLE_LABEL
from tfdsl_backends.podspec.normal import rules
from tfdsl_backends.podspec.normal.documents import SCHEDULER, aligned_job, dialect, document, with_names_of
from tfdsl_backends.podspec.normal.tables import SETS
from tfdsl_backends.podspec.normal.walk import Defaults, Dialect, Rule, in_order
from tfdsl_backends.podspec.plan import CONTAINER, INDEX_FIELD, INDEX_VARIABLE, PORT_NAME
from tfdsl_backends.podspec.reading.facts import main_container

VARIABLE: Final = "TF_CONFIG"
_REFERENCE: Final = regex(r"(?<!\$)\$\(([A-Za-z_][A-Za-z0-9_]*)\)")
_HOSTS: Final = "--worker_hosts="
_LONGEST: Final = 1 << 20
_DIGITS: Final = 7


class Config(Record):
    """A TF_CONFIG. ``index``: a number, or the name of the variable that holds it; ``plain``: nothing else is in it.

    ``cluster``: role → addresses; ``cluster_text``: the same as a text that is equal for equal ones.
    """

    role: str
    index: int | str | None
    cluster: Map[str, tuple[str, ...]]
    cluster_text: str
    plain: bool


def config_of(pod: View) -> Config | None:
    """The TF_CONFIG of the main container, if it is a text that says a cluster or a task."""
    values = [entry["value"].text for entry in main_container(pod)["env"].items() if entry["name"].text == VARIABLE]
    return config_in(values[-1]) if values and values[-1] is not None else None


def config_in(text: str) -> Config | None:
    """The TF_CONFIG that ``text`` is."""
    if len(text) > _LONGEST:
        return None
    names: list[str] = []

    def noted(match: re.Match[str]) -> str:
        names.append(match[1])
        return str(_MARK)

    data = _object(_REFERENCE.sub(noted, text))
    task = _map(data.get("task"))
    role = task.get("type")
    if not isinstance(role, str):
        return None
    cluster = data.get("cluster")
    listed = _cluster(cluster)
    known = {key: value for key, value in data.items() if key not in ("task", "cluster")}
    usual = known in ({}, {"environment": "cloud"}) and task.keys() <= {"type", "index"}
    index = _task_index(task.get("index"), names)
    return Config(
        role,
        index,
        listed or {},
        json.dumps(cluster, sort_keys=True) if cluster else "",
        listed is not None and usual and len(names) == isinstance(index, str),
    )


_MARK: Final = -7_213_518
"""A number for a reference, which is no JSON; no index is negative."""


def _task_index(value: object, names: Many[str]) -> int | str | None:
    """The index of a task: a number, also in quotes, or the variable that has it."""
    if isinstance(value, str) and value.isdecimal() and len(value) < _DIGITS:
        return int(value)
    if value == _MARK and names:
        return names[0]
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _object(text: str) -> dict[str, object]:
    """The object that ``text`` is in JSON; an empty one for anything else."""
    try:
        return _map(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _map(data: object) -> dict[str, object]:
    return cast("dict[str, object]", data) if isinstance(data, dict) else {}


def _cluster(data: object) -> dict[str, tuple[str, ...]] | None:
    """Role → addresses; ``None`` where it is anything else."""
    if not isinstance(data, dict):
        return None
    roles = cast("dict[str, object]", data)
    addresses = {role: cast("list[object]", hosts) for role, hosts in roles.items() if isinstance(hosts, list)}
    if len(addresses) < len(roles) or not all(isinstance(host, str) for hosts in addresses.values() for host in hosts):
        return None
    return {role: tuple(map(str, hosts)) for role, hosts in addresses.items()}


def hosts_flag(pod: View) -> str | None:
    """The value of ``--worker_hosts`` in the arguments of the main container."""
    container = main_container(pod)
    words = [word.text or "" for place in (container["args"], container["command"]) for word in place.items()]
    return next((word for word in words if word.startswith(_HOSTS)), None)


def with_plain_config(document: Node) -> Node:
    """``document`` with each TF_CONFIG that is the language's but for its spelling as the compiler writes it.

    Programs read JSON, so spaces and the order of keys mean nothing; nor does ``environment``, which TensorFlow reads
    only to tell Google's machine learning engine (``cloud``) from other clusters. The index of a single pod is 0.
    """
    spec = child(document, "spec")
    counts = {scalar(child(spec, key)) for key in _COUNTS}
    single = scalar(child(spec, "completionMode")) == "Indexed" and counts <= {None, 1}

    def container(node: Node) -> Node:
        changed_one = changed(node, ("env",), lambda env: each(env, lambda entry: _entry(entry, single=single)))
        return _without_index(changed_one) if single else changed_one

    return changed(document, _CONTAINERS, lambda containers: each(containers, container))


def _without_index(container: Node) -> Node:
    """``container`` without the variable of the index, if nothing refers to it."""
    reference = f"$({INDEX_VARIABLE})"
    if not isinstance(container, Mapping) or any(reference in str(scalar(node)) for _, node in walk(container)):
        return container
    return without_items(container, "env", _is_index)


def _is_index(entry: Node) -> bool:
    path = scalar(child(entry, "valueFrom", "fieldRef", "fieldPath"))
    return scalar(child(entry, "name")) == INDEX_VARIABLE and path == INDEX_FIELD


def _entry(entry: Node, *, single: bool) -> Node:
    text = scalar(child(entry, "value"))
    if scalar(child(entry, "name")) != VARIABLE or not isinstance(text, str):
        return entry
    config = config_in(text)
    if config is None or not config.plain or config.index is None:
        return entry
    reference = f"$({config.index})" if isinstance(config.index, str) else str(config.index)
    if single and config.index == INDEX_VARIABLE:
        reference = "0"
    written = tf_config({role: [*hosts] for role, hosts in sorted(config.cluster.items())}, config.role, reference)
    return changed(entry, ("value",), lambda value: Scalar(written, value.span))


JOB_APIS: Final = ("batch/v1",)
CRON_APIS: Final = ("batch/v1", "batch/v1beta1", "batch/v2alpha1")


def kind(root: View) -> str:
    """``Job`` or ``CronJob`` of Kubernetes; the kind of anything else."""
    version, name = root["apiVersion"].text or "", root["kind"].text or ""
    if name == "Job" and version not in JOB_APIS:
        return ""
    if name == "CronJob" and version not in CRON_APIS:
        return ""
    return name


def job_of(document: Node) -> Node:
    """The Job of a CronJob, named as that; any other document as it is. Its TF_CONFIG is as the compiler writes it."""
    root = view(document)
    if kind(root) == "CronJob":
        document = _of_cron(root)
    return with_plain_config(document) if kind(view(document)) == "Job" else document


def _of_cron(root: View) -> Node:
    """The Job with name and namespace of its CronJob, and the labels and annotations that its Jobs get."""
    template = root["spec"]["jobTemplate"]
    span = template.span
    own, theirs = root["metadata"], template["metadata"]
    places = {"name": own, "namespace": own, "labels": theirs, "annotations": theirs}
    metadata = {key: node for key, place in places.items() if (node := place[key].node) is not None}
    job: dict[str, Node] = {"apiVersion": text("batch/v1", span), "kind": text("Job", span)}
    job["metadata"] = mapping(metadata, span)
    spec = template["spec"].node
    return mapping({**job, "spec": spec} if spec is not None else job, span)


_COUNTS: Final = ("completions", "parallelism")
_SUFFIX: Final = regex(r"(.+)-([a-z][a-z0-9]*)(?:-(0|[1-9][0-9]{0,5}))?")
_TRAINING: Final = tuple(row.name for row in ROLES if row.name != "tensorboard")
_TRAINS: Final = tuple(row.name for row in ROLES if row.trains)


class Part(Record):
    """One Job of a job.

    ``root``: of its document. ``job``: the name of the job, ``role``: what the Job calls its role, ``index``: of the
    replica, if the Job is one of several of its role; ``config``: its TF_CONFIG, if it has one that can be read.
    """

    root: View
    job: str
    role: str
    index: int | None
    config: Config | None

    @property
    def name(self) -> str:
        """Name of the Job."""
        return self.root["metadata"]["name"].text or ""

    @property
    def spec(self) -> View:
        """``spec`` of the Job."""
        return self.root["spec"]

    @property
    def pod(self) -> View:
        """``spec`` of its pods."""
        return self.spec["template"]["spec"]

    @property
    def host(self) -> str | None:
        """The node on which its pod runs."""
        return self.pod["nodeName"].text or None


def part(document: Node) -> Part:
    """What a Job is by itself: its labels count before its name, and its name before the task of its TF_CONFIG."""
    root = view(document)
    labels, name = root["metadata"]["labels"], root["metadata"]["name"].text or ""
    config = config_of(root["spec"]["template"]["spec"])
    job, role = labels[JOB_LABEL].text, labels[ROLE_LABEL].text
    match = _SUFFIX.fullmatch(name)
    index = int(match[3]) if match is not None and match[3] is not None else None
    if job and role and (name == f"{job}-{role}" or (match is not None and match[1] == job and match[2] == role)):
        return Part(root, job, role, index, config)
    if match is not None and (match[2] in _TRAINING or (config is not None and match[2] == config.role)):
        return Part(root, match[1], match[2], index, config)
    return Part(root, name, config.role if config is not None and config.role else "worker", None, config)


def sets(documents: Iterable[Node]) -> Iterator[list[int]]:
    """The positions of the Jobs in ``documents`` that belong together, each set in the order of the documents."""
    parts = [part(document) for document in documents]
    by_name = grouped(
        ((part.root["metadata"]["namespace"].text or "", part.job), number) for number, part in enumerate(parts)
    )
    for numbers in by_name.values():
        for tied in _tied(parts, numbers):
            if _make_one([parts[number] for number in tied]):
                yield tied
            else:
                yield from ([number] for number in tied)


def _tied(parts: list[Part], numbers: list[int]) -> Iterator[list[int]]:
    """The Jobs of one name that anything ties to each other; each of the others alone."""
    rest = list(numbers)
    while rest:
        group = [rest.pop(0)]
        ties = set(_ties(parts[group[0]]))
        grown = True
        while grown:
            more = [number for number in rest if ties & set(_ties(parts[number]))]
            grown = bool(more)
            for number in more:
                group.append(number)
                rest.remove(number)
                ties |= set(_ties(parts[number]))
        yield sorted(group)


def _ties(part: Part) -> Iterator[tuple[str, str]]:
    """What shows that two Jobs of one name belong together."""
    for what, value in (
        ("label", part.root["metadata"]["labels"][JOB_LABEL].text),
        ("cluster", part.config.cluster_text if part.config is not None else None),
        ("hosts", hosts_flag(part.pod)),
        ("subdomain", part.pod["subdomain"].text),
    ):
        if value:
            yield what, value


def _make_one(parts: list[Part]) -> bool:
    """Whether the parts are all replicas of their roles, each once."""
    if len(parts) == 1:
        return True
    roles = grouped((part.role, part.index) for part in parts)
    return all(
        indexes == [None] or sorted(index for index in indexes if index is not None) == list(range(len(indexes)))
        for indexes in roles.values()
    )


def job_parts(documents: Iterable[Node]) -> list[Part]:
    """The Jobs in ``documents``, which are one job: without a role that trains, a single one is a worker.

    So is one that has more replicas than its role can have.
    """
    parts = [part(document) for document in documents if kind(view(document)) == "Job"]
    if len(parts) != 1:
        return parts
    only = parts[0]
    if only.role in _TRAINS and (not ROLES_BY_NAME[only.role].single or replicas_of(parts) <= 1):
        return parts
    return [replace(only, job=only.name, role="worker", index=None)]


def is_pinned(parts: Many[Part]) -> bool:
    """Whether each Job is one replica on a node of its own, on the node's network."""
    hosts = {part.host for part in parts if part.host is not None and part.pod["hostNetwork"].flag is True}
    return len(hosts) == len(parts) and all(replicas_of([part]) == 1 for part in parts)


def replicas_of(parts: Many[Part]) -> int:
    """The replicas of a role: as many pods as have to succeed, or as run at the same time."""
    if len(parts) > 1:
        return len(parts)
    return max(1, *[parts[0].spec[key].number or 0 for key in _COUNTS])


KINDS: Final = {("batch/v1", "Job"): "Job"}
DEFAULTS: Final[Defaults] = {**rules.DEFAULTS, "PodSpec": {"schedulerName": SCHEDULER}}


def labels(job: Mapping) -> Mapping:
    """Without labels that the server gives a Job that has none: those of its template, the generated ones too."""
    own, theirs = child(job, "metadata", "labels"), child(job, "spec", "template", "metadata", "labels")
    if not isinstance(own, Mapping):
        return job
    if (plain(without(own, rules.GENERATED)) or {}) != (plain(theirs) if theirs is not None else {}):
        return job
    return within(job, ("metadata",), lambda metadata: without(metadata, ("labels",)))


RULES: Final = (
    *rules.JOB_RULES,
    Rule(
        "Job",
        labels,
        "labels of a Job that are those of its template, which a Job without labels gets",
        rules.DEFAULTING,
    ),
)


@cache
def words() -> Dialect:
    """The dialect of Jobs."""
    return dialect({}, DEFAULTS, rules.SETS, RULES)


def normal(documents: Many[Node], version: str) -> Many[Node]:
    """The normal form of Jobs and of what is beside them; the same at every ``version``."""
    return [document(node, KINDS, words()) for node in documents]


def aligned(documents: Many[Node], written: Many[Node]) -> Many[Node]:
    """``documents`` with the names in pods that ``written`` has, and with its order of sets."""
    return with_names_of(documents, written, aligned_job, KINDS, words())


_CONTAINERS: Final = ("spec", "template", "spec", "containers")
_PORT_KEYS: Final = SETS["Container"]["ports"]


def bare(document: Node) -> Node:
    """``document`` without what only the compiler's own output reads."""
    document = job_of(document)
    what = kind(view(document))
    if not isinstance(document, Mapping) or what not in ("Job", "Service", "PersistentVolumeClaim"):
        return document
    document = within(document, ("metadata", "labels"), _without_ours)
    if what == "Job":
        return within(document, ("spec", "template", "metadata", "labels"), _without_ours)
    if what == "Service" and scalar(child(document, "spec", "clusterIP")) == "None":
        return within(document, ("spec",), lambda spec: without(spec, ("selector",)))
    return document


def _without_ours(labels: Mapping) -> Mapping:
    """Without the labels by which the Service and people select what belongs to a job."""
    return without(labels, (JOB_LABEL, ROLE_LABEL))


def of_one_pod(document: Node) -> Node:
    """A Job of one pod, in its normal form, without what only counts pods: the index, which is 0 or none.

    It changes the name of the pod and gives a variable that is 0. Where no number of completions is given, the end of
    the one pod is that of the Job, too.
    """
    if kind(view(document)) != "Job" or not isinstance(document, Mapping):
        return document
    return within(document, ("spec",), _of_one_pod)


def _of_one_pod(spec: Mapping) -> Mapping:
    counts = {scalar(spec.get("parallelism")), scalar(spec.get("completions"))}
    needs_index = any(key in spec.entries for key in ("backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"))
    return spec if needs_index or not counts <= {None, 1} else without(spec, ("completionMode", *_COUNTS))


def named_like(documents: Many[Node], written: Many[Node]) -> list[Node]:
    """``documents`` in the order of ``written``, the Jobs with its names: of one role and index, else one by one."""
    own, left = _jobs(documents), list(_jobs(written).values())
    names: dict[int, str] = {}
    for number, part in own.items():
        same = next((other for other in left if (other.role, other.index) == (part.role, part.index)), None)
        if same is not None:
            left = [other for other in left if other is not same]
            names[number] = same.name
    for number in own:
        if number not in names and left:
            names[number] = left.pop(0).name
    renamed = [_named(document, names.get(number)) for number, document in enumerate(documents)]
    order = [_identity(document) for document in written]
    return sorted(renamed, key=lambda node: order.index(_identity(node)) if _identity(node) in order else len(order))


def _identity(document: Node) -> tuple[str | None, str | None]:
    root = view(document)
    return root["kind"].text, root["metadata"]["name"].text


def with_container(document: Node) -> Node:
    """``document`` with the name of its only container in rules about exit statuses that name none."""
    pod = child(document, "spec", "template", "spec")
    containers = items(child(pod, "containers"))
    name = child(containers[0], "name") if len(containers) == 1 and not items(child(pod, "initContainers")) else None
    if name is None:
        return document

    def rule(node: Node) -> Node:
        return changed(
            node, ("onExitCodes",), lambda exits: put(exits, ("containerName",), child(exits, "containerName") or name)
        )

    return changed(document, ("spec", "podFailurePolicy", "rules"), lambda rules: each(rules, rule))


def with_port_of(document: Node, written: Many[Node]) -> Node:
    """``document`` with the compiler's port, which only informs, where ``written``, the same Job, has one.

    On the network of its node a port is also asked of the scheduler, unless the pod names its node.
    """
    other = next((node for node in written if _identity(node) == _identity(document)), None)
    pod = child(document, "spec", "template", "spec")
    scheduled = scalar(child(pod, "hostNetwork")) is True and child(pod, "nodeName") is None
    if other is None or kind(view(document)) != "Job" or scheduled:
        return document
    ports = [port for container in items(child(other, *_CONTAINERS)) for port in items(child(container, "ports"))]
    port = next((port for port in ports if scalar(child(port, "name")) == PORT_NAME), None)
    if port is None:
        return document
    number = scalar(child(port, "containerPort"))

    def with_port(container: Node) -> Node:
        own = items(child(container, "ports"))
        if not isinstance(container, Mapping) or scalar(container.get("name")) != CONTAINER:
            return container
        if any(scalar(child(node, "containerPort")) == number for node in own):
            return container
        span = container.entries["ports"].value.span if "ports" in container.entries else container.span
        return with_value(container, "ports", in_order(Sequence((*own, port), span), _PORT_KEYS))

    return changed(document, _CONTAINERS, lambda containers: each(containers, with_port))


def _jobs(documents: Many[Node]) -> dict[int, Part]:
    """The number of a document → the Job that it is."""
    numbers = [number for number, document in enumerate(documents) if kind(view(document)) == "Job"]
    return dict(zip(numbers, job_parts(documents), strict=True))


def _named(document: Node, name: str | None) -> Node:
    """``document`` called ``name``, instead of a name that the server would make too."""
    if name is None or not isinstance(document, Mapping):
        return document

    def rename(metadata: Mapping) -> Mapping:
        old = metadata.get("name") or metadata.get("generateName") or metadata
        return with_value(without(metadata, ("generateName",)), "name", text(name, old.span))

    return within(document, ("metadata",), rename)
