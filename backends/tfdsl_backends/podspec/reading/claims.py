"""Claims that are made for a job: each is one mount, of the job or of a single role."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tfdsl.draft import Draft, Mount
from tfdsl.record import replace

_LONGEST_STEM: Final = 20


def stem(path: str) -> str:
    """What a claim of a job is called after: the path at which it is mounted."""
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-")[:_LONGEST_STEM].strip("-") or "claim"


def share(draft: Draft, claims: Mapping[str, Mapping[str, str]], replicas: Mapping[str, int]) -> None:
    """Say each claim once: in the job if several roles mount it, or the only one, else in its role.

    ``claims``: role → path → name of the claim that is mounted there. Where a role mounts it otherwise than the others,
    or not at all, the language has no word for that: two mounts would be two claims.
    """
    for claim in dict.fromkeys(name for places in claims.values() for name in places.values()):
        mounts = {role: _mounts(draft, role, places, claim) for role, places in claims.items()}
        users = [role for role, found in mounts.items() if found]
        if not users:
            continue
        first = _without_usual_modes(mounts[users[0]][0], sum(replicas.get(role, 1) for role in users))
        shared = len(users) > 1 or len(draft.roles) == 1
        if shared:
            draft.job.add(first)
        for role in users:
            block, old = draft.role(role), mounts[role]
            kept = [first if one is old[0] and not shared else one for one in block.statements]
            block.statements = [one for one in kept if all(one is not mount for mount in old)]


def _mounts(draft: Draft, role: str, places: Mapping[str, str], claim: str) -> list[Mount]:
    statements = draft.role(role).statements
    mounts = [one for one in statements if isinstance(one, Mount) and one.kind == "claim"]
    return [one for one in mounts if places.get(str(one.at)) == claim]


def _without_usual_modes(mount: Mount, replicas: int) -> Mount:
    """Without the access modes that the language gives to a claim of so many replicas."""
    usual = ["ReadWriteMany" if replicas > 1 else "ReadWriteOnce"]
    kept = tuple(one for one in mount.options if one[0] != "access_modes" or one[1] != usual)
    return replace(mount, options=kept)
