"""How many pods start together, and which tasks wait for which; the inverse of ``gang_size`` and ``min_available``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics.import_rules import SERVER_REFUSES
from tfdsl.record import Record
from tfdsl_backends.volcano.minimums import minimums

if TYPE_CHECKING:
    from tfdsl.draft import Draft
    from tfdsl.manifest.view import View
    from tfdsl.reading import Asked
    from tfdsl_backends.volcano.reading_roles import RoleOf


class _Gang(Record):
    """What is said of a gang. ``size``: where the sum of the roles' minimums is not it; ``minimums``: by role."""

    minimums: Mapping[str, int]
    gang: bool = True
    size: int | None = None


def read_gang(draft: Draft, spec: View, roles: Sequence[RoleOf], asked: Asked) -> None:
    """Replicas, minimums, ``after``, and what the job says about its gang."""
    after = _after(draft, roles, asked)
    found = _gang(spec, roles, after)
    place = spec["minAvailable"].span
    draft.job.set("gang", None if found.gang else False, place)
    draft.options.set("gang_size", found.size, place)
    for one in roles:
        block, number = draft.role(one.role), found.minimums.get(one.role, one.replicas)
        block.set("replicas", one.replicas if one.replicas != 1 else None, one.task["replicas"].span)
        if number != one.replicas and one.role != "tensorboard":
            block.set("min_available", number, one.task["minAvailable"].span)


def _gang(spec: View, roles: Sequence[RoleOf], after: Mapping[str, Sequence[str]]) -> _Gang:
    found = minimums(spec)
    own = {one.role: found.tasks.get(one.name, one.replicas) for one in roles}
    total = sum(own.values())
    waited_for = {other for others in after.values() for other in others}
    of_waited_for = {role: number for role, number in own.items() if role in waited_for}
    none = all(number == 0 for role, number in own.items() if role not in waited_for)
    if found.job == 1 and (none or (total > 1 and not waited_for)):
        return _Gang(of_waited_for, gang=False)
    if len(roles) == 1:
        return _Gang({roles[0].role: min(found.job, roles[0].replicas)})
    at_once = [number for role, number in own.items() if role not in after and role != "tensorboard"]
    if found.job == max(1, sum(at_once)):
        return _Gang(own)
    return _Gang(own if found.job >= total else of_waited_for, size=found.job)


def _after(draft: Draft, roles: Sequence[RoleOf], asked: Asked) -> Mapping[str, Sequence[str]]:
    """Role → the roles that it starts after."""
    by_task = {one.name: one.role for one in roles}
    after: dict[str, list[str]] = {}
    for one in roles:
        place = one.task["dependsOn"]["name"]
        for other in place.items():
            role = by_task.get(other.text or "")
            if role is None or role == one.role:
                reason = "there is no other task of that name that has replicas"
                asked.report(SERVER_REFUSES(other.span, what=f"dependsOn {other.words or ''}".rstrip(), reason=reason))
            elif role not in after.setdefault(one.role, []):
                after[one.role].append(role)
        if after.get(one.role):
            draft.role(one.role).set("after", [*after[one.role]], place.span)
    any_of = [
        one.role
        for one in roles
        if len(after.get(one.role, ())) > 1 and one.task["dependsOn"]["iteration"].text == "any"
    ]
    draft.options.set("after_any", any_of or None)
    return after
