"""Conditions of the yarn support table."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.support import condition
from tfdsl_backends.yarn.features import NO_TIMEOUT, features
from tfdsl_backends.yarn.options import in_docker, is_yarn_tf

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import BaseMount, HostMount, Job, Policy, Role


@condition("docker")
def docker(unit: Unit, item: Item) -> bool:
    """The role runs in docker."""
    role = unit.job.role(item.role)
    return role is not None and in_docker(unit, role)


def native(unit: Unit, item: Item) -> bool:
    """The role runs as a process of the node."""
    return not docker(unit, item)


@condition("a role runs in docker")
def any_docker(unit: Unit, item: Item) -> bool:
    """Some role runs in docker."""
    return any(in_docker(unit, role) for role in unit.job.roles)


@condition('dialect = "yarn-tf"')
def yarn_tf(unit: Unit, item: Item) -> bool:
    """The modified client runs the job."""
    return is_yarn_tf(unit)


@condition("a name")
def text_priority(unit: Unit, item: Item) -> bool:
    """A name where YARN takes a number."""
    return not isinstance(item.value, int)


@condition("more than 2147483647 ms")
def too_long(unit: Unit, item: Item) -> bool:
    """More milliseconds than the client's option holds."""
    deadline = cast("Job", item.node).deadline
    return deadline is not None and deadline.ms > NO_TIMEOUT


def counts_resources(unit: Unit, item: Item) -> bool:
    """The client can ask for more than memory and processors."""
    return features(unit.version).resources


@condition("whole numbers, from 3.1 on")
def whole_resources(unit: Unit, item: Item) -> bool:
    """Every extended resource is a whole number."""
    return counts_resources(unit, item) and all(q.milli % 1000 == 0 for q in cast("Role", item.node).resources.values())


@condition("none, or one replica")
def no_spread(unit: Unit, item: Item) -> bool:
    """Nothing to spread."""
    return item.value == "none" or cast("Role", item.node).replicas == 1


def places(unit: Unit, item: Item) -> bool:
    """The client takes a placement specification."""
    return bool(features(unit.version).placement)


@condition('applications = "one"')
def one_application(unit: Unit, item: Item) -> bool:
    """All roles share one application although there are several."""
    return unit.text("applications") == "one" and len(unit.job.roles) > 1


@condition("docker before 3.3")
def docker_without_shm(unit: Unit, item: Item) -> bool:
    """Docker, before it could mount a tmpfs."""
    return docker(unit, item) and not features(unit.version).docker_tmpfs


@condition("docker, from 3.3 on")
def tmpfs(unit: Unit, item: Item) -> bool:
    """Docker can mount a tmpfs."""
    return docker(unit, item) and features(unit.version).docker_tmpfs


def absolute(unit: Unit, item: Item) -> bool:
    """The mount's path is absolute."""
    return cast("BaseMount", item.node).at.startswith("/")


@condition("native, an absolute path")
def native_absolute(unit: Unit, item: Item) -> bool:
    """Native, at a path outside the work folder."""
    return native(unit, item) and absolute(unit, item)


@condition("native, an absolute path other than the source")
def native_elsewhere(unit: Unit, item: Item) -> bool:
    """Native, at an absolute path that is not the source."""
    return native_absolute(unit, item) and getattr(item.node, "source", None) != item.value


@condition("docker before 3.1")
def docker_without_mounts(unit: Unit, item: Item) -> bool:
    """Docker before YARN could mount folders."""
    return docker(unit, item) and not features(unit.version).docker_mounts


@condition("docker before 3.3, an absolute path")
def docker_without_tmpfs(unit: Unit, item: Item) -> bool:
    """Docker, an absolute path, and no tmpfs yet."""
    return docker(unit, item) and absolute(unit, item) and not features(unit.version).docker_tmpfs


@condition("Directory, File")
def checked_type(unit: Unit, item: Item) -> bool:
    """A type that a test at the start can check."""
    return cast("HostMount", item.node).type in ("", "Directory", "File")


@condition("with a role")
def subject(unit: Unit, item: Item) -> bool:
    """The policy speaks of one role or replica."""
    return cast("Policy", item.node).role is not None


@condition("of tensorboard that restarts in place, another action than restart container")
def board_starts_again(unit: Unit, item: Item) -> bool:
    """Tensorboard starts its command again by itself whatever its status, and the policy says something else."""
    from tfdsl.ir.policies import on_failure

    policy = cast("Policy", item.node)
    role = unit.job.role("tensorboard")
    if policy.role != "tensorboard" or role is None or policy.action == "restart container":
        return False
    failed = on_failure(unit.job, role)
    return failed is not None and failed.action == "restart container"


@condition("on tensorboard")
def board_itself(unit: Unit, item: Item) -> bool:
    """The policy is tensorboard's own."""
    return cast("Policy", item.node).role == "tensorboard"
