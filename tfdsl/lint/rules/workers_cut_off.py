"""Workers that are stopped when the first one is done.

## Why

With `worker[0] completed => complete job`, the others are stopped wherever they are, and lose what they have not
written yet.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { replicas = 2 }
  on worker[0] completed => complete job
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { replicas = 2 }
  on worker completed => complete job
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3024", "workers-cut-off", "info", "the other {others} of {role} {are} stopped when this one completes")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Completion by one replica of several."""
    for policy in view.job.policies:
        role = view.job.role(policy.role or "")
        if policy.action == "complete job" and policy.index is not None and role is not None and role.replicas > 1:
            count = role.replicas - 1
            others, are = ("1 replica", "is") if count == 1 else (f"{count} replicas", "are")
            yield RULE(policy.event_span, others=others, are=are, role=role.name)
