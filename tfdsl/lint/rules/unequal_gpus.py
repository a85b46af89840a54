"""Different numbers of GPUs in a training without parameter servers.

## Why

Without parameter servers, the chief and the workers reduce their gradients together, and TensorFlow expects the
same number of devices in every task. With 2 in one task and 4 in another, the first step ends with `Collective Op has
group_size 8 … but that group has size 4`, or hangs.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role chief  { gpu = 1 }
  role worker { gpu = 4, replicas = 2, shm = 8Gi }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  gpu   = 4, shm = 8Gi
  role chief  { }
  role worker { replicas = 2 }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.devices import devices, gpus

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView
    from tfdsl.semantics import resolved
    from tfdsl.text import Span

RULE = Rule(
    "TFJ3112",
    "unequal-gpus",
    "warning",
    "{first} has {devices} and {second} has {others}: without ps every task needs the same number",
)


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Chief (master) and workers that train together with different values of ``gpu``."""
    discovery = view.job.cluster.get("discovery")
    roles = list(view.trainers())
    if view.job.role("ps") is not None or (discovery is not None and discovery.value.data == "none"):
        return
    if any(role.data("server") is True or role.entries("resources") for role in view.job.roles):
        return
    for first, second in pairwise(roles):
        if gpus(first) != gpus(second):
            count = gpus(first)
            diagnostic = RULE(
                _place(second),
                first=first.name,
                devices=devices(count) if count else "no GPU",
                second=second.name,
                others=gpus(second),
            )
            yield diagnostic.note(_place(first), f"role {first.name}").help("write gpu once, for the whole job")


def _place(role: resolved.Role) -> Span:
    return role.settings["gpu"].value.span if "gpu" in role.settings else role.name_span
