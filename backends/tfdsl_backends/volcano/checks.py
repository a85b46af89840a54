"""The rules of Volcano beyond its support table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.emit.located import child, entry
from tfdsl.grouping import grouped
from tfdsl.ir.cluster_spec import LONGEST_STRING, gets_flags, gets_tf_config, listed, needs_tf_config
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.vocabulary.names import LABEL, LONGEST_LABEL
from tfdsl_backends.podspec.checks import (
    Name,
    check_additions,
    check_first_letter,
    check_host_ports,
    check_injected,
    check_names,
    check_numbers,
    check_pods,
    check_sidecar_nodes,
    each_place_once,
    label_places,
)
from tfdsl_backends.podspec.objects import tensorboard_name
from tfdsl_backends.volcano import messages, tfconfig
from tfdsl_backends.volcano.features import PLUGINS, plugin_variables
from tfdsl_backends.volcano.names import ANNOTATIONS, LABELS, claims, file_name, host, pod_name, reached, task_name
from tfdsl_backends.volcano.pods import plan
from tfdsl_backends.volcano.policies import decisions
from tfdsl_backends.volcano.tfconfig import chosen, uses

FOLDER: Final = "/etc/volcano"
"""Where the svc plugin mounts its host lists (seen: "must be unique", and the job stays Pending)."""

_QUEUE = regex(rf"{LABEL}(\.{LABEL})*\Z")


def check(unit: Unit) -> Iterator[Diagnostic]:
    """Everything that Volcano or the kubelet would refuse, and what the user should know about our choices."""
    if uses(unit, "svc"):
        yield from check_first_letter(unit, messages.PODS, "the Service of the svc plugin")
    yield from check_names(unit, messages.PODS, _names(unit))
    yield from _options(unit)
    yield from _queue(unit)
    yield from _scheduling(unit)
    yield from _numbers(unit)
    yield from each_place_once(_overwritten(unit))
    yield from _lost_logs(unit)
    yield from check_pods(unit, messages.PODS, [(role, plan(unit, role)) for role in unit.job.roles])
    yield from check_host_ports(unit, messages.PODS)
    yield from check_additions(unit, messages.PODS)
    yield from check_sidecar_nodes(unit, messages.SIDECAR_NODES)
    yield from _preparing(unit)
    yield from _delivery(unit)
    yield from _hosts_variables(unit)
    yield from _injected(unit)
    outside = reached(unit.job) if chosen(unit) is None else None
    if outside is not None:
        what, path = outside
        yield messages.NETWORK_POLICY(unit.origins.span(path), what=what)


def _preparing(unit: Unit) -> Iterator[Diagnostic]:
    """A note at each policy for pending that counts the time of prepare steps."""
    counted = grouped(
        (f"{decided.pending.path}.event", decided.role.name)
        for decided in decisions(unit).roles.values()
        if decided.pending is not None and any(step.kind == "prepare" for step in decided.role.steps)
    )
    for path, names in counted.items():
        yield messages.PREPARE_IS_PENDING(unit.origins.span(path), roles=enumeration(names))


def _names(unit: Unit) -> list[Name]:
    """Every name that Volcano or we derive from the job's."""
    job = unit.job
    names = [
        Name(f"pod {role.replicas - 1} of role {role.name}", pod_name(unit, role, role.replicas - 1))
        for role in job.roles
    ]
    if uses(unit, "svc"):
        names.append(Name("the volume of the svc plugin", f"{job.name}-svc"))
    if claims(unit).volumes:
        names.append(Name("the volume of a claim (12 random characters)", f"{job.name}-{'x' * 12}"))
    if job.board is not None:
        names.append(Name("the Service of tensorboard", tensorboard_name(job)))
    return names


