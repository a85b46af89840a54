"""A wait that is longer than the job may run.

## Why

The deadline ends the job first, so the policy never fires.

## Bad

```tfjob
job mnist {
  image    = "registry.example.com/mnist:1.4"
  deadline = 10m
  role worker { }
  on pending after 30m => fail job
}
```

## Good

```tfjob
job mnist {
  image    = "registry.example.com/mnist:1.4"
  deadline = 2h
  role worker { }
  on pending after 30m => fail job
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.vocabulary.quantities import Duration

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule(
    "TFJ3029", "pending-after-deadline", "warning", "the deadline of {deadline} ends the job before this policy fires"
)


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Delays at or above the deadline."""
    deadline = view.job.data("deadline")
    if not isinstance(deadline, Duration):
        return
    for policy in view.job.policies:
        delay = policy.delay.data if policy.delay is not None else None
        if policy.delay is not None and isinstance(delay, Duration) and delay.ms >= deadline.ms:
            diagnostic = RULE(policy.delay.span, deadline=deadline.text)
            yield diagnostic.note(view.job.settings["deadline"].value.span, "the deadline")
