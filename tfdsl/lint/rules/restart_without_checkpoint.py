"""A restart that trains from the first step.

## Why

A restarted replica finds only what is on a volume or in an external store. Without one it trains from the first step,
as often as `retries` allows. Nothing is reported if a role that trains has a mount it can write to, names a URI or a
checkpoint folder in its command or env, or leaves the command to the image.

## Bad

```tfjob
job mnist {
  image   = "registry.example.com/mnist:1.4"
  command = ["python", "/app/train.py"]
  role worker { }
  on failed => restart pod
}
```

## Good

```tfjob
job mnist {
  image      = "registry.example.com/mnist:1.4"
  command    = ["python", "/app/train.py"]
  checkpoint = "/runs/mnist"
  mount pvc "runs" at "/runs"
  role worker { }
  on failed => restart pod
}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.commands import command_of
from tfdsl.patterns import regex
from tfdsl.semantics import resolved

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule(
    "TFJ3123",
    "restart-without-checkpoint",
    "info",
    "a restart trains from the first step: nothing the job writes is kept",
)

_KEPT = regex(r"://|checkpoint|ckpt|model[_-]?dir|job[_-]dir|resume|restore", re.I)


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """The first policy that restarts a role that trains, in a job that keeps nothing to continue from."""
    roles = list(view.trainers())
    names = {role.name for role in roles}
    if "checkpoint" in view.job.settings or not roles or any(not command_of(view, role).texts for role in roles):
        return
    for policy in view.job.policies:
        is_whole = policy.role is None or policy.action == "restart job"
        if not policy.action.startswith("restart") or policy.event == "completed":
            continue
        if not (is_whole or policy.role in names):
            continue
        if not any(_keeps(view, role, in_place=policy.action == "restart container") for role in roles):
            yield RULE(policy.action_span).help('mount a volume and write, for example, checkpoint = "/runs/mnist"')
        return


def _keeps(view: JobView, role: resolved.Role, *, in_place: bool) -> bool:
    """Whether what ``role`` writes may still be there after a restart; a pod keeps all its volumes."""
    for mount in role.mounts:
        lasts = in_place or mount.outlives_job or mount.kind.name == "claim"
        if lasts and mount.readonly is None and mount.kind.name not in ("configmap", "secret", "hdfs", "archive"):
            return True
    env = role.entries("env")
    texts = [view.literal(value) for value in (*command_of(view, role).texts, *env.values())]
    return any(_KEPT.search(text) for text in (*texts, *env))
