"""A /dev/shm as large as the memory limit.

## Why

Files in /dev/shm count as memory of the container. If both have the same size, the process is killed before /dev/shm
is full.

## Bad

```tfjob
job mnist {
  image  = "registry.example.com/mnist:1.4"
  memory = 8Gi
  shm    = 8Gi
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image  = "registry.example.com/mnist:1.4"
  memory = 16Gi
  shm    = 8Gi
  role worker { }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.vocabulary.quantities import Quantity

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3026", "shm-exceeds-memory", "warning", "shm = {shm} uses up the whole memory limit of {memory}")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """``shm`` at or above the memory limit."""
    for role in view.job.roles:
        shm, memory = role.data("shm"), role.data("memory_limit") or role.data("memory")
        if isinstance(shm, Quantity) and isinstance(memory, Quantity) and shm.milli >= memory.milli:
            yield RULE(role.settings["shm"].value.span, shm=shm.text, memory=memory.text).help(
                "give the role more memory"
            )
