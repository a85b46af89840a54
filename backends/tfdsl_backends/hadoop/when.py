"""Conditions of the support rows that yarn and slider share."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.backend import Unit, condition
from tfdsl.backend.conditions import not_of_a_registry

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import BaseMount, Role


def in_docker(unit: Unit, role: Role) -> bool:
    """Whether ``role`` runs in docker: as the option ``runtime`` says, else if it has an image."""
    runtime = unit.text("runtime")
    return runtime == "docker" if runtime else role.image is not None


@condition("docker")
def docker(unit: Unit, item: Item) -> bool:
    """Whether the role runs in docker."""
    role = unit.job.role(item.role)
    return role is not None and in_docker(unit, role)


@condition("docker, a file or with a scheme")
def docker_file(unit: Unit, item: Item) -> bool:
    """Whether docker would have to run what is not in a registry."""
    return docker(unit, item) and not_of_a_registry(unit, item)


@condition("a role runs in docker")
def any_docker(unit: Unit, item: Item) -> bool:
    """Whether any role runs in docker."""
    return any(in_docker(unit, role) for role in unit.job.roles)


@condition("native, an absolute path")
def native_absolute(unit: Unit, item: Item) -> bool:
    """Whether only docker could mount something at the path."""
    return cast("BaseMount", item.node).at.startswith("/") and not docker(unit, item)


@condition("native, an absolute path other than the source")
def native_elsewhere(unit: Unit, item: Item) -> bool:
    """Whether only docker could mount this folder of the node at the path."""
    return native_absolute(unit, item) and getattr(item.node, "source", None) != cast("BaseMount", item.node).at


def capability_names(unit: Unit, item: Item) -> dict[str, str]:
    """``names``: the capabilities of the role."""
    return {"names": ", ".join(cast("Role", item.node).capabilities)}


def port_numbers(unit: Unit, item: Item) -> dict[str, str]:
    """``names``: the further ports of the role, with their numbers."""
    return {"names": ", ".join(f"{name} {port}" for name, port in cast("Role", item.node).ports.items())}
