"""A job that only ends when a role ends that never does.

## Why

Parameter servers and plain servers wait for work until they are stopped, and TensorBoard serves until it is
stopped. A job that waits for one of them runs, and is paid for, for ever. And where the role that would end the job
starts it again instead, it only ends when `retries` are used up, and has then failed.

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

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3014", "never-completes", "warning", "the job never completes: {why}")

_DECIDERS = ("chief", "master", "worker")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Jobs all of whose ``complete job`` policies wait for a server or TensorBoard, or that start again each time."""
    deciding = [policy for policy in view.job.policies if policy.action == "complete job"]
    if not deciding:
        yield from _starts_again(view)
        return
    if any(not _endless(view, policy.role or "") for policy in deciding):
        return
    for policy in deciding:
        why = f"it waits for {policy.role}, which never ends"
        yield RULE(policy.event_span, why=why).help("let the chief or the workers decide")


def _starts_again(view: JobView) -> Iterator[Diagnostic]:
    """Without a ``complete job`` the chief (master) decides, else the workers: unless they restart the job."""
    decider = next((name for name in _DECIDERS if view.job.role(name) is not None), None)
    for policy in view.job.policies:
        if policy.event == "completed" and policy.role == decider:
            why = f"{decider} starts it again each time"
            yield RULE(policy.action_span, why=why).help(
                "write a policy that ends it: on ROLE completed => complete job"
            )


def _endless(view: JobView, name: str) -> bool:
    role = view.job.role(name)
    return name == "tensorboard" or (role is not None and role.data("server") is True)
