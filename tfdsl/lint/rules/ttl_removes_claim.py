"""A claim that is deleted with the finished job.

## Why

When the job is deleted, so are the claims that were created for it, unless they have `keep`.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  ttl   = 1h
  mount claim 10Gi at "/work"
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  ttl   = 1h
  mount claim 10Gi at "/work" { keep = true }
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

RULE = Rule("TFJ3021", "ttl-removes-claim", "info", "this claim is deleted with the job, {ttl} after the job finishes")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Claims without ``keep`` in a job with a ``ttl``."""
    ttl = view.job.data("ttl")
    if ttl is None:
        return
    for role in view.job.roles:
        for mount in role.mounts:
            if mount.kind.name == "claim" and not mount.outlives_job:
                yield RULE(mount.head, ttl=ttl).help("add { keep = true } to keep the data")
