"""Checkpoints or logs in a folder that is not on a mount.

## Why

The folder is part of the container: it is empty after a restart, and no other replica sees it.

## Bad

```tfjob
job mnist {
  image      = "registry.example.com/mnist:1.4"
  checkpoint = "/runs/mnist"
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image      = "registry.example.com/mnist:1.4"
  checkpoint = "/runs/mnist"
  mount pvc "runs" at "/runs"
  role worker { }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.syntax import ast

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3016", "checkpoint-unmounted", "warning", "{name} {path} is not on a mount of role {role}")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Absolute ``checkpoint`` and ``logdir`` paths outside of all mounts.

    Without a target nothing is said of a job whose target blocks mount something: it is checked for each target.
    """
    if view.job.target is None and _mounts_for_a_target(view.job.derived.node.items):
        return
    for name, value, role in view.folders():
        path = view.literal(value)
        if path.startswith("/") and view.holder(role, path) is None:
            yield RULE(value.span, name=name, path=f'"{view.shown(value)}"', role=role.name).help(
                "mount a volume there"
            )


def _mounts_for_a_target(items: tuple[ast.Item, ...]) -> bool:
    blocks = [block for block in items if isinstance(block, ast.Target)]
    inner = [item for block in blocks for item in (*block.items, *_of_roles(block.items))]
    return any(isinstance(item, ast.Mount | ast.Use) for item in inner)


def _of_roles(items: tuple[ast.Item, ...]) -> list[ast.Item]:
    return [item for role in items if isinstance(role, ast.Role) for item in role.items]
