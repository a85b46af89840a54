"""What the replicas of a role see of the cluster, for ``tfdsl tfconfig``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.ir.cluster_spec import gets_flags, tf_config
from tfdsl_backends.podspec.command import flags

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tfdsl.ir.model import Job, Role

INDEX = "\0"
"""Stands for the index in a text that is made once for all replicas of a role: host lists may be long."""


def tf_configs(role: Role, spec: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """TF_CONFIG of each replica, indexes ascending; ``spec``: role → ``host:port`` of each replica."""
    before, _, after = tf_config({name: list(hosts) for name, hosts in spec.items()}, role.name, INDEX).partition(INDEX)
    for index in range(role.replicas):
        yield f"{before}{index}{after}"


def task_flags(job: Job, role: Role, hosts: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """The flags of each replica, indexes ascending; none where the role gets none."""
    given = gets_flags(job, role) and not role.server
    first = flags(job, role, hosts, 0) if given else ()
    for index in range(role.replicas):
        yield (*first[:-1], flags(job, role, {}, index)[-1]) if given else ()
