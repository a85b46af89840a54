"""The values of ``env`` on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tfdsl.ir.model import EnvValue, Job, PodField, Role, RunTimeText

if TYPE_CHECKING:
    from tfdsl.lifecycle.events import Task
    from tfdsl.running.texts import Texts

_ADDRESS: Final = "127.0.0.1"
_LABEL: Final = "metadata.labels['"
_ANNOTATION: Final = "metadata.annotations['"


class Variables:
    """The values of the variables of one replica. ``node``: the name of this machine."""

    def __init__(self, job: Job, role: Role, task: Task, node: str) -> None:
        name = f"{job.name}-{task.role}-{task.index}"
        self.role = role
        self.fields: Mapping[str, str] = {
            "metadata.name": name,
            "metadata.namespace": job.namespace or "default",
            "metadata.uid": name,
            "spec.nodeName": node,
            "spec.serviceAccountName": role.service_account or "default",
            "status.podIP": _ADDRESS,
            "status.podIPs": _ADDRESS,
            "status.hostIP": _ADDRESS,
            "status.hostIPs": _ADDRESS,
        }

    def value(self, name: str, value: EnvValue, texts: Texts) -> str | None:
        """The value of the variable ``name``.

        A key of a Secret or ConfigMap is the variable of that name in the environment, ``None`` without one.
        """
        if isinstance(value, str | RunTimeText):
            return texts(value)
        if isinstance(value, PodField):
            return self._field(value.field)
        return texts.variables.get(name)

    def _field(self, field: str) -> str:
        """A field of the pod that the replica would be."""
        for beginning, entries in ((_LABEL, self.role.labels), (_ANNOTATION, self.role.annotations)):
            if field.startswith(beginning):
                return entries.get(field[len(beginning) : -2], "")
        return self.fields.get(field, "")

    @staticmethod
    def shown(value: EnvValue) -> str:
        """A reference as it is written."""
        return "" if isinstance(value, str | RunTimeText | PodField) else f'{value.kind}("{value.name}", "{value.key}")'
