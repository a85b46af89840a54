"""Replicas that may need the same port of one node.

## Why

On the node's network, two replicas of a role on the same node need the same port, and the second cannot start.

## Bad

```tfjob
job mnist {
  image        = "registry.example.com/mnist:1.4"
  host_network = true
  role worker { replicas = 2 }
}
```

## Good

```tfjob
job mnist {
  image        = "registry.example.com/mnist:1.4"
  host_network = true
  role worker { replicas = 2, spread = "node" }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule(
    "TFJ3019", "host-port-clash", "warning", "replicas of role {role} on the same node would both use port {port}"
)


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """``host_network`` with several replicas and no ``spread``; a target's ``hosts`` place each replica."""
    if view.job.options.get("hosts"):
        return
    for role in view.job.roles:
        if role.data("host_network") is True and role.replicas > 1 and role.data("spread") != "node":
            span = role.settings["host_network"].value.span
            diagnostic = RULE(span, role=role.name, port=role.data("port") or 2222)
            yield diagnostic.help('add spread = "node" to the role')
