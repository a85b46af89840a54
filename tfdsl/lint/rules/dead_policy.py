"""A policy that never decides.

## Why

Of two policies the one with the narrower subject decides, whatever its event says: a job-wide policy is dead
when every role has a `failed` policy of its own, and so is a role's when each of its replicas has one.

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

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3023", "dead-policy", "warning", "this policy never decides: {who} has its own {event} policy")

EVENTS = {"failed": "failed", "exit": "failed", "evicted": "evicted"}
"""Event → the event whose policies of narrower subjects overrule it whole."""


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Policies that those of the roles, or of the single replicas, always overrule."""
    job = view.job
    decided = {(policy.role, policy.index, policy.event) for policy in job.policies}
    replicas = {role.name: role.replicas if role.counted else 0 for role in job.roles if role.name != "tensorboard"}
    for policy in job.policies:
        event = EVENTS.get(policy.event)
        if event is None or policy.index is not None:
            continue
        count = replicas.get(policy.role or "", 0)
        if policy.role is None:
            if replicas and all((name, None, event) in decided for name in replicas):
                found = RULE(policy.event_span, who="every role", event=event)
                yield found.help("put it into the roles that it is meant for")
        elif count and all((policy.role, index, event) in decided for index in range(count)):
            found = RULE(policy.event_span, who=f"each replica of {policy.role}", event=event)
            yield found.help("leave it out, or the policies of the replicas")
