"""What the replicas of a job get of this machine beside their command: mounts, outputs, limits."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics import run_mount_rules as rules
from tfdsl.ir.model import Job, Role, Step
from tfdsl.running.launch import Copied, Launch, Limits
from tfdsl.running.mounts import Mounts
from tfdsl.running.mounts import Replica as Mounting
from tfdsl.running.plan import Texts, shown
from tfdsl.running.supervision import namespaces, scratch
from tfdsl.vocabulary.quantities import Quantity

if TYPE_CHECKING:
    from tfdsl.ir.model import Output
    from tfdsl.ir.origins import Origins
    from tfdsl.running.mounts import MountOptions
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
        yield from not_copied(self._job, self._origins)
        yield from not_limited(self._job, self._origins, limits_denied())

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
            outputs_of(replica.role, replica.task.index, program.env) if is_command else (),
            limits_of(replica.role if step is None else step),
        )


def _mounting(replica: Replica, program: Program) -> Mounting:
    return Mounting(replica.role, replica.task, program.env, program.folder or os.getcwd())


def outputs_of(role: Role, index: int, variables: Mapping[str, str]) -> tuple[Copied, ...]:
    """What replica ``index`` of ``role`` copies when its command has ended. ``variables``: those of its process."""
    texts = Texts(index, variables)
    return tuple(
        Copied(texts(output.source), texts(output.destination), output.when, output.overwrite)
        for output in role.outputs
        if output.index in (None, index) and not _is_elsewhere(output)
    )


def not_copied(job: Job, origins: Origins) -> Iterator[Diagnostic]:
    """The outputs that go to another machine, which run does not copy."""
    told: set[str] = set()
    for role in job.roles:
        for output in role.outputs:
            if _is_elsewhere(output) and str(output) not in told:
                told.add(str(output))
                place = origins.span(output.path)
                yield rules.NOT_COPIED(place, source=shown(output.source), destination=shown(output.destination))


def _is_elsewhere(output: Output) -> bool:
    return "://" in shown(output.destination)


def limits_of(holder: Role | Step) -> Limits:
    """The limits of a role's command, or of a step."""
    if isinstance(holder, Role):
        cpu, memory = _amount(holder.cpu_limit), _amount(holder.memory_limit)
    else:
        cpu, memory = holder.cpu, holder.memory
    return Limits(None if cpu is None else cpu.milli, None if memory is None else memory.whole)


def limits_denied() -> str:
    """Why nothing can be limited here; empty if it can."""
    return scratch.group_place()[1]


def not_limited(job: Job, origins: Origins, why: str) -> Iterator[Diagnostic]:
    """What is not limited, at the first limit of the job."""
    if not why:
        return
    for role in job.roles:
        limits = limits_of(role)
        names = [name for name in ("cpu", "memory") if getattr(limits, name) is not None]
        if names:
            yield rules.NOT_LIMITED(origins.span(f"{role.path}.{names[0]}"), what=" and ".join(names), why=why)
            return


def _amount(limit: Quantity | str | None) -> Quantity | None:
    return None if isinstance(limit, str) else limit


@cache
def denial() -> str:
    """Why replicas cannot have mounts of their own here; empty if they can."""
    return namespaces.permitted("/dev").denied
