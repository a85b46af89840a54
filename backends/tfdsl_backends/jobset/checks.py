"""What the API server, the webhooks of JobSet or the Job controller would refuse, or the cluster could not run.

JobSet accepts a template that the Job controller refuses later without a word, so each Job is checked here.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic
from tfdsl.emit.located import entry
from tfdsl.ir.cluster_spec import gets_flags, needs_tf_config
from tfdsl.ir.policies import completions
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import decider
from tfdsl_backends.jobset import messages
from tfdsl_backends.jobset.options import EXCLUSIVE, MESSAGE_PATTERNS
from tfdsl_backends.jobset.policies import (
    decisions,
    hostname,
    job_name,
    jobs_of,
    pod_rules,
    reads_messages,
    subdomain,
)
from tfdsl_backends.jobset.tfconfig import plan
from tfdsl_backends.jobset.when import documents, own_claims
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
    check_sidecar_nodes,
)
from tfdsl_backends.podspec.command import uses_index
from tfdsl_backends.podspec.objects import claim_name, tensorboard_name
from tfdsl_backends.podspec.plan import MOST_RULES

LONGEST_HOST = 57
"""Of the hostname of a pod, so that the pod's name, with a dash and five letters more, has 63 characters."""


def check(unit: Unit) -> Iterator[Diagnostic]:
    """The target's own rules."""
    yield from check_first_letter(unit, messages.PODS, "Jobs and pods")
    yield from check_names(unit, messages.PODS, _names(unit))
    yield from check_same_names(unit, messages.SAME_NAME, ((role, job_name(unit, role)) for role in unit.job.roles))
    if not unit.flag("service"):
        yield from check_addresses(unit, messages.NO_ADDRESSES, unit.job.roles)
    yield from _jobs(unit)
    yield from _coordinator(unit)
    yield from _topology(unit)
    yield from check_numbers(unit, messages.TOO_LARGE)
    yield from check_host_ports(unit, messages.PODS)
    yield from check_additions(unit, messages.PODS)
    yield from check_sidecar_nodes(unit, messages.SIDECAR_NODES)
    yield from check_job_labels(unit, messages.JOB_LABEL, unit.job.roles)
    yield from check_kueue_label(unit, messages.KUEUE)
    yield from check_queue_name(unit, messages.KUEUE)
    yield from _rules(unit)
    yield from _success(unit)
    yield from check_pods(unit, messages.PODS, [(role, plan(unit, role)) for role in unit.job.roles])


def _names(unit: Unit) -> list[Name]:
    """The names that follow from the job's and have a limit."""
    job = unit.job
    names = [
        Name(
            f"the pod of {role.name} {role.replicas - 1}, without its last six characters,",
            hostname(unit, role, role.replicas - 1),
            LONGEST_HOST,
        )
        for role in job.roles
    ]
    chosen = job.role(unit.text("coordinator"))
    if chosen is not None:
        names.append(Name("the coordinator", f"{hostname(unit, chosen, 0)}.{subdomain(unit)}"))
    if job.board is not None:
        names.append(Name("TensorBoard's Service", tensorboard_name(job)))
    names += [Name(f"claim {claim.name}", f"{claim.name}-{job.name}") for claim in own_claims(unit)]
    names += [Name(f"claim {claim.name}", claim_name(job, claim), 253) for claim in documents(unit)]
    return names


def _jobs(unit: Unit) -> Iterator[Diagnostic]:
    """Whether the Jobs of a role are alike, and each replica can know which it is, if it asks."""
    job = unit.job
    for role in job.roles:
        jobs, place = jobs_of(unit, role), unit.option_place(f"jobs[{role.name}]")
        asks = needs_tf_config(job, role) or gets_flags(job, role) or uses_index(job, role)
        if role.replicas % jobs:
            yield messages.UNEQUAL_JOBS(place, replicas=role.replicas, role=role.name, jobs=jobs)
        elif asks and 1 < jobs < role.replicas:
            diagnostic = messages.NO_INDEX(place, role=role.name, jobs=jobs)
            yield diagnostic.help(
                f'write jobs = {{ {role.name} = {role.replicas} }}, or cluster {{ discovery = "none" }} and let the '
                "program count from its Job and the index in it"
            )


def _coordinator(unit: Unit) -> Iterator[Diagnostic]:
    name = unit.text("coordinator")
    if name and unit.job.role(name) is None:
        yield messages.NO_COORDINATOR(unit.option_place("coordinator"), name=repr(name)).help(
            f"its roles are {', '.join(role.name for role in unit.job.roles)}"
        )


def _topology(unit: Unit) -> Iterator[Diagnostic]:
    """Whether the job sets the annotation that the option writes to something else."""
    topology = unit.text("exclusive_topology")
    if topology and unit.job.annotations.get(EXCLUSIVE, topology) != topology:
        place = unit.origins.span(entry("annotations", EXCLUSIVE))
        yield messages.OWN_NAMES(place, key=EXCLUSIVE).help("remove the annotation or the option")


def _rules(unit: Unit) -> Iterator[Diagnostic]:
    """The rules of the Jobs, and what the JobSet must know of them."""
    for name, role in decisions(unit).roles.items():
        rules = pod_rules(role).rules
        if len(rules) > MOST_RULES:
            place = unit.origins.span(f"roles[{name}].steps" if role.role.steps else f"roles[{name}]")
            yield messages.TOO_MANY_RULES(place, role=name, count=len(rules)).help(
                "do the work of several steps in one, or give fewer exit statuses an action of their own"
            )
    if reads_messages(unit) and not unit.at_least(MESSAGE_PATTERNS):
        yield messages.NO_MESSAGES(_first_policy(unit)).help(
            "compile for JobSet 0.10 or newer, or give all failures one action"
        )


def _first_policy(unit: Unit) -> Span:
    """Where the first policy is that distinguishes failures."""
    for event in ("exit", "evicted", "failed"):
        for policy in unit.job.policies:
            if policy.event == event:
                return unit.origins.span(policy.path)
    return unit.origins.span("")


def _success(unit: Unit) -> Iterator[Diagnostic]:
    """Whether two things say when the job is complete; what the nodes must be where one replica of several ends it."""
    for policy in completions(unit.job):
        usual = policy.index is None and policy.role == decider([role.name for role in unit.job.roles])
        if unit.text("success") and not usual:
            yield messages.SUCCESS(unit.option_place("success")).note(unit.origins.span(policy.path), "the policy")
            return
        role = unit.job.role(policy.role or "")
        if policy.index is not None and role is not None and role.replicas > 1:
            yield messages.SUCCESS_INDEX(unit.origins.span(policy.path))
            return
