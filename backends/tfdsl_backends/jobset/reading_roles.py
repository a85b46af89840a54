"""Which role of the language each replicated Job is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.command_rules import NO_ROLE, NO_WORDS, NOT_KEPT, READ_DIFFERENTLY
from tfdsl.manifest.nodes import Node, changed, child, items, scalar
from tfdsl.manifest.nodes import Sequence as Listed
from tfdsl.record import Record
from tfdsl.vocabulary.attributes import MOST_REPLICAS, ROLES, ROLES_BY_NAME

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View
    from tfdsl.reading import Asked

_LEADERS: Final = ("chief", "master")


class RoleOf(Record):
    """A replicated Job as a role. ``name``: its own; ``copies``: how many Jobs it is; ``job``: its entry."""

    role: str
    name: str
    copies: int
    replicas: int
    job: View

    @property
    def spec(self) -> View:
        """``spec`` of the Job."""
        return self.job["template"]["spec"]


def roles(root: View, asked: Asked) -> list[RoleOf]:
    """The roles in the order of the language; none where one of the Jobs, or all of it, has no place in it (told)."""
    entries = [one for one in root["spec"]["replicatedJobs"].items() if _is_there(one, asked)]
    found: dict[str, RoleOf] = {}
    for one in entries:
        role = _role(one, entries, found, asked)
        if role is None:
            return []
        found[role] = _of(role, one)
        if not _fits(found[role], asked):
            return []
    if not any(ROLES_BY_NAME[role].trains for role in found):
        asked.report(NO_WORDS(root.span, what="the job", reason="it has neither a chief (master) nor workers"))
        return []
    return [found[row.name] for row in ROLES if row.name in found]


def named(found: Sequence[RoleOf]) -> dict[str, str]:
    """Role → the name of its replicated Job."""
    return {one.role: one.name for one in found}


def wanted(document: Node, found: Sequence[RoleOf]) -> Node:
    """What the job has to compile to: the JobSet without Jobs that have no replicas."""
    names = {one.name for one in found}

    def kept(jobs: Node) -> Node:
        return Listed(tuple(one for one in items(jobs) if scalar(child(one, "name")) in names), jobs.span)

    return changed(document, ("spec", "replicatedJobs"), kept)


def _is_there(one: View, asked: Asked) -> bool:
    if one["replicas"].number == 0:
        asked.report(NOT_KEPT(one.span, what=f"replicated Job {one['name'].text}", reason="it has no replicas"))
        return False
    return True


def _of(role: str, one: View) -> RoleOf:
    copies, pods = max(one["replicas"].number or 1, 1), _pods(one["template"]["spec"])
    return RoleOf(role, one["name"].text or "", copies, copies * pods, one)


def _pods(spec: View) -> int:
    numbers = [spec[key].number or 0 for key in ("completions", "parallelism")]
    return max(1, *numbers)


def _role(one: View, entries: Sequence[View], found: dict[str, RoleOf], asked: Asked) -> str | None:
    """The role that the entry ``one`` is; ``None`` where it is none (told)."""
    name = one["name"].text or ""
    role = asked.roles.get(name) or _known(name)
    if role is None and len(entries) == 1:
        role = "worker"
    taken = role in found or (role in _LEADERS and any(leader in found for leader in _LEADERS))
    if role in ROLES_BY_NAME and not taken:
        return role
    error = NO_ROLE(one["name"].span, what="the replicated Job", name=name)
    known = ", ".join(row.name for row in ROLES)
    asked.report(error.help(f"say which it is with --role {name}=ROLE; roles are {known}"))
    return None


def _known(name: str) -> str | None:
    if name in ROLES_BY_NAME:
        return name
    said = next((row.name for row in ROLES if name in row.aliases), None)
    return said or next((row.name for row in ROLES if name in row.akin), None)


def _fits(one: RoleOf, asked: Asked) -> bool:
    """Whether the role may have so many replicas; tells what becomes of several Jobs."""
    place = one.job["replicas"] if one.copies > 1 else one.spec["completions"]
    what = f"role {one.role} with {one.replicas} replicas"
    if one.replicas > MOST_REPLICAS:
        asked.report(NO_WORDS(place.span, what=what, reason=f"it can have {MOST_REPLICAS:,}"))
        return False
    if one.replicas > 1 and ROLES_BY_NAME[one.role].single:
        error = NO_WORDS(place.span, what=what, reason=f"a job has one {one.role}")
        asked.report(error.help(f"write --role {one.name}=worker to read it as that"))
        return False
    if one.copies > 1:
        pods = one.replicas // one.copies
        jobs = f"{one.copies} Jobs of {pods} pod{'' if pods == 1 else 's'}"
        difference = "they are one Job, so the names of their pods are others, and it fails and completes as one"
        asked.report(READ_DIFFERENTLY(place.span, what=jobs, word=f"{one.replicas} replicas", difference=difference))
    return True
