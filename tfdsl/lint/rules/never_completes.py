"""A job that only ends when a role ends that never does.

## Why

Parameter servers and plain servers wait for work until they are stopped, and TensorBoard serves until it is
stopped. A job that waits for one of them runs, and is paid for, for ever.

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

RULE = Rule("TFJ3014", "never-completes", "warning", "the job is complete when {role} is, and {role} never ends")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Jobs all of whose ``complete job`` policies wait for a server or TensorBoard."""
    deciding = [policy for policy in view.job.policies if policy.action == "complete job"]
    if not deciding or any(not _endless(view, policy.role or "") for policy in deciding):
        return
    for policy in deciding:
        yield RULE(policy.event_span, role=policy.role).help("let the chief or the workers decide")


def _endless(view: JobView, name: str) -> bool:
    role = view.job.role(name)
    return name == "tensorboard" or (role is not None and role.data("server") is True)
