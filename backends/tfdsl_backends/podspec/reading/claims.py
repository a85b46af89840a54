"""Claims that are made for a job: each is one mount of the source, of the job or of a single role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.draft import Mount
from tfdsl.record import replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdsl.draft import Block, Draft


def share(draft: Draft, claims: Mapping[str, Mapping[str, str]], replicas: Mapping[str, int]) -> None:
    """Say once in the job what all roles mount; a claim that only some roles share is to them an existing one.

    ``claims``: role → path → name of the claim that is mounted there.
    """
    for claim in dict.fromkeys(name for places in claims.values() for name in places.values()):
        mounts = {role: _mounts(draft, role, places, claim) for role, places in claims.items()}
        users = [role for role, found in mounts.items() if found]
        count = sum(replicas.get(role, 1) for role in users)
        first = mounts[users[0]][0] if users else None
        if first is None:
            continue
        usual = _without_usual_modes(first, count)
        if len(users) == len(draft.roles) and _same(mounts):
            draft.job.add(usual)
            for role in users:
                _exchange(draft.role(role), mounts[role][0], None)
        elif len(users) == 1 and len(mounts[users[0]]) == 1:
            _exchange(draft.role(users[0]), first, usual)
        else:
            for role in users:
                for one in mounts[role]:
                    _exchange(draft.role(role), one, _existing(one, claim))


def _mounts(draft: Draft, role: str, places: Mapping[str, str], claim: str) -> list[Mount]:
    statements = draft.role(role).statements
    mounts = [one for one in statements if isinstance(one, Mount) and one.kind == "claim"]
    return [one for one in mounts if places.get(str(one.at)) == claim]


def _same(mounts: Mapping[str, list[Mount]]) -> bool:
    said = {repr((one.at, one.readonly, one.options)) for found in mounts.values() for one in found}
    return len(said) == 1 and all(len(found) == 1 for found in mounts.values())


def _existing(mount: Mount, claim: str) -> Mount:
    return replace(mount, kind="pvc", source=claim, options=tuple(one for one in mount.options if one[0] == "sub_path"))


def _without_usual_modes(mount: Mount, replicas: int) -> Mount:
    """Without the access modes that the language gives to a claim of so many replicas."""
    usual = ["ReadWriteMany" if replicas > 1 else "ReadWriteOnce"]
    kept = tuple(one for one in mount.options if one[0] != "access_modes" or one[1] != usual)
    return replace(mount, options=kept)


def _exchange(block: Block, old: Mount, new: Mount | None) -> None:
    kept = [new if one is old else one for one in block.statements]
    block.statements = [one for one in kept if one is not None]
