"""When the conditional rows of the support table hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from tfdsl.backend import Condition, Unit, condition
from tfdsl.backend.conditions import single
from tfdsl.ir.policies import on_eviction
from tfdsl.vocabulary.attributes import LEADERS
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.tfjob.options import features
from tfdsl_backends.tfjob.policies import decisions

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import Policy, Role

OPERATOR_LABELS = ("operator-name", "job-name", "replica-type", "replica-index", "job-role")
"""Labels ``training.kubeflow.org/…`` with which the operator overwrites those of the pod template."""


def static(unit: Unit, item: Item) -> bool:
    """Whether the compiler delivers TF_CONFIG itself."""
    return unit.text("tf_config") == "static"


gang_scheduled = Condition("gang_scheduler is set", lambda unit, item: unit.text("gang_scheduler") != "")

volcano_scheduled = Condition('gang_scheduler = "volcano"', lambda unit, item: unit.text("gang_scheduler") == "volcano")

looks_late = Condition("before 1.5", lambda unit, item: not unit.at_least("1.5"))
"""Whether nothing wakes the operator when a time is over (kubeflow/trainer issue 1533)."""

with_kueue = Condition("kueue = true", lambda unit, item: unit.flag("kueue"))


in_kueue = Condition(
    "kueue = true, or Kueue's label",
    lambda unit, item: QUEUE_LABEL in unit.job.labels or (unit.flag("kueue") and unit.job.queue is not None),
)
"""Whether the job has the label by which Kueue manages it."""

several = Condition("several replicas", lambda unit, item: not single(unit, item))


@condition("several workers, without a chief or master")
def all_workers(unit: Unit, item: Item) -> bool:
    """``completed``: whether all of several workers decide, where the operator would look at worker 0."""
    policy = cast("Policy", item.node)
    worker = unit.job.role("worker")
    several_workers = worker is not None and worker.replicas > 1
    return policy.role == "worker" and policy.index is None and several_workers and decides_success(unit, item)


other_scheduler = Condition(
    "different from gang_scheduler",
    lambda unit, item: gang_scheduled(unit, item) and item.value != unit.text("gang_scheduler"),
)
"""Whether the job's scheduler is not the one for which the operator makes the gang."""

none_for_one = Condition('"none" for one replica', lambda unit, item: item.value == "none" and single(unit, item))


single_without_config = Condition(
    'one replica with tf_config = "operator"',
    lambda unit, item: item.value in ("tf_config", "both") and single(unit, item) and not static(unit, item),
)
"""Whether TF_CONFIG is wanted and the operator injects none."""

wrapped = Condition(
    'several replicas with tf_config = "static"',
    lambda unit, item: item.value in ("tf_config", "both") and not single(unit, item) and static(unit, item),
)
"""Whether the commands are started by a shell that sets TF_CONFIG."""


@condition("TF_CONFIG, several replicas")
def own_tf_config(unit: Unit, item: Item) -> bool:
    """Whether the job sets TF_CONFIG itself, where the operator appends one to the same variables."""
    role = cast("Role", item.node)
    return "TF_CONFIG" in role.env and not role.is_board and not single(unit, item)


@condition("TF_CONFIG that is not a text, several replicas")
def own_reference(unit: Unit, item: Item) -> bool:
    """Whether the value is in a Secret, a ConfigMap or the pod, where the shell that sets it cannot read it."""
    value = cast("Role", item.node).env.get("TF_CONFIG")
    return own_tf_config(unit, item) and not (isinstance(value, str) or hasattr(value, "parts"))


@condition('"none" with retries or a deadline')
def limited(unit: Unit, item: Item) -> bool:
    """Whether pods are to stay although a limit may end the job."""
    limited_restarts = unit.job.retries > 0 and unit.flag("limit_restarts")
    return item.value == "none" and (limited_restarts or unit.job.deadline is not None)


@condition("keys that the operator sets")
def overwritten_labels(unit: Unit, item: Item) -> bool:
    """Whether the operator writes over one of the labels."""
    labels = cast("Mapping[str, str]", item.value)
    return any(f"training.kubeflow.org/{name}" in labels for name in OPERATOR_LABELS)


def _roles(unit: Unit, item: Item) -> Sequence[Role]:
    """The roles for which the policy decides anything."""
    return decisions(unit).deciding[id(item.node)]


overridden = Condition(
    "more specific policies decide", lambda unit, item: item.role != "tensorboard" and not _roles(unit, item)
)


def _all_become(words: str, *restart_policies: str) -> Condition:
    """A policy: whether every role that it decides for gets one of ``restart_policies``."""
    return Condition(
        words,
        lambda unit, item: all(
            decisions(unit).restart_policies[role.name] in restart_policies for role in _roles(unit, item)
        ),
    )


