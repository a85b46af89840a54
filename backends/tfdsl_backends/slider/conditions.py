"""Conditions of the slider support table."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.ir.policies import RESTARTS, covering
from tfdsl.support import condition
from tfdsl_backends.slider.options import in_docker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Unit
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import BaseMount, Policy, Role


def yes(unit: Unit, item: Item) -> bool:
    """The value is true, or not 0 and not empty."""
    return bool(item.value)


@condition("docker")
def docker(unit: Unit, item: Item) -> bool:
    """The role runs in docker."""
    role = unit.job.role(item.role)
    return role is not None and in_docker(unit, role)


@condition("a role runs in docker")
def any_docker(unit: Unit, item: Item) -> bool:
    """Some role runs in docker."""
    return any(in_docker(unit, role) for role in unit.job.roles)


@condition("native, an absolute path")
def native_absolute(unit: Unit, item: Item) -> bool:
    """A path that only docker could mount there."""
    mount = cast("BaseMount", item.node)
    return not docker(unit, item) and mount.at.startswith("/")


@condition("native, an absolute path other than the source")
def native_elsewhere(unit: Unit, item: Item) -> bool:
    """A folder of the node under another name, which only docker could mount there."""
    return native_absolute(unit, item) and getattr(item.node, "source", None) != cast("BaseMount", item.node).at


@condition("docker, a variable that env does not set")
def unknown_variable(unit: Unit, item: Item) -> bool:
    """In docker, a variable that neither the role nor the script sets: only the image could."""
    role = unit.job.role(item.role)
    if role is None or not in_docker(unit, role):
        return False
    field = item.path.rpartition(".")[2] if item.key.startswith(("roles", "outputs")) else None
    value = getattr(item.node, field) if field else item.node
    return any(name != "USER" and name not in role.env for name in variables(value))


def variables(value: object) -> Iterator[str]:
    """The names of ``${env.NAME}`` anywhere in ``value``."""
    from tfdsl.ir.model import EnvVar, Node, RunTimeText
    from tfdsl.record import fields_of

    if isinstance(value, RunTimeText):
        yield from (part.name for part in value.parts if isinstance(part, EnvVar))
    elif isinstance(value, dict):
        yield from variables(tuple(cast("dict[str, object]", value).values()))
    elif isinstance(value, tuple):
        for member in cast("tuple[object, ...]", value):
            yield from variables(member)
    elif isinstance(value, Node):
        for name in fields_of(type(value)):
            yield from variables(getattr(value, name))


@condition("at most one replica is restarted")
def counted_once(unit: Unit, item: Item) -> bool:
    """At most one replica is ever restarted, so there is one count."""
    return sum(role.replicas for role in unit.job.roles if _restarts(unit, role)) <= 1


@condition("one replica")
def one_replica(unit: Unit, item: Item) -> bool:
    """The policy's subject is one replica."""
    policy = cast("Policy", item.node)
    role = unit.job.role(item.role) if item.role else None
    return policy.index is not None or (role is not None and role.replicas == 1)


@condition("beside restart container")
def mixed(unit: Unit, item: Item) -> bool:
    """A role that the policy covers is restarted in place by another policy."""
    policy = cast("Policy", item.node)
    return any(
        policy in found and any(p.action == "restart container" for p in found)
        for found in (_failing(unit, role) for role in unit.job.roles)
    )


def _restarts(unit: Unit, role: Role) -> bool:
    return any(policy.written and policy.action in RESTARTS for policy in covering(unit.job, role))


def _failing(unit: Unit, role: Role) -> list[Policy]:
    every = [*covering(unit.job, role), *(p for p in unit.job.policies if p.role == role.name)]
    return [policy for policy in every if policy.event in ("failed", "exit")]
