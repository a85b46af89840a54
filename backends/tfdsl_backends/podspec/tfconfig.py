"""What the replicas of a job see of the cluster, for ``tfdsl tfconfig``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

from tfdsl.backend import TaskConfig
from tfdsl.ir.cluster_spec import gets_flags, has_own_config, own_config, tf_config
from tfdsl.ir.model import Job, Role
from tfdsl.record import Record
from tfdsl_backends.podspec.command import flags

INDEX = "\0"
"""Placeholder for the index in a text that is the same for all replicas of a role."""


class RoleTasks(Record):
    """What all replicas of a role have in common.

    ``config``: TF_CONFIG with :data:`INDEX` for the index, ``None`` for none. ``flags``: without ``--task_index``,
    ``None`` for none. ``first``: the ``--task_index`` of replica 0. ``own``: the role, if the job sets its TF_CONFIG.
    """

    role: str
    replicas: int
    config: str | None = None
    flags: tuple[str, ...] | None = None
    first: int = 0
    differences: tuple[str, ...] = ()
    own: Role | None = None

    def task(self, index: int) -> TaskConfig:
        """What replica ``index`` sees."""
        if self.own is not None:
            config = own_config(self.own, index)
        else:
            config = None if self.config is None else self.config.replace(INDEX, str(index))
        flags = () if self.flags is None else (*self.flags, f"--task_index={index + self.first}")
        return TaskConfig(self.role, index, config, flags, self.differences)


class Tasks(Sequence[TaskConfig]):
    """The tasks of a job, roles in order, each built on demand: thousands of host lists would fill the memory."""

    def __init__(self, roles: Sequence[RoleTasks]) -> None:
        self._roles = roles

    def __len__(self) -> int:
        return sum(role.replicas for role in self._roles)

    @overload
    def __getitem__(self, at: int) -> TaskConfig: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[TaskConfig]: ...
    def __getitem__(self, at: int | slice) -> TaskConfig | Sequence[TaskConfig]:
        """Task number ``at``, counted over all roles."""
        if isinstance(at, slice):
            return [self[index] for index in range(len(self))[at]]
        rest = range(len(self))[at]  # raises IndexError, and counts from the end
        for role in self._roles:
            if rest < role.replicas:
                return role.task(rest)
            rest -= role.replicas
        raise IndexError(at)


def role_tasks(
    job: Job,
    role: Role,
    hosts: Mapping[str, Sequence[str]],
    spec: Mapping[str, Sequence[str]] | None,
    differences: tuple[str, ...] = (),
) -> RoleTasks:
    """The tasks of ``role``: ``hosts`` for its flags, ``spec`` for its TF_CONFIG (``None``: it gets none).

    A TF_CONFIG that the job itself sets is the one that they see.
    """
    if has_own_config(role):
        return RoleTasks(role.name, role.replicas, own=role)
    config: str | None = None
    if spec is not None:
        config = tf_config({name: list(addresses) for name, addresses in spec.items()}, role.name, INDEX)
    if not gets_flags(job, role) or role.server:
        return RoleTasks(role.name, role.replicas, config, differences=differences)
    *common, task_index = flags(job, role, hosts, 0)
    first = int(task_index.partition("=")[2])
    return RoleTasks(role.name, role.replicas, config, tuple(common), first, differences)