has_restart_policy = _all_become("separated at 128, or not at all", "Never", "OnFailure", "ExitCode")
in_place = _all_become("no status or eviction fails the job", "OnFailure")
by_status = _all_become("statuses 1–127 fail the job", "ExitCode")
beside_restart_in_place = Condition("beside restart container", in_place.test)
beside_fail_job = Condition("beside fail job, version 1.5 and newer", by_status.test)
never = _all_become("", "Never")
not_by_status = _all_become("", "Never", "OnFailure")


@condition("1–127 fail the job, 128 and above restart")
def separated_too_early(unit: Unit, item: Item) -> bool:
    """Statuses separated at 128 as later operators can, for one that cannot yet."""
    latest = decisions(unit).latest
    return not features(unit).exit_code and all(latest[role.name] == "ExitCode" for role in _roles(unit, item))


as_deployment_does = Condition(
    "tensorboard, restart pod",
    lambda unit, item: item.role == "tensorboard" and cast("Policy", item.node).action == "restart pod",
)
"""``evicted``: whether it asks of tensorboard what its Deployment does anyway: recreate the pod."""

eviction_is_failure = Condition(
    "without a policy for evicted",
    lambda unit, item: any(on_eviction(unit.job, role) is item.node for role in _roles(unit, item)),
)
"""``failed``: whether it also decides for lost pods, with no ``evicted`` policy whose row says what happens."""

evicted_pods_stay = Condition(
    "restartPolicy Never, or OnFailure before 1.6",
    lambda unit, item: never(unit, item) if features(unit).remakes_lost_pods else not_by_status(unit, item),
)
"""``evicted => fail job``: whether nothing recreates an evicted pod of its roles."""


@condition("beside policies that are refused")
def refused_beside(unit: Unit, item: Item) -> bool:
    """``evicted``: whether no version has a restart policy for what other policies of its roles say.

    Those are refused by rows of their own, which say why.
    """
    return all(decisions(unit).latest[role.name] is None for role in _roles(unit, item))


restarts_in_place = Condition("a role has restartPolicy OnFailure", lambda unit, item: bool(decisions(unit).in_place))


written_in_place = Condition(
    "set, a role has restartPolicy OnFailure",
    lambda unit, item: unit.origins.written(item.path) is not None and restarts_in_place(unit, item),
)
"""``retries``: whether they are written, and count restarts in place."""


@condition("beside a role that gets new pods")
def beside_new_pods(unit: Unit, item: Item) -> bool:
    """``failed => fail job``: whether the operator makes new pods for other roles than those that it decides for."""
    remade = {"ExitCode", "OnFailure"} if features(unit).remakes_lost_pods else {"ExitCode"}
    return never(unit, item) and not remade.isdisjoint(decisions(unit).restart_policies.values())


step_restarts_in_place = Condition(
    "where restartPolicy is OnFailure",
    lambda unit, item: decisions(unit).restart_policies.get(item.role) == "OnFailure",
)

step_restarts_by_status = Condition(
    "where restartPolicy is ExitCode", lambda unit, item: decisions(unit).restart_policies.get(item.role) == "ExitCode"
)
"""A step: whether the operator reads the exit status of the command's container."""

unlimited = Condition(
    "a role has restartPolicy OnFailure, limit_restarts = false",
    lambda unit, item: bool(decisions(unit).in_place) and not unit.flag("limit_restarts"),
)
"""Whether containers restart in place, however often."""

restarts_by_status = Condition(
    "a role has restartPolicy ExitCode", lambda unit, item: "ExitCode" in decisions(unit).restart_policies.values()
)

counts_elsewhere = Condition("beside `restarted N`", lambda unit, item: bool(decisions(unit).counted))

counts_nothing = Condition("no role has restartPolicy OnFailure", lambda unit, item: not restarts_in_place(unit, item))

counts_one_role = Condition("one role restarts in place", lambda unit, item: _restarting(unit, item, at_most=1))
"""``restarted N``: whether its role is the only one that restarts in place."""

counts_all_roles = Condition(
    "several roles restart in place, without ROLE", lambda unit, item: _restarting(unit, item, at_most=6)
)
"""``restarted N``: whether it covers every role that restarts in place, and is the only one."""


@condition("chief, master, or worker if there is neither")
def decides_success(unit: Unit, item: Item) -> bool:
    """``completed``: whether the operator's rules can end the job with this role."""
    role = cast("Policy", item.node).role
    has_chief = any(other.name in LEADERS for other in unit.job.roles)
    return role in LEADERS or (role == "worker" and not has_chief)


first_replica = Condition(
    "replica 0 of chief or master, or of worker if there is neither",
    lambda unit, item: item.value == 0 and decides_success(unit, item),
)
"""``completed`` of one replica: whether it is the one that the operator looks at."""


def _restarting(unit: Unit, item: Item, at_most: int) -> bool:
    decided = decisions(unit)
    covered = {role.name for role in _roles(unit, item)}
    return len(decided.counted) == 1 and 0 < len(decided.in_place) <= at_most and set(decided.in_place) <= covered
