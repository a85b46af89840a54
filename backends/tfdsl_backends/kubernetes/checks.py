"""What the API server would refuse or the cluster could not run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic
from tfdsl.emit.located import entry
from tfdsl.ir.cluster_spec import gets_flags, needs_tf_config
from tfdsl.patterns import regex
from tfdsl.text import Span
from tfdsl.vocabulary.names import SUBDOMAIN
from tfdsl_backends.kubernetes import messages
from tfdsl_backends.kubernetes.policies import (
    decisions,
    has_service,
    pinned,
    replica_name,
    replicas,
    role_job_name,
    training_roles,
    usable_hosts,
)
from tfdsl_backends.kubernetes.tfconfig import jobs
from tfdsl_backends.podspec.checks import (
    Name,
    check_additions,
    check_addresses,
    check_first_letter,
    check_host_ports,
    check_job_labels,
    check_kueue_label,
    check_names,
    check_numbers,
    check_pods,
    check_queue_name,
    check_same_names,
)
from tfdsl_backends.podspec.objects import tensorboard_name, tensorboard_plan
from tfdsl_backends.podspec.options import PARTIAL_ADMISSION
from tfdsl_backends.podspec.plan import MOST_RULES

_NODE_NAME: Final = regex(SUBDOMAIN)


def check(unit: Unit) -> Iterator[Diagnostic]:
    """The target's own rules."""
    hosts = list(_hosts(unit))
    yield from hosts
    if not pinned(unit) and not has_service(unit):
        yield from check_addresses(unit, messages.NO_ADDRESSES, training_roles(unit.job))
    if not pinned(unit):
        if has_service(unit) or unit.job.board is not None:
            yield from check_first_letter(unit, messages.PODS, "a Service")
        yield from check_host_ports(unit, messages.PODS)
    elif unit.job.board is not None:
        yield from check_first_letter(unit, messages.PODS, "TensorBoard's Service")
    yield from check_names(unit, messages.PODS, _names(unit))
    jobs_of = ((role, role_job_name(unit, role)) for role in training_roles(unit.job))
    yield from check_same_names(unit, messages.SAME_NAME, jobs_of)
    yield from check_numbers(unit, messages.TOO_LARGE, [("backoffLimit", "retries", unit.job.retries + 1)])
    yield from check_additions(unit, messages.PODS)
    yield from check_job_labels(unit, messages.JOB_LABEL, training_roles(unit.job))
    yield from check_kueue_label(unit, messages.KUEUE)
    yield from check_queue_name(unit, messages.KUEUE)
    yield from _statuses(unit)
    yield from _partial_admission(unit)
    if not hosts:
        yield from _pods(unit)


def _partial_admission(unit: Unit) -> Iterator[Diagnostic]:
    """An error where tasks wait for replicas that Kueue may leave out."""
    job = unit.job
    waits = any(gets_flags(job, role) or needs_tf_config(job, role) for role in training_roles(job))
    if waits and PARTIAL_ADMISSION in job.annotations:
        place = unit.origins.span(entry("annotations", PARTIAL_ADMISSION))
        yield messages.PARTIAL_ADMISSION(place, annotation=PARTIAL_ADMISSION).help(
            'remove the annotation, or write cluster { discovery = "none" } if no task looks for another'
        )


def _statuses(unit: Unit) -> Iterator[Diagnostic]:
    """The number of rules in a podFailurePolicy (batch/v1 validation)."""
    for name, restart in decisions(unit).restarts.items():
        if len(restart.rules) > MOST_RULES:
            diagnostic = messages.TOO_MANY_RULES(
                unit.origins.span(f"roles[{name}].steps"), role=name, count=len(restart.rules)
            )
            yield diagnostic.help("do the work of several steps in one, or remove the sidecar")


def _pods(unit: Unit) -> Iterator[Diagnostic]:
    """Each role once: the pods of one role differ in their index only."""
    plans = {pods.role.name: (pods.role, pods.plan) for pods in jobs(unit)}
    board = unit.job.board
    if board is not None:
        plans[board.name] = (board, tensorboard_plan(unit))
    yield from check_pods(unit, messages.PODS, list(plans.values()))


def _hosts(unit: Unit) -> Iterator[Diagnostic]:
    """Whether every replica gets a host of its own."""
    hosts = unit.texts("hosts")
    if "hosts" not in unit.option_spans and not hosts:
        if unit.texts("exclude"):
            yield messages.EXCLUDE_ALONE(unit.option_place("exclude")).help('write hosts = ["…"] too')
        return
    for option in ("hosts", "exclude"):
        for at, host in enumerate(unit.texts(option)):
            if not _NODE_NAME.fullmatch(host):
                yield messages.NO_NODE_NAME(unit.option_place(f"{option}[{at}]"), host=repr(host))
    for host, count in Counter(hosts).items():
        if count > 1:
            yield _twice(unit, host, count)
    yield from _too_few(unit, unit.option_place("hosts"))


def _twice(unit: Unit, host: str, count: int) -> Diagnostic:
    hosts = unit.texts("hosts")
    first = hosts.index(host)
    second = hosts.index(host, first + 1)
    diagnostic = messages.HOST_TWICE(unit.option_place(f"hosts[{second}]"), host=host, count=count)
    diagnostic = diagnostic.note(unit.option_place(f"hosts[{first}]"), "first named here").marked("named again here")
    return diagnostic.help("write each host once")


def _too_few(unit: Unit, place: Span) -> Iterator[Diagnostic]:
    hosts = unit.texts("hosts")
    needed, usable = sum(1 for _ in replicas(unit.job)), len(usable_hosts(unit))
    if usable >= needed:
        return
    left_out = len(hosts) - usable
    diagnostic = messages.TOO_FEW_HOSTS(
        place,
        needed=needed,
        roles=", ".join(f"{role.replicas} {role.name}" for role in training_roles(unit.job)),
        count=len(hosts),
        excluded=f", {left_out} of them excluded" if left_out else "",
        missing=needed - usable,
    )
    yield diagnostic.help(f"add {needed - usable} more, or lower replicas")


def _names(unit: Unit) -> list[Name]:
    """The longest name of each role: the hostname of a pod, which is also the name of a Job on its host."""
    job = unit.job
    what = "the Job" if pinned(unit) else "the pod"
    names = [Name("the Service", job.name)] if has_service(unit) else []
    for role in training_roles(job):
        last = role.replicas - 1
        names.append(Name(f"{what} of {role.name} {last}", replica_name(unit, role, last)))
    if job.board is not None:
        names.append(Name("TensorBoard's Service", tensorboard_name(job)))
    return names
