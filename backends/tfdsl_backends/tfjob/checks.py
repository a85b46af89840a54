"""What the webhook, the API server or the operator would refuse or get wrong."""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic
from tfdsl.emit.located import child
from tfdsl.ir.cluster_spec import has_own_config
from tfdsl.record import replace
from tfdsl_backends.podspec.checks import (
    Name,
    check_additions,
    check_first_letter,
    check_host_ports,
    check_injected,
    check_kueue_label,
    check_names,
    check_numbers,
    check_pods,
    check_queue_name,
    check_sidecar_nodes,
)
from tfdsl_backends.podspec.objects import tensorboard_name
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.tfjob import messages
from tfdsl_backends.tfjob.policies import decisions
from tfdsl_backends.tfjob.tfconfig import delivers, is_distributed, operator_config, plans, replica_name


def check(unit: Unit) -> Iterator[Diagnostic]:
    """The target's own rules."""
    yield from check_first_letter(unit, messages.PODS, "a TFJob and of Services")
    yield from check_names(unit, messages.PODS, _names(unit))
    yield from _numbers(unit)
    yield from _queue(unit)
    yield from _discovery(unit)
    yield from _evaluator(unit)
    yield from _dynamic(unit)
    yield from check_host_ports(unit, messages.PODS)
    yield from check_additions(unit, messages.PODS)
    yield from check_sidecar_nodes(unit, messages.SIDECAR_NODES)
    yield from check_pods(unit, messages.PODS, plans(unit))
    yield from _injected(unit)


def _injected(unit: Unit) -> Iterator[Diagnostic]:
    """The operator's TF_CONFIG, which is about as long in every role: one error is enough."""
    job = unit.job
    roles = [role for role in job.training_roles if not delivers(unit, role)]
    if roles and is_distributed(job):
        largest = max(roles, key=lambda role: role.replicas)
        text = operator_config(unit, largest, "0")
        yield from check_injected(unit, messages.PODS, largest, "the operator", text)


def _names(unit: Unit) -> list[Name]:
    """The longest name of each role's pods, which are also Service names (at most 63 characters)."""
    job = unit.job
    names = [Name("the job", job.name)]
    for role in job.training_roles:
        last = role.replicas - 1
        names.append(Name(f"the pod and the Service of {role.name} {last}", replica_name(job, role, last)))
    if job.board is not None:
        names.append(Name("TensorBoard's Service", tensorboard_name(job)))
    return names


def _numbers(unit: Unit) -> Iterator[Diagnostic]:
    """Fields of 32 bits."""
    job = unit.job
    numbers: list[tuple[str, str, int]] = []
    if decisions(unit).in_place:
        policy = next(iter(decisions(unit).counted), None)
        limit = job.retries + 1 if policy is None else policy.count or 0
        numbers.append(("backoffLimit", "retries" if policy is None else child(policy.path, "event"), limit))
    yield from check_numbers(unit, messages.TOO_LARGE, numbers)


def _queue(unit: Unit) -> Iterator[Diagnostic]:
    job = unit.job
    if not unit.flag("kueue"):
        return
    if job.queue is None and QUEUE_LABEL not in job.labels:
        yield messages.KUEUE_WITHOUT_QUEUE(unit.option_place("kueue")).help(
            'write the name of a LocalQueue, e.g. queue = "research"'
        )
    yield from check_kueue_label(unit, messages.KUEUE)
    yield from check_queue_name(unit, messages.KUEUE)


def _discovery(unit: Unit) -> Iterator[Diagnostic]:
    job = unit.job
    told = any(not has_own_config(role) for role in job.training_roles)
    if job.cluster.discovery in ("flags", "none") and is_distributed(job) and told:
        yield replace(
            messages.CONFIG_INJECTED(unit.origins.span("cluster.discovery"), value=job.cluster.discovery).help(
                "let the program ignore TF_CONFIG"
            ),
            approximation=True,
        )


def _dynamic(unit: Unit) -> Iterator[Diagnostic]:
    """What ``enableDynamicWorker`` changes for the policies and for the program."""
    if unit.flag("dynamic_workers"):
        yield messages.DYNAMIC_WORKERS(unit.option_place("dynamic_workers"))


def _evaluator(unit: Unit) -> Iterator[Diagnostic]:
    job = unit.job
    operator = unit.text("tf_config") == "operator" or job.cluster.discovery in ("flags", "none")
    told = any(not has_own_config(role) for role in job.training_roles)
    if job.role("evaluator") is not None and operator and is_distributed(job) and told:
        yield messages.EVALUATOR_IN_CLUSTER(unit.origins.span("roles[evaluator]")).help(
            'write tf_config = "static" in target tfjob to leave it out of the cluster'
        )