def _options(unit: Unit) -> Iterator[Diagnostic]:
    """Options that Volcano's webhook would refuse, or that take away what the job needs."""
    problems = (*_chosen_plugins(unit), *_gang_size(unit), *_task_names(unit), *_after_any(unit))
    for option, part, problem in problems:
        yield messages.OPTION(unit.option_place(f"{option}[{part}]"), option=option, problem=problem)


def _chosen_plugins(unit: Unit) -> Iterator[tuple[str, str, str]]:
    given = chosen(unit)
    if given is None:
        return
    for name in given:
        if name not in PLUGINS:
            yield "plugins", name, f"Volcano has no plugin {name}; its plugins are {enumeration(PLUGINS)}"
    learns = [role.name for role in unit.job.roles if needs_tf_config(unit.job, role) or gets_flags(unit.job, role)]
    if learns and "svc" not in given:
        yield "plugins", "", f"svc is missing, which gives {enumeration(learns)} the names of the other tasks"
    if learns and "env" not in given and tfconfig.mode(unit) == "shell":
        yield "plugins", "", 'env is missing, which gives the index of a task to tf_config = "shell"'


def _gang_size(unit: Unit) -> Iterator[tuple[str, str, str]]:
    size, replicas = unit.options["gang_size"], sum(role.replicas for role in unit.job.roles)
    if isinstance(size, int) and size > replicas:
        yield "gang_size", "", f"{size} pods can never be placed, because the job has {replicas}"
    if isinstance(size, int) and not unit.job.gang:
        yield "gang_size", "", "a job with gang = false has no gang"


def _task_names(unit: Unit) -> Iterator[tuple[str, str, str]]:
    seen: dict[str, str] = {}
    for role in unit.job.roles:
        first = seen.setdefault(task_name(unit, role), role.name)
        if first != role.name:
            yield "task_names", role.name, f"the task of {role.name} has the same name as that of {first}"


def _after_any(unit: Unit) -> Iterator[tuple[str, str, str]]:
    waiting = {role.name for role in unit.job.roles if role.after}
    for number, name in enumerate(unit.texts("after_any")):
        if name not in waiting:
            yield "after_any", str(number), f"{name} is not a role of this job that has after"


def _queue(unit: Unit) -> Iterator[Diagnostic]:
    queue = unit.job.queue
    if queue is None:
        return
    problem = ""
    if not _QUEUE.match(queue):
        problem = "use lowercase letters, digits, - and ., with a letter or digit at both ends of each part"
    elif len(queue) > LONGEST_LABEL:
        problem = f"it becomes a label of the pods and has {len(queue)} characters, but at most 63 are allowed"
    elif queue == "root":
        problem = "the root queue does not accept jobs"
    if problem:
        yield messages.QUEUE_NAME(unit.origins.span("queue"), queue=queue, problem=problem)


def _scheduling(unit: Unit) -> Iterator[Diagnostic]:
    scheduler = unit.job.scheduler
    if scheduler is not None and len(scheduler) > LONGEST_LABEL:
        yield messages.SCHEDULER_NAME(unit.origins.span("scheduler"), length=len(scheduler))
    if unit.job.priority is not None:
        yield messages.PRIORITY(unit.origins.span("priority"))


def _lost_logs(unit: Unit) -> Iterator[Diagnostic]:
    """One note for the first policy that leaves no failed pod at its end (a restart of the job leaves it)."""
    for policy in unit.job.policies:
        if policy.written and policy.action in ("restart container", "restart pod", "restart role"):
            yield messages.LOST_LOGS(unit.origins.span(policy.path)).help(
                "collect the logs while the pods run, or write them to a mount"
            )
            return


def _numbers(unit: Unit) -> Iterator[Diagnostic]:
    """Fields of 32 bits."""
    job = unit.job
    numbers = [("maxRetry", "retries", job.retries + 1)]
    if job.deadline is not None:
        numbers.append(("activeDeadlineSeconds", "deadline", job.deadline.seconds))
    yield from check_numbers(unit, messages.TOO_LARGE, numbers)


