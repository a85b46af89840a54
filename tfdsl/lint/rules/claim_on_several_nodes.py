"""A claim for one node in several pods.

## Why

A volume with the access mode ReadWriteOnce can be attached to one node: a pod of the job that is placed on another
one stays in ContainerCreating with `Multi-Attach error`. With ReadWriteOncePod that holds for every second pod.
Without `access_modes` a claim that several replicas mount gets ReadWriteMany.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  mount claim 100Gi at "/data" { access_modes = ["ReadWriteOnce"] }
  role worker { replicas = 2 }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  mount claim 100Gi at "/data"
  role worker { replicas = 2 }
}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule
from tfdsl.semantics.values import ListData

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView
    from tfdsl.semantics.resolved import Mount, Role

RULE = Rule("TFJ3121", "claim-on-several-nodes", "warning", "{mode} is for {where}, and {count} pods mount this claim")

_FOR_MANY = ("ReadWriteMany", "ReadOnlyMany")
_NODE = "kubernetes.io/hostname"


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Claims whose modes say one node or pod; several roles may have a mount from one place in the text."""
    users: dict[tuple[int, int], list[tuple[Role, Mount]]] = {}
    for role in view.job.roles if view.job.pods else ():
        for mount in role.mounts:
            if mount.kind.name == "claim" and "access_modes" in mount.options:
                users.setdefault((id(mount.span.source), mount.span.start), []).append((role, mount))
    for found in users.values():
        setting = found[0][1].options["access_modes"]
        modes = setting.value.data.items if isinstance(setting.value.data, ListData) else ()
        names = [str(mode.data) for mode in modes]
        count = sum(role.replicas for role, _ in found)
        pinned = all(_NODE in role.entries("node_selector") for role, _ in found)
        once = names == ["ReadWriteOncePod"]
        if not names or count == 1 or any(name in _FOR_MANY for name in names) or (pinned and not once):
            continue
        where = "one pod" if once else "one node"
        told = RULE(setting.value.span, mode=names[0], where=where, count=count)
        yield told.help('leave access_modes out, or write ["ReadWriteMany"]')
