"""Claims of a job: volumes of Volcano's job where that is exact, else documents of their own.

``spec.volumes`` puts a claim into every container of every task, at one path, writable and whole, and the claim goes
with the job. That is what the job says only when every role mounts it so and it need not outlive the job; a claim of
some roles only would give the others a volume, and a ReadWriteOnce one would keep their pods from other nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.ir.model import Claim, ClaimMount, Job


def in_every_container(job: Job, claim: Claim) -> bool:
    """Whether every role mounts ``claim`` once, at one path, writable and whole."""
    per_role = [
        [mount for mount in role.mounts if mount.kind == "claim" and mount.claim == claim.name] for role in job.roles
    ]
    if any(len(mounts) != 1 for mounts in per_role):
        return False
    mounts = [mounts[0] for mounts in per_role]
    return len({mount.at for mount in mounts}) == 1 and not any(mount.readonly or mount.sub_path for mount in mounts)


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
