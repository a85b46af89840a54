"""Checks of the pods of every target of the Kubernetes family, and notes about what is added to them.

Sources: Kubernetes `pkg/apis/core/validation` (ValidateContainerResourceName, ValidateResourceRequirements) and
`pkg/apis/core/v1/helper` (IsExtendedResourceName); `generateSelector` in pkg/registry/batch/job/strategy.go and
`ValidateGeneratedSelector` (labels of Jobs); what the kubelet and runc were seen to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.emit.located import Data, Located, child, entry, plain, unwrap
from tfdsl.ir.cluster_spec import LONGEST_STRING, gets_flags, needs_tf_config
from tfdsl.ir.model import Job, Role, Step, requested
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import SHELL_NAME
from tfdsl.vocabulary.names import QUALIFIED
from tfdsl.vocabulary.quantities import Quantity, parse_unit
from tfdsl_backends.podspec.command import (
    flags_need_shell,
    hides_devices,
    hides_from_step,
    layers,
    needs_start,
    on_nvidia_nodes,
)
from tfdsl_backends.podspec.fields import INT32, POD
from tfdsl_backends.podspec.messages import KueueRules, PodRules
from tfdsl_backends.podspec.options import JOB_LABELS, NO_SIDECAR, QUEUE_LABEL, VISIBLE_DEVICES
from tfdsl_backends.podspec.plan import PodPlan
from tfdsl_backends.podspec.pods import container, step_containers

FETCHED: Final = ("hdfs", "archive")
"""Kinds of mounts that the support table refuses whatever their path."""

STANDARD: Final = ("ephemeral-storage",)
"""Resources without a domain that have no attribute of their own."""

HUGE_PAGES: Final = "hugepages-"

_LABEL_VALUE: Final = regex(QUALIFIED)


class Name(Record):
    """A name that a target derives from the job's. ``what``: what has the name, e.g. ``the pod of worker 12``."""

    what: str
    text: str
    limit: int = 63


