"""GPUs chosen by hand.

## Why

The cluster decides which GPUs a replica may use: Kubernetes' device plugin and YARN set NVIDIA_VISIBLE_DEVICES, and
number the GPUs of the replica from 0. A value set by hand is overwritten, leaves GPUs unused, names GPUs that are not
there, or, in a role without `gpu`, takes those of other jobs. Hiding the GPUs from a role without `gpu` is fine.

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

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.devices import devices, gpus, may_have_gpus
from tfdsl.semantics.values import show

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView
    from tfdsl.semantics import resolved

RULE = Rule("TFJ3111", "gpu-variable", "warning", '{name} = "{value}" {problem}')

_CUDA, _NVIDIA = "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"
_NONE = ("", "-1", "none", "void", "NoDevFiles")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """The two variables, where their text is known and does not fit the GPUs of the role."""
    for role in view.job.roles:
        env = role.entries("env")
        for name in (_CUDA, _NVIDIA):
            text = show(env[name].data) if name in env else None
            problem = _problem(view, role, name, text.strip()) if text is not None else None
            if problem is not None:
                diagnostic = RULE(env[name].span, name=name, value=text, problem=problem)
                yield diagnostic.help("remove it, and write gpu in the roles that use GPUs")


def _problem(view: JobView, role: resolved.Role, name: str, text: str) -> str | None:
    count = gpus(role)
    if not count:
        if text in _NONE or may_have_gpus(view, role):
            return None
        return f"takes GPUs from other jobs: role {role.name} has no gpu"
    if text in _NONE:
        return f"hides the {devices(count)} of role {role.name}"
    if name == _NVIDIA:
        return f"is overwritten: the cluster assigns the GPUs of role {role.name}"
    chosen = {part.strip() for part in text.split(",")}
    if not all(part.isdecimal() for part in chosen):
        return "names devices of one particular node"
    if max(map(int, chosen)) >= count:
        return f"names a missing device: role {role.name} has {devices(count)}, counted from 0"
    return f"uses only {len(chosen)} of the {devices(count)} of role {role.name}" if len(chosen) < count else None
