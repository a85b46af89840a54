"""What the replicas of a job get of this machine beside their command: mounts, outputs, limits."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic
from tfdsl.ir.model import Job, Role
from tfdsl.running import limits, outputs
from tfdsl.running.denial import denial
from tfdsl.running.launch import Launch
from tfdsl.running.mounts import Mounts
from tfdsl.running.mounts import Replica as Mounting

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins
    from tfdsl.running.mount_options import MountOptions
    from tfdsl.running.plan import Program, Replica
    from tfdsl.running.supervisor import Supervisor


class Provisions:
    """The provisions of one job."""

    def __init__(self, job: Job, origins: Origins, options: MountOptions) -> None:
        self._job = job
        self._origins = origins
        self._mounts = Mounts(job, origins, options)

    def paths(self, role: Role) -> list[str]:
        """Where the replicas of ``role`` have something mounted."""
        return self._mounts.paths(role)

    def check(self, replicas: Sequence[Replica]) -> Iterator[Diagnostic]:
        """What is to be said before anything starts."""
        denied = denial() if self._needs_mounts() else ""
        yield from self._mounts.check([_mounting(replica, replica.command) for replica in replicas], denied)
        yield from outputs.check(self._job, self._origins)
        yield from limits.check(self._job, self._origins, limits.denied())

    def fill(self, supervisor: Supervisor) -> None:
        """Make what has to be there before the first replica starts.

        Raises:
            OSError: that cannot be done.
        """
        if self._needs_mounts() and not denial() and not supervisor.namespaced:
            raise OSError(f"nothing can be mounted: {supervisor.denied}")  # it could a moment ago
        self._mounts.fill(supervisor.scratch)

    def _needs_mounts(self) -> bool:
        return any(self.paths(role) for role in self._job.roles)

    def launch(self, replica: Replica, program: Program, pod: int) -> Launch:
        """What the supervisor is to start."""
        mounting = _mounting(replica, program)
        is_command = program.kind == "command"
        step = next((step for step in replica.role.steps if step.path == program.path), None)
        return Launch(
            program.name,
            program.argv,
            program.env,
            mounting.folder,
            replica.port if is_command else None,
            pod,
            self._mounts.of(mounting, pod),
            outputs.outputs_of(replica.role, replica.task.index, program.env) if is_command else (),
            limits.limits_of(replica.role if step is None else step),
        )


def _mounting(replica: Replica, program: Program) -> Mounting:
    return Mounting(replica.role, replica.task, program.env, program.folder or os.getcwd())
