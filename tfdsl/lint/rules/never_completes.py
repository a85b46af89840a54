"""A job that waits for a role that never ends.

## Why

Parameter servers and plain servers wait for work until they are stopped, and so does TensorBoard. A job that waits for
one of them runs, and costs money, forever. If a policy restarts the role that would end the job, the job ends only when
`retries` are used up, and then it has failed.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { }
  role ps { server = true }
  on ps completed => complete job
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { }
  role ps { server = true }
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

RULE = Rule("TFJ3014", "never-completes", "warning", "the job never completes: {why}")

_DECIDERS = ("chief", "master", "worker")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Jobs whose ``complete job`` policies all wait for a server or TensorBoard, or that restart each time they end."""
    completing = [policy for policy in view.job.policies if policy.action == "complete job"]
    if not completing:
        yield from _starts_again(view)
        return
    if any(not _endless(view, policy.role or "") for policy in completing):
        return
    for policy in completing:
        why = f"it waits for {policy.role}, which never ends"
        yield RULE(policy.event_span, why=why).help("write the policy for the chief or the workers")


def _starts_again(view: JobView) -> Iterator[Diagnostic]:
    """Without ``complete job`` the chief (master) or else the workers end the job, unless a policy restarts them."""
    decider = next((name for name in _DECIDERS if view.job.role(name) is not None), None)
    for policy in view.job.policies:
        if policy.event == "completed" and policy.role == decider:
            why = f"each time {decider} completes, this policy restarts it"
            yield RULE(policy.action_span, why=why).help(
                "write a policy that ends it: on ROLE completed => complete job"
            )


def _endless(view: JobView, name: str) -> bool:
    role = view.job.role(name)
    return name == "tensorboard" or (role is not None and role.data("server") is True)
