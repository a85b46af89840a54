"""A claim for one node that several pods mount.

## Why

A volume with the access mode ReadWriteOnce can be attached to one node only. A pod of the job that is placed on another
node stays in ContainerCreating with `Multi-Attach error`. With ReadWriteOncePod the same happens to every second pod.
Without `access_modes`, a claim that several replicas mount gets ReadWriteMany.

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

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.semantics.values import ListData

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView
    from tfdsl.semantics.resolved import Mount, Role

RULE = Rule(
    "TFJ3121", "claim-on-several-nodes", "warning", "{mode} allows {where} only, but {count} pods mount this claim"
)

_FOR_MANY = ("ReadWriteMany", "ReadOnlyMany")
_NODE = "kubernetes.io/hostname"


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Claims whose modes allow one node or one pod; one mount in the text may belong to several roles."""
    users: dict[tuple[int, int], list[tuple[Role, Mount]]] = {}
    for role in view.job.roles if view.job.pods else ():
        for mount in role.mounts:
            if mount.kind.name == "claim" and "access_modes" in mount.options:
                users.setdefault((id(mount.span.source), mount.span.start), []).append((role, mount))
    for mounted in users.values():
        setting = mounted[0][1].options["access_modes"]
        modes = setting.value.data.items if isinstance(setting.value.data, ListData) else ()
        names = [str(mode.data) for mode in modes]
        count = sum(role.replicas for role, _ in mounted)
        pinned = all(_on_one_node(role) for role, _ in mounted)
        once = names == ["ReadWriteOncePod"]
        if not names or count == 1 or any(name in _FOR_MANY for name in names) or (pinned and not once):
            continue
        where = "one pod" if once else "one node"
        diagnostic = RULE(setting.value.span, mode=names[0], where=where, count=count)
        yield diagnostic.help('leave access_modes out, or write ["ReadWriteMany"]')


def _on_one_node(role: Role) -> bool:
    value = role.entries("node_selector").get(_NODE)
    return value is not None and not (isinstance(value.data, ListData) and len(value.data.items) > 1)
