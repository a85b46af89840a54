"""Claims of a job: volumes of Volcano's job where that is exact, else documents of their own.

``spec.volumes`` puts a claim into every container of every task, at one path, writable and whole, and the claim goes
with the job. That is what the job says only when every role mounts it so and it need not outlive the job; a claim of
some roles only would give the others a volume, and a ReadWriteOnce one would keep their pods from other nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.ir.model import Claim, ClaimMount, Job


_last: tuple[Job | None, dict[str, list[tuple[str, ClaimMount]]]] = (None, {})


def in_every_container(job: Job, claim: Claim) -> bool:
    """Whether every role mounts ``claim`` once, at one path, writable and whole."""
    mounted = _mounts(job).get(claim.name, [])
    if [role for role, _ in mounted] != [role.name for role in job.roles]:
        return False
    places = {mount.at for _, mount in mounted}
    return len(places) == 1 and not any(mount.readonly or mount.sub_path for _, mount in mounted)


def _mounts(job: Job) -> dict[str, list[tuple[str, ClaimMount]]]:
    """Claim → the roles that mount it, in order, and how. Kept for the last job, for each claim is asked about."""
    global _last  # only to save time: the same job always gives the same table
    if _last[0] is not job:
        table: dict[str, list[tuple[str, ClaimMount]]] = {}
        for role in job.roles:
            for mount in role.mounts:
                if mount.kind == "claim":
                    table.setdefault(mount.claim, []).append((role.name, mount))
        _last = (job, table)
    return _last[1]


def job_volumes(job: Job) -> list[Claim]:
    """The claims that become ``spec.volumes``."""
    return [claim for claim in job.claims if not claim.keep and in_every_container(job, claim)]


def documents(job: Job) -> list[Claim]:
    """The claims that become PersistentVolumeClaim documents."""
    own = {claim.name for claim in job_volumes(job)}
    return [claim for claim in job.claims if claim.name not in own]


def first_mount(job: Job, claim: Claim) -> ClaimMount:
    """The first mount of ``claim``."""
    return next(m for role in job.roles for m in role.mounts if m.kind == "claim" and m.claim == claim.name)
