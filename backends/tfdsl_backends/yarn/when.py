"""Conditions of the yarn support table."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.backend import Condition, Unit, condition
from tfdsl_backends.hadoop.when import docker
from tfdsl_backends.yarn.options import NO_TIMEOUT, features, is_yarn_tf

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import BaseMount, Job, Policy, Role

yarn_tf = Condition('dialect = "yarn-tf"', lambda unit, item: is_yarn_tf(unit))
yarn_tf_roles = Condition(
    'dialect = "yarn-tf", several roles', lambda unit, item: is_yarn_tf(unit) and len(unit.job.roles) > 1
)
yarn_tf_choice = Condition('dialect = "yarn-tf", true', lambda unit, item: is_yarn_tf(unit) and bool(item.value))
yarn_tf_moment = Condition(
    'dialect = "yarn-tf", not success', lambda unit, item: is_yarn_tf(unit) and item.value != "success"
)
text_priority = Condition("a name", lambda unit, item: not isinstance(item.value, int))
of_tensorboard = Condition("on tensorboard", lambda unit, item: cast("Policy", item.node).role == "tensorboard")


@condition("on tensorboard, in the application of all roles")
def of_tensorboard_with_all(unit: Unit, item: Item) -> bool:
    """Whether the container of tensorboard is one of the application that decides how the job ends."""
    from tfdsl_backends.yarn.applications import per_role

    return of_tensorboard(unit, item) and not per_role(unit)


@condition("more than 2147483647 ms")
def too_long(unit: Unit, item: Item) -> bool:
    """Whether the client's option cannot hold the milliseconds."""
    deadline = cast("Job", item.node).deadline
    return deadline is not None and deadline.ms > NO_TIMEOUT


@condition("whole numbers, from 3.1 on")
def whole_resources(unit: Unit, item: Item) -> bool:
    """Whether the client can request every extended resource."""
    amounts = cast("Role", item.node).resources.values()
    return features(unit.version).resources and all(amount.milli % 1000 == 0 for amount in amounts)


one_application = Condition(
    'applications = "one"', lambda unit, item: unit.text("applications") == "one" and len(unit.job.roles) > 1
)

privileged_docker = Condition("true, docker", lambda unit, item: bool(item.value) and docker(unit, item))
"""Whether a privileged docker container can be asked for."""

tmpfs = Condition("docker, from 3.3 on", lambda unit, item: docker(unit, item) and features(unit.version).docker_tmpfs)

docker_without_shm = Condition(
    "docker before 3.3", lambda unit, item: docker(unit, item) and not features(unit.version).docker_tmpfs
)

docker_without_tmpfs = Condition(
    "docker before 3.3, an absolute path",
    lambda unit, item: docker_without_shm(unit, item) and cast("BaseMount", item.node).at.startswith("/"),
)

docker_without_mounts = Condition(
    "docker before 3.1", lambda unit, item: docker(unit, item) and not features(unit.version).docker_mounts
)


@condition("of tensorboard that restarts in place, another action than restart container")
def tensorboard_restarts(unit: Unit, item: Item) -> bool:
    """Whether tensorboard restarts its command after any status, although the policy has another action."""
    from tfdsl.ir.policies import on_failure

    policy = cast("Policy", item.node)
    role = unit.job.board
    if policy.role != "tensorboard" or role is None or policy.action == "restart container":
        return False
    failed = on_failure(unit.job, role)
    return failed is not None and failed.action == "restart container"
