"""When the conditional rows of the support table hold, and what they fill into their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.backend import Condition, Unit, condition
from tfdsl.emit.located import Data
from tfdsl.ir.policies import deciders
from tfdsl.vocabulary.attributes import BOARD
from tfdsl_backends.jobset.options import CLAIM_TEMPLATES
from tfdsl_backends.jobset.policies import decisions, jobs_of, pods_of
from tfdsl_backends.podspec.objects import claim_spec

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import Claim, ClaimMount, Policy, Role


overridden = Condition(
    "more specific policies decide",
    lambda unit, item: item.role != BOARD and not decisions(unit).deciding[id(item.node)],
)


in_new_pod = Condition(
    "beside other actions on statuses, evictions or replicas",
    lambda unit, item: any(not role.in_place for role in decisions(unit).deciding[id(item.node)]),
)
"""``restart container``: whether its roles distinguish failures, which takes new pods."""

restarts_pods = Condition("if pods restart, not containers", in_new_pod.test)


@condition("where containers restart in place")
def restarts_in_place(unit: Unit, item: Item) -> bool:
    """Whether the containers of the role restart in place, up to a number."""
    role = decisions(unit).roles.get(item.role)
    return role is not None and role.in_place


@condition("unless containers restart in place")
def restarts_new_pods(unit: Unit, item: Item) -> bool:
    """``restarted``: whether no role that the policy covers restarts its containers in place."""
    policy = cast("Policy", item.node)
    roles = [role_decisions for name, role_decisions in decisions(unit).roles.items() if name != BOARD]
    covered = [role for role in roles if policy.role in (None, role.role.name)]
    return not any(role_decisions.in_place for role_decisions in covered)


@condition("more than retries")
def beyond_retries(unit: Unit, item: Item) -> bool:
    """``restarted N``: whether the job has no retries left before that."""
    policy = cast("Policy", item.node)
    return policy.count is not None and policy.count > unit.job.retries


@condition("the job and pods, or several Jobs, restart")
def counted_apart(unit: Unit, item: Item) -> bool:
    """Whether there is more than one counter of restarts."""
    decided = decisions(unit)
    return sum(jobs_of(unit, role_decisions.role) for role_decisions in decided.restarting) + decided.restarts_job > 1


def restarting_roles(unit: Unit, item: Item) -> dict[str, str]:
    """``counters``: what counts restarts on its own."""
    decided = decisions(unit)
    job = ["the job"] if decided.restarts_job else []
    return {
        "counters": ", ".join([*job, *(_counter(unit, role_decisions.role) for role_decisions in decided.restarting)])
    }


def _counter(unit: Unit, role: Role) -> str:
    jobs = jobs_of(unit, role)
    return f"role {role.name}" if jobs == 1 else f"each of {jobs} Jobs of role {role.name}"


restarts_job = Condition("the job restarts", lambda unit, item: decisions(unit).restarts_job)


@condition("where a role of several replicas may run on")
def keeps_less(unit: Unit, item: Item) -> bool:
    """``cleanup = "running"``: whether a replica that has ended may go with others of its Job that still run."""
    trains = unit.job.training_roles
    return item.value == "running" and any(pods_of(unit, role) > 1 for role in trains)


@condition("with several Jobs of the role")
def by_several_jobs(unit: Unit, item: Item) -> bool:
    """``completed``: whether the role has several Jobs of which one would be enough.

    That is so of a replica, because all Jobs of a role are alike, and where the first of several roles decides.
    """
    policy = cast("Policy", item.node)
    role = unit.job.role(policy.role or "")
    several = policy.index is not None or len(deciders(unit.job)) > 1
    return several and role is not None and jobs_of(unit, role) > 1


after_several = Condition("several roles", lambda unit, item: len(cast("Role", item.node).after) > 1)


@condition("against a restart of the role's pods")
def replica_restarts_alone(unit: Unit, item: Item) -> bool:
    """A policy of one replica: whether it restarts a pod, or others of its role do where it does not."""
    policy = cast("Policy", item.node)
    role = decisions(unit).roles.get(policy.role or "")
    acts = policy.action in ("restart pod", "restart container")
    return acts or (role is not None and policy.index in role.mixed)


@condition("without keep, from 0.11")
def goes_with_job(unit: Unit, item: Item) -> bool:
    """Whether the JobSet makes the claim, and it goes with it."""
    name = cast("ClaimMount", item.node).claim
    return any(claim.name == name for claim in own_claims(unit))


keeps_running = Condition('"none"', lambda unit, item: item.value == "none")


def own_claims(unit: Unit) -> list[Claim]:
    """The claims that go with the JobSet."""
    return [claim for claim in unit.job.claims if not claim.keep and unit.at_least(CLAIM_TEMPLATES)]


def documents(unit: Unit) -> list[Claim]:
    """The claims that are documents beside the JobSet, and outlive it."""
    own = {claim.name for claim in own_claims(unit)}
    return [claim for claim in unit.job.claims if claim.name not in own]


def policies(unit: Unit) -> Data:
    """``spec.volumeClaimPolicies``: the controller mounts each claim in the Jobs that name it."""
    templates: list[Data] = [
        {"metadata": {"name": claim.name}, "spec": claim_spec(claim)} for claim in own_claims(unit)
    ]
    return [{"templates": templates, "retentionPolicy": {"whenDeleted": "Delete"}}] if templates else None
