"""Checkpoints in a read-only mount.

## Why

The training fails when it writes its first checkpoint, often an hour after it started.

## Bad

```tfjob
job mnist {
  image      = "registry.example.com/mnist:1.4"
  checkpoint = "/data/run1"
  mount pvc "data" at "/data" readonly
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image      = "registry.example.com/mnist:1.4"
  checkpoint = "/data/run1"
  mount pvc "data" at "/data"
  role worker { }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3122", "checkpoint-readonly", "warning", "checkpoint {path} is in a read-only mount")

_READ_ONLY = ("configmap", "secret", "hdfs")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """``checkpoint`` where the first role that trains cannot write to it."""
    checkpoint = view.job.settings.get("checkpoint")
    writer = next(view.trainers(), None)
    if checkpoint is None or writer is None:
        return
    value = checkpoint.value
    mount = view.holder(writer, view.literal(value))
    if mount is not None and (mount.readonly is not None or mount.kind.name in _READ_ONLY):
        diagnostic = RULE(value.span, path=f'"{view.shown(value)}"')
        yield diagnostic.note(mount.readonly or mount.head, "this mount").help(
            "choose a folder that the role can write to"
        )
