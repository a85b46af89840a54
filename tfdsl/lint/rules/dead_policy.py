"""A policy that never applies.

## Why

The policy with the narrower subject applies, whatever its event. A policy of the job never applies when every role has
a `failed` policy of its own, and a policy of a role never applies when each of its replicas has one.

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
  mount pvc "runs" at "/runs"
  role worker {
    on failed => restart pod
    on exit 1 => fail job
  }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3023", "dead-policy", "warning", "this policy never applies: {who} has its own {event} policy")

EVENTS = {"failed": "failed", "exit": "failed", "evicted": "evicted"}
"""Event → the event whose policies override it when their subjects are narrower."""


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Policies that those of the roles, or of single replicas, always override."""
    job = view.job
    covered = {(policy.role, policy.index, policy.event) for policy in job.policies}
    replicas = {role.name: role.replicas if role.counted else 0 for role in job.roles if role.name != "tensorboard"}
    for policy in job.policies:
        event = EVENTS.get(policy.event)
        if event is None or policy.index is not None:
            continue
        count = replicas.get(policy.role or "", 0)
        if policy.role is None:
            if replicas and all((name, None, event) in covered for name in replicas):
                diagnostic = RULE(policy.event_span, who="every role", event=event)
                yield diagnostic.help("move it into the roles it is meant for")
        elif count and all((policy.role, index, event) in covered for index in range(count)):
            diagnostic = RULE(policy.event_span, who=f"each replica of {policy.role}", event=event)
            yield diagnostic.help("remove it, or the policies of the replicas")
