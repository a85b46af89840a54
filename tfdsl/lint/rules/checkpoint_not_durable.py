"""Checkpoints or logs on storage that goes away.

## Why

Scratch and memory mounts go with the pod, a claim without `keep` goes with the job: after a restart training
begins anew, and after the job nothing is left.

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

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3015", "checkpoint-not-durable", "warning", "{name} is on {mount}, which {end}")


_ENDS = {"scratch": "goes with the pod", "memory": "goes with the pod", "claim": "goes with the job"}


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """``checkpoint`` and ``logdir`` on a mount that does not last."""
    for name, value, role in view.folders():
        mount = view.holder(role, view.literal(value))
        end = None if mount is None or mount.outlives_job else _ENDS.get(mount.kind.name)
        if mount is not None and end is not None:
            found = RULE(value.span, name=name, mount=f"a {mount.kind.name} mount", end=end)
            yield found.note(mount.head, "this mount").help("use a pvc, nfs or host mount, or a claim with keep = true")
