"""A GPU chosen by hand.

## Why

Which GPUs a replica may use is the cluster's choice: the device plugin of Kubernetes and YARN's own set
NVIDIA_VISIBLE_DEVICES and number what they gave from 0. A value by hand is overwritten, leaves GPUs unused that
were paid for, names some that are not there, or, in a role without `gpu`, takes those of other jobs. To hide the GPUs
from a role without `gpu` is fine.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { gpu = 1, env = { CUDA_VISIBLE_DEVICES = "1" } }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { gpu = 1 }
}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule
from tfdsl.lint.devices import devices, gpus, is_given_gpus
from tfdsl.semantics.values import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView
    from tfdsl.semantics import resolved

RULE = Rule("TFJ3111", "gpu-variable", "warning", '{name} = "{value}" {problem}')

_CUDA, _NVIDIA = "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"
_NONE = ("", "-1", "none", "void", "NoDevFiles")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """The two variables, where the text is known and does not fit to the GPUs of the role."""
    for role in view.job.roles:
        env = role.entries("env")
        for name in (_CUDA, _NVIDIA):
            text = show(env[name].data) if name in env else None
            problem = _problem(view, role, name, text.strip()) if text is not None else None
            if problem is not None:
                found = RULE(env[name].span, name=name, value=text, problem=problem)
                yield found.help("leave it out, and write gpu in the roles that use GPUs")


def _problem(view: JobView, role: resolved.Role, name: str, text: str) -> str | None:
    count = gpus(role)
    if not count:
        if text in _NONE or is_given_gpus(view, role):
            return None
        return f"takes GPUs from other jobs: role {role.name} has no gpu"
    if text in _NONE:
        return f"hides the {devices(count)} of role {role.name}"
    if name == _NVIDIA:
        return f"is not for the job to set: the cluster gives role {role.name} its GPUs"
    chosen = {part.strip() for part in text.split(",")}
    if not all(part.isdecimal() for part in chosen):
        return "names devices of one node"
    if max(map(int, chosen)) >= count:
        return f"names a device that is not there: role {role.name} has {devices(count)}, counted from 0"
    return f"uses {len(chosen)} of the {devices(count)} of role {role.name}" if len(chosen) < count else None
