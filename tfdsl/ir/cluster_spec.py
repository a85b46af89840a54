"""The cluster spec: which task listens where, and the TF_CONFIG that tells a task so.

One computation serves all targets; a target only says how a task is addressed (language reference, ``cluster``).
The cluster holds chief or master, ps and worker; an evaluator stands in its own TF_CONFIG only as the task, never in
the cluster; tensorboard gets none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from tfdsl.ir.model import EnvValue, EnvVar, Job, Role, RunTimeText, Step, TaskIndex
from tfdsl.record import Record
from tfdsl.vocabulary.attributes import LEADERS

IN_CLUSTER = ("chief", "master", "ps", "worker")
"""Roles that are listed in the cluster, in the order of the sorted keys."""

MOST_LISTED = 32_768
"""Addresses of which a list has more than 131,071 bytes (``a:1,``), which Linux passes to no process (execve(2))."""


class Address(Protocol):
    """Gives ``host:port`` of a replica."""

    def __call__(self, role: Role, index: int, /) -> str:
        """``host:port`` of replica ``index`` of ``role``."""


def cluster_spec(job: Job, address: Address) -> dict[str, list[str]]:
    """Role → ``host:port`` of each replica, keys sorted, roles of the cluster only."""
    roles = sorted((role for role in job.roles if role.name in IN_CLUSTER), key=lambda role: role.name)
    return {role.name: [address(role, index) for index in listed(role)] for role in roles}


def listed(role: Role) -> range:
    """The replicas of ``role`` that a list of addresses is made of.

    All of them, but for a role of more than ``MOST_LISTED``: a list of so many is too long for any process whatever the
    rest is, every target refuses it, and a number of eight digits must not fill the memory.
    """
    return range(min(role.replicas, MOST_LISTED))


def tf_config(spec: dict[str, list[str]], role: str, index: str) -> str:
    """TF_CONFIG as compact JSON. ``index`` is decimal, or the text that a target replaces when the task starts."""
    from json import dumps

    cluster = dumps(spec, separators=(",", ":"))
    return f'{{"cluster":{cluster},"task":{{"type":"{role}","index":{index}}},"environment":"cloud"}}'


def gets_tf_config(job: Job, role: Role) -> bool:
    """Whether ``role`` is given TF_CONFIG."""
    return not role.is_board and job.cluster.discovery in ("tf_config", "both")


def has_own_config(role: Role) -> bool:
    """Whether the job itself sets TF_CONFIG for ``role``, which it can do where none is generated."""
    return "TF_CONFIG" in role.env


def needs_tf_config(job: Job, role: Role) -> bool:
    """Whether TF_CONFIG is generated for ``role``: the program of a ``server`` role always reads it."""
    return (gets_tf_config(job, role) or role.server) and not has_own_config(role)


def own_config(role: Role, index: int) -> str | None:
    """The TF_CONFIG that the job sets for a replica, as a text; what is known only later stays as it is written."""
    value = role.env.get("TF_CONFIG")
    if value is None or isinstance(value, str):
        return value
    if value.kind == "run_time":
        return "".join(_part(part, index) for part in value.parts)
    if value.kind == "pod_field":
        return f'pod_field("{value.field}")'
    return f'{value.kind}("{value.name}", "{value.key}")'


def _part(part: str | TaskIndex | EnvVar, index: int) -> str:
    if isinstance(part, str):
        return part
    return str(index) if part.kind == "task_index" else f"${{env.{part.name}}}"


def gets_flags(job: Job, role: Role) -> bool:
    """Whether ``role`` is given the four TensorFlow flags."""
    return not role.is_board and job.cluster.discovery in ("flags", "both")


def flag_hosts(spec: dict[str, list[str]]) -> tuple[str, str]:
    """Values of ``--ps_hosts`` and ``--worker_hosts``: the chief (master) is the first worker."""
    workers = [*spec.get("chief", []), *spec.get("master", []), *spec.get("worker", [])]
    return ",".join(spec.get("ps", [])), ",".join(workers)


def flag_task(job: Job, role: Role) -> tuple[str, int]:
    """``--job_name`` of ``role`` and what is added to a replica's index to give ``--task_index``."""
    return flag_task_of(role.name, [other.name for other in job.roles])


def flag_task_of(role: str, roles: Sequence[str]) -> tuple[str, int]:
    """The same by the names of the role and of all roles of its job."""
    if role in LEADERS:
        return "worker", 0
    if role == "worker":
        return "worker", sum(1 for other in roles if other in LEADERS)
    return role, 0


LONGEST_STRING = 131_071
"""Bytes without the final NUL (MAX_ARG_STRLEN, 32 pages, execve(2))."""

SHORT_HOST = 8
"""Characters: the nodes of no cluster with thousands of tasks have shorter names on average."""

LONG_HOST = 40
"""Characters of a common long host name, such as ``ip-10-0-12-123.eu-west-1.compute.internal``."""

_PORT = len(":20000")


class LongString(Record):
    """A string of a role that no process can be given. ``what``: an argument, or which variable."""

    what: str
    path: str
    size: int


class AddressList(Record):
    """A list of all addresses. ``role``: the one with the most; ``room``: for each host name, in characters."""

    what: str
    role: Role
    count: int
    room: int


def long_strings(runs: Role | Step) -> Iterator[LongString]:
    """The strings of a role or step that are too long whatever their run-time values are."""
    if isinstance(runs.command, tuple):
        found = [("an argument", f"{runs.path}.command[{at}]", size_of(text)) for at, text in enumerate(runs.command)]
    else:
        found = [("the command text", f"{runs.path}.command", size_of(runs.command))]
    found += [("an argument", f"{runs.path}.args[{at}]", size_of(text)) for at, text in enumerate(runs.args)]
    found += [
        (f"variable {name}", f"{runs.path}.env[{name}]", len(f"{name}=".encode()) + size_of(value))
        for name, value in runs.env.items()
    ]
    yield from (LongString(what, path, size) for what, path, size in found if size > LONGEST_STRING)


def size_of(value: EnvValue) -> int:
    """Bytes of the literal parts of ``value``."""
    parts = value.parts if isinstance(value, RunTimeText) else (value,)
    return sum(len(part.encode("utf-8", "surrogatepass")) for part in parts if isinstance(part, str))


def address_list(job: Job) -> AddressList | None:
    """The list of all addresses that leaves the least room for host names; none when no task is given one."""
    listed = [role for role in job.roles if role.name in IN_CLUSTER]
    if not listed:
        return None
    largest = max(listed, key=lambda role: role.replicas)
    if any(needs_tf_config(job, role) for role in job.roles):
        count = sum(role.replicas for role in listed)
        return AddressList("TF_CONFIG", largest, count, _room(count, _PORT + len('"",')))
    if any(gets_flags(job, role) for role in job.roles):
        ps = largest.name == "ps"
        count = sum(role.replicas for role in listed if (role.name == "ps") == ps)
        return AddressList("--ps_hosts" if ps else "--worker_hosts", largest, count, _room(count, _PORT + len(",")))
    return None


def _room(count: int, around: int) -> int:
    return LONGEST_STRING // count - around if count else LONGEST_STRING
