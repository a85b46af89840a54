"""What the rows of the support table ask about a job.

The IR is imported when a condition is asked, so that the table loads without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.conditions import single
from tfdsl.support import Condition, condition
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.tfjob.features import features

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import Policy, Role

OPERATOR_LABELS = ("operator-name", "job-name", "replica-type", "replica-index", "job-role")
"""Labels ``training.kubeflow.org/…`` that the operator writes over those of the pod template."""


def static(unit: Unit, item: Item) -> bool:
    """Whether the compiler delivers TF_CONFIG itself."""
    return unit.text("tf_config") == "static"


@condition("gang_scheduler is set")
def gang_scheduled(unit: Unit, item: Item) -> bool:
    """Whether the operator makes PodGroups."""
    return unit.text("gang_scheduler") != ""


@condition('gang_scheduler = "volcano"')
def volcano_scheduled(unit: Unit, item: Item) -> bool:
    """Whether the operator makes Volcano's PodGroups, the only ones with a queue."""
    return unit.text("gang_scheduler") == "volcano"


@condition("kueue = true")
def with_kueue(unit: Unit, item: Item) -> bool:
    """Whether Kueue admits the job."""
    return unit.flag("kueue")


@condition("kueue = true, or Kueue's label")
def in_kueue(unit: Unit, item: Item) -> bool:
    """Whether the job has the label by which Kueue manages it."""
    return QUEUE_LABEL in unit.job.labels or (unit.flag("kueue") and unit.job.queue is not None)


@condition("several replicas")
def several(unit: Unit, item: Item) -> bool:
    """Whether other replicas may run when the one that ends the job has ended."""
    return not single(unit, item)


@condition("several workers, without a chief or master")
def all_workers(unit: Unit, item: Item) -> bool:
    """``completed``: whether all of several workers decide, for whom the operator would take worker 0."""
    policy = cast("Policy", item.node)
    worker = unit.job.role("worker")
    several_workers = worker is not None and worker.replicas > 1
    return policy.role == "worker" and policy.index is None and several_workers and decides_success(unit, item)


@condition("another one than gang_scheduler")
def other_scheduler(unit: Unit, item: Item) -> bool:
    """Whether the job's scheduler is not the one that the gang is made for."""
    return gang_scheduled(unit, item) and item.value != unit.text("gang_scheduler")


@condition('"none" for one replica')
def none_for_one(unit: Unit, item: Item) -> bool:
    """Whether no TF_CONFIG is wanted and none is injected."""
    return item.value == "none" and single(unit, item)


@condition('one replica with tf_config = "operator"')
def single_without_config(unit: Unit, item: Item) -> bool:
    """Whether TF_CONFIG is wanted and the operator injects none."""
    return item.value in ("tf_config", "both") and single(unit, item) and not static(unit, item)


@condition('several replicas with tf_config = "static"')
def wrapped(unit: Unit, item: Item) -> bool:
    """Whether the commands are started by a shell that sets TF_CONFIG."""
    return item.value in ("tf_config", "both") and not single(unit, item) and static(unit, item)


@condition("TF_CONFIG, several replicas")
def own_tf_config(unit: Unit, item: Item) -> bool:
    """Whether the job sets TF_CONFIG itself, where the operator appends one to the same variables."""
    role = cast("Role", item.node)
    return "TF_CONFIG" in role.env and role.name != "tensorboard" and not single(unit, item)


@condition('"none" with retries or a deadline')
def limited(unit: Unit, item: Item) -> bool:
    """Whether pods are to stay although a limit may end the job."""
    return item.value == "none" and (unit.job.retries > 0 or unit.job.deadline is not None)


@condition("keys that the operator sets")
def overwritten_labels(unit: Unit, item: Item) -> bool:
    """Whether the operator writes over one of the labels."""
    role = cast("Role", item.node)
    return any(f"training.kubeflow.org/{name}" in role.labels for name in OPERATOR_LABELS)


@condition("more specific policies decide")
def overridden(unit: Unit, item: Item) -> bool:
    """A policy: whether more specific ones decide everything that it could."""
    from tfdsl_backends.tfjob.policies import decided

    return item.role != "tensorboard" and not decided(unit.job, cast("Policy", item.node))


def _all_become(words: str, *restart_policies: str) -> Condition:
    """A policy: whether every role that it decides for gets one of ``restart_policies``."""

    def test(unit: Unit, item: Item) -> bool:
        from tfdsl_backends.tfjob.policies import decided, restart_policy

        job, can = unit.job, features(unit)
        return all(
            restart_policy(job, role, can) in restart_policies for role in decided(job, cast("Policy", item.node))
        )

    return Condition(words, test)


has_restart_policy = _all_become("told apart at 128, or not at all", "Never", "OnFailure", "ExitCode")
in_place = _all_become("no status or eviction fails the job", "OnFailure")
by_status = _all_become("statuses 1–127 fail the job", "ExitCode")
beside_restart_in_place = Condition("beside restart container", in_place.test)
beside_fail_job = Condition("beside fail job, version 1.5 and newer", by_status.test)
never = _all_become("", "Never")
not_by_status = _all_become("", "Never", "OnFailure")


