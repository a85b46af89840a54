"""What Linux refuses to start: one argument, or one ``NAME=value``, above 131,071 bytes.

Targets whose tasks learn the addresses at run time know how many there are, not how long.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.ir.cluster_spec import IN_CLUSTER, gets_flags, needs_tf_config
from tfdsl.ir.model import EnvValue, Job, Role, RunTimeText, Step
from tfdsl.record import Record

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
