"""The boxes of roles, what stands for the job as a whole, and who talks to whom."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from tfdsl.drawing.picture import Box, Line, Link, cut
from tfdsl.drawing.words import counted, devices, policy, shown
from tfdsl.ir.cluster_spec import IN_CLUSTER

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Role, Step

_TOGETHER = ("chief", "master", "worker", "ps")
"""Roles of the cluster as pictures have them: who leads is above who is led, parameters are below."""


_IN_LINE = 4
"""Facts about the job in a line."""


def role_id(name: str) -> str:
    """The id of the box of a role."""
    return f"role-{name}"


def role_boxes(job: Job) -> Iterator[Box]:
    """One box for each role, whatever the number of its replicas."""
    for role in job.roles:
        lines = [*_facts(job, role), *cut([*_steps(role)]), *cut([*_space(role)]), *cut([*_policies(job, role)])]
        yield Box(role_id(role.name), "role", role.name, "role", role.replicas, tuple(lines), role.path)


def _facts(job: Job, role: Role) -> Iterator[Line]:
    path = role.path
    size = devices(role)
    if size:
        yield Line("fact", size, path)
    if role.name != "tensorboard" and role.min_available < role.replicas and job.gang and not role.after:
        yield Line("fact", f"starts when {role.min_available:,} can", f"{path}.min_available")
    if role.server:
        yield Line("fact", "TensorFlow server", f"{path}.server")
    if _listens(role):
        yield Line("fact", f"port {role.port}", f"{path}.port")
    for name, port in role.ports.items():
        yield Line("fact", f"port {port} ({shown(name)})", f"{path}.ports[{name}]")
    if role.node_selector:
        words = (f"{shown(key)}={_any_of(value)}" for key, value in role.node_selector.items())
        yield Line("fact", f"on nodes {', '.join(words)}", f"{path}.node_selector")
    if role.node_label is not None:
        yield Line("fact", f"on nodes {shown(role.node_label)}", f"{path}.node_label")
    if role.spread == "node":
        yield Line("fact", "each on a node of its own", f"{path}.spread")


def _listens(role: Role) -> bool:
    return role.name in IN_CLUSTER or role.name == "tensorboard"


def _any_of(value: str | tuple[str, ...]) -> str:
    return shown(value) if isinstance(value, str) else "|".join(shown(one) for one in value)


def _steps(role: Role) -> Iterator[Line]:
    for step in role.steps:
        yield Line("step", _step(step), step.path)


def _step(step: Step) -> str:
    gpus = f" ({counted(step.gpu, 'GPU')})" if step.gpu else ""
    return f"{step.kind} {shown(step.name)}{gpus}"


def _space(role: Role) -> Iterator[Line]:
    """What a replica has for itself."""
    if role.shm is not None:
        yield Line("space", f"{role.shm.text} at /dev/shm", f"{role.path}.shm")
    for mount in role.mounts:
        if mount.kind == "scratch":
            size = f" {mount.size.text}" if mount.size is not None else ""
            yield Line("space", f"scratch{size} at {shown(mount.at)}", mount.path)
        elif mount.kind == "memory":
            yield Line("space", f"memory {mount.size.text} at {shown(mount.at)}", mount.path)


def _policies(job: Job, role: Role) -> Iterator[Line]:
    for one in job.policies:
        if one.role == role.name:
            yield Line("policy" if one.written else "default policy", f"on {policy(one, subject=False)}", one.path)


# --- the job as a whole ----------------------------------------------------------------------------------------------


def job_lines(job: Job) -> Iterator[Line]:
    """What holds for the whole job."""
    facts = [*_job_facts(job)]
    for start in range(0, len(facts), _IN_LINE):
        part = facts[start : start + _IN_LINE]
        yield Line("fact", " · ".join(text for text, _ in part), part[0][1])
    policies = [
        Line("policy" if one.written else "default policy", f"on {policy(one, subject=True)}", one.path)
        for one in job.policies
        if one.role is None
    ]
    yield from cut(policies)


def _job_facts(job: Job) -> Iterator[tuple[str, str]]:
    """Words and the field that they are about."""
    for name, value in (("namespace", job.namespace), ("queue", job.queue), ("priority", job.priority)):
        if value is not None:
            yield f"{name} {shown(str(value))}", name
    if sum(role.replicas for role in job.roles if role.name != "tensorboard") > 1:
        yield ("starts as a gang" if job.gang else "no gang"), "gang"
    if job.retries:
        yield counted(job.retries, "retry").replace("retrys", "retries"), "retries"
    if job.deadline is not None:
        yield f"at most {job.deadline.text}", "deadline"
    if job.ttl is not None:
        yield f"removed after {job.ttl.text}", "ttl"
    if job.suspend:
        yield "suspended", "suspend"
    if job.checkpoint is not None:
        yield f"checkpoints in {shown(job.checkpoint)}", "checkpoint"


# --- links -----------------------------------------------------------------------------------------------------------


def role_links(job: Job) -> Iterator[Link]:
    """Who talks to whom, and who starts after whom."""
    yield from _peers(job)
    for role in job.roles:
        for other in role.after:
            if job.role(other) is not None:
                path = f"{role.path}.after"
                yield Link(role_id(role.name), role_id(other), "after", "starts after", path=path)


def _peers(job: Job) -> Iterator[Link]:
    """The roles of the cluster spec: each of their tasks knows the address of every other one."""
    if job.cluster.discovery == "none" and not any(role.server for role in job.roles):
        return
    members = [role for name in _TOGETHER if (role := job.role(name)) is not None]
    for first, second in combinations(members, 2):
        yield Link(role_id(first.name), role_id(second.name), "peers", job.cluster.protocol, both=True)
