"""What each task will see, for ``tfdsl tfconfig``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from tfdsl.backend import TaskConfig
from tfdsl.ir.cluster_spec import gets_flags, gets_tf_config, tf_config
from tfdsl_backends.podspec.command import flags
from tfdsl_backends.volcano import delivery

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Role


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """What each task sees, roles in order, indexes ascending."""
    return _Tasks(unit)


class _Tasks(Sequence[TaskConfig]):
    """The tasks, each worked out when it is asked for: together they grow with the square of the replicas."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._tasks = [(role, index) for role in unit.job.roles for index in range(role.replicas)]
        self._hosts = delivery.hosts(unit.job)
        self._plugin = delivery.plugin_cluster(unit.job) if delivery.plugin_arguments(unit) is not None else None
        self._uses_plugin = delivery.plugin_arguments(unit) is not None

    def __len__(self) -> int:
        return len(self._tasks)

    @overload
    def __getitem__(self, index: int) -> TaskConfig: ...

    @overload
    def __getitem__(self, index: slice) -> list[TaskConfig]: ...

    def __getitem__(self, index: int | slice) -> TaskConfig | list[TaskConfig]:
        if isinstance(index, slice):
            return [self._seen(*task) for task in self._tasks[index]]
        return self._seen(*self._tasks[index])

    def _seen(self, role: Role, index: int) -> TaskConfig:
        job = self._unit.job
        given = flags(job, role, self._hosts, index) if gets_flags(job, role) and not role.server else ()
        if self._uses_plugin:
            value = delivery.plugin_value(self._plugin, role, index) if self._plugin is not None else None
            return TaskConfig(role.name, index, value, given, self._differences(role))
        wanted = gets_tf_config(job, role) or role.server
        return TaskConfig(role.name, index, tf_config(self._hosts, role.name, str(index)) if wanted else None, given)

    def _differences(self, role: Role) -> tuple[str, ...]:
        if role.name == "tensorboard":
            return ("the plugin sets TF_CONFIG for tensorboard too, which does not read it",)
        missing = ("the key environment is missing",) if self._plugin is not None else ()
        return *missing, *delivery.plugin_differences(self._unit.job)
