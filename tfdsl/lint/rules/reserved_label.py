"""A label that the system overwrites.

## Why

Kubeflow, Volcano and Kubernetes set labels of their own on every pod. A value under one of these keys is lost.

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

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.semantics.values import MapData

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3025", "reserved-label", "warning", "{key} is set by the system: this value is lost")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Labels of roles under keys of the operators."""
    for role in view.job.roles:
        data = role.data("labels")
        for key, entry in data.entries.items() if isinstance(data, MapData) else ():
            if key.startswith(_own_labels(view.job.target)):
                yield RULE(entry.key_span, key=key)


def _own_labels(target: str | None) -> tuple[str, ...]:
    """What the labels of all systems begin with, but for those that ``target`` refuses itself."""
    refused = {label for one in targets.known() if one.name == target for label in one.refused_labels}
    own = (label for one in targets.known() for label in one.own_labels)
    return tuple(label for label in own if "/" in label and label not in refused)
