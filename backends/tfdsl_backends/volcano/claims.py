"""Claims of a job: volumes of Volcano's job where that is exact, else documents of their own.

``spec.volumes`` puts a claim into every container of every task, at one path, writable and whole, and the claim goes
with the job. The job asks for exactly that only when every role mounts the claim so, it need not outlive the job, and
no role has steps, which are init containers and get nothing of ``spec.volumes``. A claim that only some roles mount
would give the others a volume too, and a ReadWriteOnce one would keep their pods from other nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Claim, ClaimMount, Job


class Claims(Record):
    """``volumes``: the claims that become ``spec.volumes``, each with its first mount. ``documents``: the others."""

    volumes: Sequence[tuple[Claim, ClaimMount]]
    documents: Mapping[str, Claim]


def claims(unit: Unit) -> Claims:
    """Where each claim of the job goes."""
    return unit.once(_sorted)


def _sorted(unit: Unit) -> Claims:
    job = unit.job
    mounts: dict[str, list[tuple[str, ClaimMount]]] = {}
    for role in job.roles:
        for mount in role.mounts:
            if mount.kind == "claim":
                mounts.setdefault(mount.claim, []).append((role.name, mount))
    volumes = {
        claim.name: (claim, mounts[claim.name][0][1])
        for claim in job.claims
        if not claim.keep and _in_every_container(job, mounts.get(claim.name, []))
    }
    documents = {claim.name: claim for claim in job.claims if claim.name not in volumes}
    return Claims(tuple(volumes.values()), documents)


def _in_every_container(job: Job, mounts: Sequence[tuple[str, ClaimMount]]) -> bool:
    """Whether every role mounts the claim once, at one path, writable and whole, in its only container."""
    if [role for role, _ in mounts] != [role.name for role in job.roles] or any(role.steps for role in job.roles):
        return False
    places = {mount.at for _, mount in mounts}
    return len(places) == 1 and not any(mount.readonly or mount.sub_path for _, mount in mounts)
