"""Conditions of the slider support table."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.backend import Condition, Unit, condition
from tfdsl.ir.policies import covering
from tfdsl.vocabulary.statements import FLOW_RUN_VARIABLE, RESTARTS
from tfdsl_backends.hadoop.when import in_docker

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import Policy


of_tensorboard = Condition("on tensorboard", lambda unit, item: cast("Policy", item.node).role == "tensorboard")


@condition("false, tasks that need addresses")
def addresses_without_gang(unit: Unit, item: Item) -> bool:
    """Whether tasks wait for each other although they are no gang."""
    from tfdsl_backends.slider.job_file import waits_for_peers

    return not item.value and any(waits_for_peers(unit.job, role) for role in unit.job.roles)


@condition("docker, a variable that env does not set")
def unknown_variable(unit: Unit, item: Item) -> bool:
    """Whether, in docker, neither the role nor the script sets the variable: only the image could."""
    from tfdsl.ir.model import Step
    from tfdsl.ir.part import variables

    role = unit.job.role(item.role)
    if role is None or not in_docker(unit, role):
        return False
    field = item.path.rpartition(".")[2] if item.key.startswith(("roles", "outputs", "steps")) else None
    value = getattr(item.node, field) if field else item.node
    known = item.node.env if item.key.startswith("steps") and isinstance(item.node, Step) else role.env
    return any(name not in known for name in variables(value) if name not in ("USER", FLOW_RUN_VARIABLE))


@condition("at most one replica is restarted")
def counted_once(unit: Unit, item: Item) -> bool:
    """Whether at most one replica is ever restarted, so that there is one count."""
    restarted = (
        role.replicas
        for role in unit.job.roles
        if any(policy.written and policy.action in RESTARTS for policy in covering(unit.job, role))
    )
    return sum(restarted) <= 1


@condition("one replica")
def one_replica(unit: Unit, item: Item) -> bool:
    """Whether the policy is about one replica."""
    policy = cast("Policy", item.node)
    role = unit.job.role(item.role) if item.role else None
    return policy.index is not None or (role is not None and role.replicas == 1)


@condition("beside restart container")
def mixed(unit: Unit, item: Item) -> bool:
    """Whether another policy restarts a role of this policy in place."""
    from tfdsl_backends.slider.policies import on_failures, restarts_in_place

    policy = cast("Policy", item.node)
    roles = unit.job.roles
    return any(policy in on_failures(unit.job, role) and restarts_in_place(unit.job, role) for role in roles)
