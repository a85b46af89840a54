"""Checkpoints or logs on storage that does not last.

## Why

Scratch and memory mounts are deleted with the pod, and a claim without `keep` is deleted with the job. After a restart
the training starts from the first step; after the job nothing is left.

## Bad

```tfjob
job mnist {
  image      = "registry.example.com/mnist:1.4"
  checkpoint = "/runs/mnist"
  mount scratch 10Gi at "/runs"
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image      = "registry.example.com/mnist:1.4"
  checkpoint = "/runs/mnist"
  mount pvc "runs" at "/runs"
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

RULE = Rule("TFJ3015", "checkpoint-not-durable", "warning", "{name} is on {mount}, which {end}")


_ENDS = {"scratch": "is deleted with the pod", "memory": "is deleted with the pod", "claim": "is deleted with the job"}


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """``checkpoint`` and ``logdir`` on a mount that does not last."""
    for name, value, role in view.folders():
        mount = view.holder(role, view.literal(value))
        end = None if mount is None or mount.outlives_job else _ENDS.get(mount.kind.name)
        if mount is not None and end is not None:
            diagnostic = RULE(value.span, name=name, mount=f"a {mount.kind.name} mount", end=end)
            diagnostic = diagnostic.note(mount.head, "this mount")
            yield diagnostic.help("use a pvc, nfs or host mount, or a claim with keep = true")
