"""Ports of containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Data, Located, child, entry

if TYPE_CHECKING:
    from tfdsl.ir.model import Role, Step
    from tfdsl_backends.podspec.plan import PodPlan


def named_ports(holder: Role | Step, plan: PodPlan) -> list[Data]:
    """The further ports of a role or step, in their order."""
    path = child(holder.path, "ports")
    return [container_port(name, Located(port, entry(path, name)), plan) for name, port in holder.ports.items()]


def container_port(name: str, port: Data, plan: PodPlan) -> Data:
    """One port; on the network of its node it is the same there."""
    return {"name": name, "containerPort": port, "hostPort": port if plan.host_port else None}
