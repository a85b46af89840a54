"""Several GPUs and a small /dev/shm.

## Why

A container has 64 MiB of /dev/shm. With several GPUs in one pod NCCL exchanges gradients through it, and data
loaders use it as well. When it is too small, the training stops with `Bus error` or an NCCL error.

## Bad

```tfjob
job mnist {
  image  = "registry.example.com/mnist:1.4"
  role worker { gpu = 4, memory = 64Gi }
}
```

## Good

```tfjob
job mnist {
  image  = "registry.example.com/mnist:1.4"
  role worker { gpu = 4, memory = 64Gi, shm = 8Gi }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.devices import gpus

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule(
    "TFJ3113", "gpus-without-shm", "info", "role {role} has {count} GPUs and 64 MiB of /dev/shm, which NCCL may exceed"
)

_SEVERAL = 2


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Roles with several GPUs and nothing of their own at /dev/shm."""
    if not view.job.pods:
        return
    for role in view.job.roles:
        if gpus(role) >= _SEVERAL and role.data("shm") is None and view.holder(role, "/dev/shm") is None:
            diagnostic = RULE(role.settings["gpu"].value.span, role=role.name, count=gpus(role))
            yield diagnostic.help("write shm = 8Gi, for example; it counts as memory of the container")
