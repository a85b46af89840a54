"""A label that the operator overwrites.

## Why

Kubeflow, Volcano and Kubernetes set labels of their own on every pod; a value of yours under one of these
keys is lost.

## Bad

```tfjob
job mnist {
  image  = "registry.example.com/mnist:1.4"
  role worker { labels = { "volcano.sh/job-name" = "mine" } }
}
```

## Good

```tfjob
job mnist {
  image  = "registry.example.com/mnist:1.4"
  role worker { labels = { team = "vision" } }
}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule
from tfdsl.semantics.values import MapData

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3025", "reserved-label", "warning", "{key} is set by the system, and this value is lost")


_VOLCANO = ("volcano.sh/job-", "volcano.sh/task-")
"""The target itself refuses these (VOL156)."""

_PREFIXES = (
    "training.kubeflow.org/",
    *_VOLCANO,
    "batch.kubernetes.io/",
    "jobset.sigs.k8s.io/",
)


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Labels of roles under keys of the operators."""
    for role in view.job.roles:
        data = role.data("labels")
        for key, entry in data.entries.items() if isinstance(data, MapData) else ():
            if key.startswith(_PREFIXES) and not (view.job.target == "volcano" and key.startswith(_VOLCANO)):
                yield RULE(entry.key_span, key=key)