@condition("1–127 fail the job, 128 and above restart")
def told_apart_too_early(unit: Unit, item: Item) -> bool:
    """Statuses told apart at 128 by an operator that cannot yet, in the way that later ones can."""
    from tfdsl_backends.tfjob.features import LATEST
    from tfdsl_backends.tfjob.policies import decided, restart_policy

    if features(unit).exit_code:
        return False
    roles = decided(unit.job, cast("Policy", item.node))
    return all(restart_policy(unit.job, role, LATEST) == "ExitCode" for role in roles)


@condition("tensorboard, restart pod")
def as_deployment_does(unit: Unit, item: Item) -> bool:
    """``evicted``: whether it says of tensorboard what its Deployment does anyway, make the pod again."""
    return item.role == "tensorboard" and cast("Policy", item.node).action == "restart pod"


@condition("without a policy for evicted")
def eviction_is_failure(unit: Unit, item: Item) -> bool:
    """``failed``: whether it decides for lost pods too, with no ``evicted`` policy that says what is told of them."""
    from tfdsl.ir.policies import on_eviction
    from tfdsl_backends.tfjob.policies import decided

    policy = cast("Policy", item.node)
    return any(on_eviction(unit.job, role) is policy for role in decided(unit.job, policy))


@condition("restartPolicy Never, or OnFailure before 1.6")
def evicted_pods_stay(unit: Unit, item: Item) -> bool:
    """``evicted => fail job``: whether nothing makes an evicted pod of its roles again."""
    return never(unit, item) if features(unit).remakes_lost_pods else not_by_status(unit, item)


@condition("beside policies that are refused")
def refused_beside(unit: Unit, item: Item) -> bool:
    """``evicted``: whether no version has a restart policy for what other policies of its roles say.

    Those are refused by rows of their own, which say why.
    """
    from tfdsl_backends.tfjob.features import LATEST
    from tfdsl_backends.tfjob.policies import decided, restart_policy

    job = unit.job
    return all(restart_policy(job, role, LATEST) is None for role in decided(job, cast("Policy", item.node)))


@condition("a role has restartPolicy OnFailure")
def restarts_in_place(unit: Unit, item: Item) -> bool:
    """Whether any role has the restart policy that ``backoffLimit`` counts."""
    from tfdsl_backends.tfjob.policies import in_place

    return bool(in_place(unit.job, features(unit)))


@condition("a role has restartPolicy ExitCode")
def restarts_by_status(unit: Unit, item: Item) -> bool:
    """Whether any role has the restart policy that nothing counts."""
    from tfdsl_backends.tfjob.policies import restart_policy, training_roles

    can = features(unit)
    return any(restart_policy(unit.job, role, can) == "ExitCode" for role in training_roles(unit.job))


@condition("beside `restarted N`")
def counts_elsewhere(unit: Unit, item: Item) -> bool:
    """Whether a ``restarted N`` policy has taken ``backoffLimit``."""
    return any(policy.event == "restarted" for policy in unit.job.policies)


@condition("no role has restartPolicy OnFailure")
def counts_nothing(unit: Unit, item: Item) -> bool:
    """``restarted N``: whether no role restarts in place, so that there is nothing to count."""
    return not restarts_in_place(unit, item)


@condition("one role restarts in place")
def counts_one_role(unit: Unit, item: Item) -> bool:
    """``restarted N``: whether its role is the only one that restarts in place."""
    return _restarting(unit, item, at_most=1)


@condition("several roles restart in place, without ROLE")
def counts_all_roles(unit: Unit, item: Item) -> bool:
    """``restarted N``: whether it covers every role that restarts in place, and is the only one."""
    return _restarting(unit, item, at_most=6)


@condition("chief, master, or worker without them")
def decides_success(unit: Unit, item: Item) -> bool:
    """``completed``: whether the operator's rules can end the job with this role."""
    role = cast("Policy", item.node).role
    has_chief = any(other.name in ("chief", "master") for other in unit.job.roles)
    return role in ("chief", "master") or (role == "worker" and not has_chief)


@condition("0 of chief or master, or of worker without them")
def first_replica(unit: Unit, item: Item) -> bool:
    """``completed`` of one replica: whether it is the one that the operator looks at."""
    return item.value == 0 and decides_success(unit, item)


def _restarting(unit: Unit, item: Item, at_most: int) -> bool:
    from tfdsl_backends.tfjob.policies import counted, decided, in_place

    restarting = [role.name for role in in_place(unit.job, features(unit))]
    covered = [role.name for role in decided(unit.job, cast("Policy", item.node))]
    return len(counted(unit.job)) == 1 and 0 < len(restarting) <= at_most and set(restarting) <= set(covered)