def each_place_once(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Without messages of a rule at a place where it was reported before: roles share what they inherit."""
    reported: set[tuple[str, Span]] = set()
    for diagnostic in diagnostics:
        place = diagnostic.rule.code, diagnostic.span
        if place not in reported:
            reported.add(place)
            yield diagnostic


def check_numbers(unit: Unit, rule: Rule, numbers: Iterable[tuple[str, str, int]] = ()) -> Iterator[Diagnostic]:
    """Fields of 32 bits: ``numbers``, of each its name, the IR path it comes from and its value, and those of all jobs.

    The grace period has 64 bits, but no more years than that.
    """
    ttl = [("ttlSecondsAfterFinished", "ttl", unit.job.ttl.seconds)] if unit.job.ttl is not None else []
    graces = [
        (field.path, child(role.path, field.name), time.seconds)
        for role in unit.job.roles
        for field in POD
        if field.codec == "seconds" and (time := getattr(role, field.name)) is not None
    ]
    for field, path, value in (*numbers, *ttl, *graces):
        if value > INT32:
            yield rule(unit.origins.span(path), field=field, value=value)


def check_names(unit: Unit, rules: PodRules, names: Sequence[Name]) -> Iterator[Diagnostic]:
    """One error, at the job's name, for the name that is furthest over its limit; it shows that name in full."""
    over = [name for name in names if len(name.text) > name.limit]
    if not over:
        return
    worst = max(over, key=lambda name: len(name.text) - name.limit)
    excess = len(worst.text) - worst.limit
    diagnostic = rules.name_too_long(
        unit.origins.named_at, what=worst.what, longest=worst.text, length=len(worst.text), limit=worst.limit
    )
    room = len(unit.job.name) - excess
    advice = f"shorten the job's name to at most {room} characters" if room > 0 else "shorten the names it consists of"
    yield diagnostic.help(advice)


def check_first_letter(unit: Unit, rules: PodRules, what: str) -> Iterator[Diagnostic]:
    """An error when the job's name cannot be that of a Service, which begins with a letter (RFC 1035)."""
    if not unit.job.name[:1].isalpha():
        yield rules.name_first_letter(unit.origins.named_at, what=what)


def check_pods(unit: Unit, rules: PodRules, plans: Sequence[tuple[Role, PodPlan]]) -> Iterator[Diagnostic]:
    """What would keep the container of a role from starting."""
    yield from each_place_once(check_paths(unit, rules))
    for role, plan in plans:
        yield from check_resource_names(unit, rules, role)
        yield from check_shell_names(unit, rules, role, plan)
        if needs_start(unit.job, role, plan):
            yield _no_command(unit, rules, role, plan)
        else:
            yield from each_place_once(_too_large(unit, rules, role, plan))


def _no_command(unit: Unit, rules: PodRules, role: Role, plan: PodPlan) -> Diagnostic:
    if role.outputs:
        starter = "the program that copies its outputs"
    elif flags_need_shell(unit.job, role, plan):
        starter = "the program that computes --task_index"
    else:
        starter = "the program that sets TF_CONFIG"
    return rules.no_command(unit.origins.span(role.path), role=role.name, starter=starter).help(
        "write the image's entrypoint as command, or as entrypoint in build"
    )


def _too_large(unit: Unit, rules: PodRules, role: Role, plan: PodPlan) -> Iterator[Diagnostic]:
    for what, path, text in _strings(unit, role, plan):
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > LONGEST_STRING:
            yield rules.value_too_large(unit.origins.span(path), what=what, role=role.name, size=size)


def check_injected(unit: Unit, rules: PodRules, role: Role, maker: str, tf_config: str) -> Iterator[Diagnostic]:
    """The TF_CONFIG that ``maker``, a part of the target, adds to the pods of ``role``."""
    size = len(f"TF_CONFIG={tf_config}".encode())
    if size > LONGEST_STRING:
        place = unit.origins.span(child(role.path, "replicas"))
        yield rules.value_too_large(place, what=f"variable TF_CONFIG from {maker}", role=role.name, size=size).help(
            "lower replicas"
        )


def _strings(unit: Unit, role: Role, plan: PodPlan) -> Iterator[tuple[str, str, str]]:
    """Each string that a process gets: what it is, its place, and its text."""
    containers: list[tuple[Role | Step, Mapping[str, Data]]] = [(role, container(unit.job, role, plan, []))]
    containers += step_containers(unit.job, role, plan, [])
    for holder, made in containers:
        for word in (*_items(made["command"]), *_items(made["args"])):
            yield "an argument", _place(word, holder), str(plain(word))
        for variable in _items(made["env"]):
            data = unwrap(variable)
            if isinstance(data, dict) and "value" in data:
                name = str(plain(data["name"]))
                place = _place(data["value"], holder) if not isinstance(variable, Located) else variable.path
                yield f"variable {name}", place, f"{name}={plain(data['value'])}"


def _items(data: Data) -> Sequence[Data]:
    items = unwrap(data)
    return items if isinstance(items, list) else ()


def _place(data: Data, holder: Role | Step) -> str:
    return data.path if isinstance(data, Located) else holder.path


# --- paths -------------------------------------------------------------------------------------------------------


def check_paths(unit: Unit, rules: PodRules) -> Iterator[Diagnostic]:
    """An error for each relative path."""
    for what, path, text in _paths(unit):
        if not text.startswith("/"):
            diagnostic = rules.relative_path(unit.origins.span(path), what=what, path=text)
            whole = text.removeprefix("./").strip("./")
            yield diagnostic.help(f"write /{whole}" if whole else "write an absolute path, e.g. /app")


def _paths(unit: Unit) -> Iterator[tuple[str, str, str]]:
    """What each path is, its place, and its text; run-time values are the support table's matter."""
    for role in unit.job.roles:
        for mount in role.mounts:
            if mount.kind not in FETCHED:
                yield "a mount", child(mount.path, "at"), mount.at
        holders: list[Role | Step] = [role, *(step for step in role.steps if step.workdir != role.workdir)]
        for holder in holders:
            if isinstance(holder.workdir, str) and holder.workdir:
                yield "workdir", child(holder.path, "workdir"), holder.workdir


# --- names of resources and variables ----------------------------------------------------------------------------


def check_resource_names(unit: Unit, rules: PodRules, role: Role) -> Iterator[Diagnostic]:
    """An error for each device or resource of ``role`` that the API server takes for none."""
    asked = {name: entry(child(role.path, "resources"), name) for name in role.resources}
    uses_devices = role.gpu > 0 or any(step.gpu for step in role.steps)
    if uses_devices and role.gpu_memory is None and role.gpu_resource is not None:
        asked[role.gpu_resource] = child(role.path, "gpu_resource")
    for name, path in asked.items():
        problem = _problem(role, name)
        if problem:
            yield rules.resource_name(unit.origins.span(path), name=name, problem=problem)


def _problem(role: Role, name: str) -> str:
    if name.startswith(HUGE_PAGES):
        return _huge_pages(role, name)
    if name.startswith("requests."):
        return "names that begin with requests. belong to quotas"
    if "/" not in name and name not in STANDARD:
        return f"it needs a domain, as in example.com/{name}"
    return ""


def _huge_pages(role: Role, name: str) -> str:
    page = getattr(parse_unit(name.removeprefix(HUGE_PAGES)), "milli", 0)
    amount = role.resources.get(name)
    if not page:
        return "huge pages are named by their size, e.g. hugepages-2Mi"
    if amount is None or amount.milli % page:
        return f"write an amount of bytes in whole pages of {name.removeprefix(HUGE_PAGES)}"
    if not (requested(role.cpu, role.cpu_limit) or requested(role.memory, role.memory_limit)):
        return "huge pages can only be requested together with cpu or memory"
    return ""


def check_shell_names(unit: Unit, rules: PodRules, role: Role, plan: PodPlan) -> Iterator[Diagnostic]:
    """A warning for each variable that may be lost, where a shell starts the command of ``role``."""
    by_shell = not isinstance(role.command, tuple) or bool(layers(unit.job, role, plan))
    started: dict[tuple[Role | Step, str], str] = {}
    if by_shell and not role.server:
        started |= {(role, name): f"role {role.name}" for name in role.env}
    for step in role.steps:
        if not isinstance(step.command, tuple):
            what = f"{step.kind} {step.name} of role {role.name}"
            for name in step.env:
                started.setdefault((role if name in role.env else step, name), what)
    for (holder, name), what in started.items():
        if re.fullmatch(SHELL_NAME, name) is None:
            place = unit.origins.span(f"{entry(child(holder.path, 'env'), name)}.key")
            diagnostic = rules.variable_in_shell(place, what=what, name=name)
            diagnostic = diagnostic.help(
                "use only letters, digits and _ in the name, or write the command as a list, which needs no shell"
            )
            yield replace(diagnostic, approximation=True)


# --- ports of nodes, queues --------------------------------------------------------------------------------------


def check_host_ports(unit: Unit, rules: PodRules) -> Iterator[Diagnostic]:
    """Roles on the node's network that can never share a node; lint rule TFJ3019 tells of the replicas of one role."""
    for first, second in combinations([role for role in unit.job.roles if role.host_network], 2):
        taken = _ports(first)
        shared = next((port for port in _ports(second) if port in taken), None)
        if shared is not None:
            place = unit.origins.span(child(second.path, "host_network"))
            yield rules.host_port(place, who=f"{first.name} and {second.name}", port=shared).help(
                "give each role its own ports" if first.ports else "give each role its own port"
            )


def _ports(role: Role) -> list[int]:
    """All ports that the containers of a replica name."""
    return [role.port, *role.ports.values(), *(port for step in role.steps for port in step.ports.values())]


def check_queue_name(unit: Unit, rules: KueueRules) -> Iterator[Diagnostic]:
    """An error when the queue cannot be the value of a label."""
    queue = unit.job.queue
    if queue is not None and not _LABEL_VALUE.fullmatch(queue):
        yield rules.queue_name(unit.origins.span("queue"), queue=repr(queue))


def check_kueue_label(unit: Unit, rules: KueueRules) -> Iterator[Diagnostic]:
    """An error when the job has the label and a queue that is another one."""
    job = unit.job
    if job.queue is not None and job.labels_of(job).get(QUEUE_LABEL, job.queue) != job.queue:
        yield rules.label(unit.origins.span(label_places(job, job)[QUEUE_LABEL]), queue=job.queue).help(
            "remove the label"
        )


def check_additions(unit: Unit, rules: PodRules) -> Iterator[Diagnostic]:
    """What is added to the pods of the job."""
    yield from _limits(unit, rules.limits)
    yield from _sidecar(unit, rules.no_sidecar)
    yield from _devices(unit, rules.hidden_devices)
    yield from each_place_once(_steps(unit, rules.step_resources))


def check_sidecar_nodes(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    """For a target whose versions are not those of Kubernetes: what the nodes must be, at the first sidecar."""
    for role in unit.job.roles:
        for step in role.steps:
            if step.kind == "sidecar":
                yield rule(unit.origins.span(step.path), name=step.name)
                return


def _steps(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    """What steps add to the size of a replica."""
    for role in unit.job.roles:
        for step in role.steps:
            more = " and ".join(_more(unit, role, step))
            if more:
                yield rule(unit.origins.span(step.path), kind=step.kind, name=step.name, role=role.name, more=more)


def _more(unit: Unit, role: Role, step: Step) -> list[str]:
    """What each replica asks of its node for ``step``: a sidecar adds to the command, a prepare step runs before it."""
    more: list[str] = []
    for name in ("cpu", "memory"):
        amount: Quantity | None = getattr(step, name)
        own: Quantity | None = getattr(role, name)
        if amount is None:
            continue
        if step.kind == "sidecar" and unit.origins.written(child(step.path, name)) is None:
            more.append(f"{name} {amount.text} more, like the role's own")
        elif step.kind == "prepare" and own is not None and amount.milli > own.milli:
            more.append(f"{name} {amount.text}, although the command needs {own.text}")
    return more


def _limits(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    """One message, at the first amount that is written without a limit of its own."""
    places: list[Span] = []
    for role in unit.job.roles:
        for name in ("memory", "cpu"):
            written = unit.origins.written(child(role.path, name))
            if written is not None and unit.origins.written(child(role.path, f"{name}_limit")) is None:
                places.append(written)
    if places:
        yield rule(min(places, key=lambda span: span.start))


def _sidecar(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    left = any(NO_SIDECAR not in role.annotations for role in unit.job.roles)
    if unit.flag("istio_annotation") and left:
        yield rule(unit.origins.span(""))


def _devices(unit: Unit, rule: Rule) -> Iterator[Diagnostic]:
    for role in unit.job.roles if unit.text("nvidia_visible_devices") and on_nvidia_nodes(unit.job) else ():
        hidden = [role.path] if hides_devices(unit.job, role) and VISIBLE_DEVICES not in role.env else []
        hidden += [step.path for step in role.steps if hides_from_step(role, step)]
        if hidden:
            yield rule(unit.origins.span(hidden[0]))
            return


def label_places(job: Job, owner: Job | Role) -> dict[str, str]:
    """The labels of the job's object, or of the pods of a role, each with its path."""
    paths = {key: entry("common_labels", key) for key in job.common_labels}
    return paths | {key: entry(child(owner.path, "labels"), key) for key in owner.labels}


def check_job_labels(unit: Unit, rule: Rule, roles: Iterable[Role]) -> Iterator[Diagnostic]:
    """An error for each label that a Job has of its own."""
    taken = (
        rule(unit.origins.span(place), name=name)
        for role in roles
        for name, place in label_places(unit.job, role).items()
        if name.startswith(JOB_LABELS[0]) or name in JOB_LABELS[1:]
    )
    yield from (diagnostic.help("choose another name for the label") for diagnostic in each_place_once(taken))


def check_same_names(unit: Unit, rule: Rule, names: Iterable[tuple[Role, str]]) -> Iterator[Diagnostic]:
    """An error for each role whose Job has the name of another's, by the option ``job_names``."""
    first: dict[str, str] = {}
    for role, name in names:
        other = first.setdefault(name, role.name)
        if other != role.name:
            yield rule(unit.option_place(f"job_names[{role.name}]"), role=role.name, other=other, name=name)


def check_addresses(unit: Unit, rule: Rule, roles: Iterable[Role]) -> Iterator[Diagnostic]:
    """An error if, without the Service, the addresses in TF_CONFIG and in the flags of ``roles`` lead nowhere."""
    if any(gets_flags(unit.job, role) or needs_tf_config(unit.job, role) for role in roles):
        yield rule(unit.option_place("service")).help(
            'remove service = false, or write cluster { discovery = "none" } if no task looks for another'
        )
