"""Roles: which there are, how many replicas, who waits for whom (language reference, "Attributes")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.diagnostics.suggest import closest, enumeration
from tfdsl.rules.broken import Broken
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary import roles as rows
from tfdsl.vocabulary.quantities import Quantity

if TYPE_CHECKING:
    from tfdsl.rules.protocols import Job, Role


def replicas(role: Role) -> Iterator[Broken]:
    """The number of replicas, and how many of them must start together."""
    if rows.BY_NAME[role.name].single and role.replicas > 1:
        yield Broken(value_rules.SINGLE_REPLICA, ("replicas",), {"role": role.name, "given": role.replicas})
    least = role.min_available
    if least is not None and least > role.replicas:
        values = {"given": least, "role": role.name, "replicas": role.replicas}
        yield Broken(value_rules.MIN_AVAILABLE, ("min_available",), values)


def limits(role: Role) -> Iterator[Broken]:
    """No limit is below its request."""
    pairs = (("cpu", role.cpu, role.cpu_limit), ("memory", role.memory, role.memory_limit))
    for name, request, limit in pairs:
        if request is not None and isinstance(limit, Quantity) and limit.milli < request.milli:
            values = {"name": f"{name}_limit", "given": limit.text, "request": request.text}
            broken = Broken(value_rules.LIMIT_BELOW_REQUEST, (f"{name}_limit",), values)
            yield broken.note((name,), "the request").marked("the limit")


def training(job: Job, order: Iterable[int]) -> Iterator[Broken]:
    """A job has one chief or master at most, and something that trains."""
    leaders = [at for at in order if job.roles[at].name in ("chief", "master")]
    for at in leaders[1:]:
        yield Broken(value_rules.CHIEF_AND_MASTER, ("roles", at)).note(("roles", leaders[0]), "the other one")
    if not any(rows.BY_NAME[role.name].trains for role in job.roles):
        yield Broken(value_rules.NO_TRAINING_ROLE, ()).help("add role worker { }")


def waiting(job: Job, order: Iterable[int]) -> Iterator[Broken]:
    """No roles wait for each other. ``order``: in which the roles are read; a cycle is reported where it closes."""
    names = [role.name for role in job.roles]
    waits: dict[str, list[str]] = {}
    for at in order:
        role = job.roles[at]
        for number, name in enumerate(role.after):
            place = ("roles", at, "after", number)
            if name is None:
                continue
            if name not in names:
                broken = Broken(name_rules.ROLE_NOT_IN_JOB, place, {"job": job.name, "name": name})
                near = closest(name, names)
                yield broken.help(f"did you mean {near}?" if near else f"its roles are {enumeration(names)}")
            elif name == role.name:
                yield Broken(value_rules.AFTER_CYCLE, place, {"roles": f"replicas of {name}"})
            elif chain := _chain(waits, name, role.name):
                broken = Broken(value_rules.AFTER_CYCLE, place, {"roles": enumeration([role.name, *chain])})
                yield broken.marked("this closes the cycle")
            else:
                waits.setdefault(role.name, []).append(name)


def _chain(waits: dict[str, list[str]], start: str, goal: str) -> list[str]:
    """The roles from ``start`` on, each waiting for the next and the last for ``goal``; empty when there are none."""
    chains, seen = [[start]], {start}
    for chain in chains:
        for name in waits.get(chain[-1], ()):
            if name == goal:
                return chain
            if name not in seen:
                seen.add(name)
                chains.append([*chain, name])
    return []


def servers(job: Job) -> Iterator[Broken]:
    """With all workers plain servers somebody else has to run the command."""
    places = {role.name: at for at, role in enumerate(job.roles)}
    worker = places.get("worker")
    if worker is not None and job.roles[worker].server and not {"chief", "master"} & {*places}:
        yield Broken(value_rules.SERVER_WITHOUT_CHIEF, ("roles", worker, "server")).help("add role chief { }")


def board(job: Job) -> Iterator[Broken]:
    """TensorBoard shows a folder."""
    for at, role in enumerate(job.roles):
        if role.name == "tensorboard" and role.logdir is None and job.checkpoint is None:
            yield Broken(value_rules.MISSING_LOGDIR, ("roles", at)).help('for example logdir = "/logs"')


def placed(role: Role) -> Iterator[Broken]:
    """What only some roles have is in one of those."""
    for name, present in (("server", role.server), ("logdir", role.logdir is not None)):
        broken = misplaced(name, role.name) if present else None
        if broken is not None:
            yield broken


def misplaced(attribute: str, role: str) -> Broken | None:
    """``role`` takes the attribute."""
    only = attributes.BY_NAME[attribute].roles
    if not only or role in only:
        return None
    broken = Broken(name_rules.MISPLACED_ATTRIBUTE, (attribute,), {"name": attribute, "where": f"role {role}"})
    return broken.help(f"{attribute} is only for {enumeration(only)}")


def apart(job: Job) -> Iterator[Broken]:
    """Every role is there once."""
    first: dict[str, int] = {}
    for at, role in enumerate(job.roles):
        before = first.setdefault(role.name, at)
        if before != at:
            broken = Broken(name_rules.DUPLICATE_BLOCK, ("roles", at), {"name": f"role {role.name}", "where": "job"})
            yield broken.note(("roles", before), "first here").marked("again here")


def images(job: Job) -> Iterator[Broken]:
    """Every role has an image, where the target needs one."""
    for at, role in enumerate(job.roles):
        if role.image is None:
            broken = Broken(value_rules.MISSING_IMAGE, ("roles", at), {"role": role.name})
            yield broken.help('for example image = "registry.example.com/mnist:1.4" in the job')
