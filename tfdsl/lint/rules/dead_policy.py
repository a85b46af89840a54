"""A policy that never decides.

## Why

Of two policies the one with the narrower subject decides, whatever its event says: a job-wide policy is dead
when every role has a `failed` policy of its own.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { on failed => restart pod }
  on exit 1 => fail job
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker {
    on failed => restart pod
    on exit 1 => fail job
  }
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

RULE = Rule("TFJ3023", "dead-policy", "warning", "this policy never decides: every role has its own {event} policy")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Policies without role that the roles' own policies always overrule."""
    names = {role.name for role in view.job.roles} - {"tensorboard"}
    for policy in view.job.policies:
        if policy.role is not None or policy.event not in ("failed", "exit", "evicted"):
            continue
        event = "evicted" if policy.event == "evicted" else "failed"
        own = {other.role for other in view.job.policies if other.event == event and other.index is None}
        if names and names <= own:
            yield RULE(policy.event_span, event=event).help("put it into the roles that it is meant for")
