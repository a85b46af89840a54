"""Who the processes of a pod are, and what they are allowed to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Data, at, unless_empty

if TYPE_CHECKING:
    from tfdsl.ir.model import Role


def pod_security(role: Role) -> Data:
    """The security context of the pod: what holds for each of its containers, and for its volumes."""
    return unless_empty(
        {
            "runAsUser": at(role, "run_as_user"),
            "runAsGroup": at(role, "run_as_group"),
            "fsGroup": at(role, "fs_group"),
        }
    )


def container_security(role: Role) -> Data:
    """The security context of the container that runs the command."""
    return unless_empty(
        {
            "privileged": at(role, "privileged") if role.privileged else None,
            "capabilities": unless_empty({"add": at(role, "capabilities") if role.capabilities else None}),
        }
    )