def _delivery(unit: Unit) -> Iterator[Diagnostic]:
    reason = tfconfig.static_reason(unit)
    if reason is not None:
        yield messages.STATIC_TF_CONFIG(unit.origins.span("cluster.discovery"), reason=reason).help(
            'write tf_config = "plugin" to use the plugin anyway'
        )
    if tfconfig.mode(unit) == "static" and tfconfig.lacks_index(unit):
        yield messages.STATIC_VERSION(unit.option_place("tf_config")).help(
            'write tf_config = "shell", or compile for Volcano 1.9 or newer'
        )
    if unit.text("tf_config") != "plugin" or not any(gets_tf_config(unit.job, role) for role in unit.job.roles):
        return
    place = unit.option_place("tf_config")
    for difference in tfconfig.plugin_differences(unit.job):
        warning = messages.PLUGIN_DIFFERS(place, difference=difference)
        yield replace(warning.help('remove tf_config, or write tf_config = "static"'), approximation=True)
    trainers = unit.job.training_roles
    for role in trainers[1:]:
        if role.port != trainers[0].port:
            yield messages.PLUGIN_ONE_PORT(
                unit.origins.span(f"{role.path}.port"),
                first=trainers[0].name,
                first_port=trainers[0].port,
                second=role.name,
                second_port=role.port,
            ).help('write tf_config = "static"')


def _injected(unit: Unit) -> Iterator[Diagnostic]:
    """The tensorflow plugin's TF_CONFIG, which is about as long in every role: one error is enough."""
    roles = [role for role in unit.job.roles if gets_tf_config(unit.job, role)]
    cluster = tfconfig.plugin_cluster(unit) if tfconfig.mode(unit) == "plugin" and roles else None
    if cluster is not None:
        largest = max(roles, key=lambda role: role.replicas)
        text = tfconfig.plugin_value(cluster, largest, "0")
        yield from check_injected(unit, messages.PODS, largest, "the tensorflow plugin", text)


def _hosts_variables(unit: Unit) -> Iterator[Diagnostic]:
    """The svc plugin's VC_<TASK>_HOSTS of a large role (volcano-sh/volcano issue 5471)."""
    for role in unit.job.roles if uses(unit, "svc") else ():
        variable = f"VC_{file_name(unit, role).upper()}_HOSTS"
        size = len(variable) + sum(len(host(unit, role, index)) + 1 for index in listed(role))
        if size > LONGEST_STRING:
            yield messages.HOSTS_VARIABLE(
                unit.origins.span(f"{role.path}.replicas"), variable=variable, size=size
            ).help("shorten the job's name; from 1.16 on, patch svc with --inject-hosts-env=false")


# --- what belongs to Volcano in a pod: its plugins and controller write over what the user has there -------------


def _overwritten(unit: Unit) -> Iterator[Diagnostic]:
    """An error for each thing that would be lost."""
    plugins = [name for name in PLUGINS if uses(unit, name)]
    taken = plugin_variables(plugins, [task_name(unit, role) for role in unit.job.roles])
    for role in unit.job.roles:
        for mount in role.mounts if uses(unit, "svc") else ():
            if mount.at == FOLDER or mount.at.startswith(f"{FOLDER}/"):
                yield messages.RESERVED_PATH(unit.origins.span(child(mount.path, "at")), path=mount.at)
        variables = [(role.path, name) for name in role.env]
        variables += [(step.path, name) for step in role.steps for name in step.env if name not in role.env]
        for holder, name in variables:
            if name in taken:
                yield messages.RESERVED_VARIABLE(unit.origins.span(entry(child(holder, "env"), name)), name=name)
        marks = [(name, place) for name, place in label_places(unit.job, role).items() if name in LABELS]
        marks += [
            (name, entry(child(role.path, "annotations"), name)) for name in role.annotations if name in ANNOTATIONS
        ]
        for name, place in marks:
            yield messages.RESERVED_MARK(unit.origins.span(place), name=name)
