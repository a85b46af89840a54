"""A gang that may start without all of its parameter servers.

## Why

Workers block until every parameter server answers. If the gang may start with fewer, the workers hold their devices
and wait.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { replicas = 4 }
  role ps { replicas = 2, min_available = 1 }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { replicas = 4 }
  role ps { replicas = 2 }
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
    "TFJ3012", "gang-without-ps", "warning", "the gang may start with only {available} of {replicas} parameter servers"
)


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """``min_available`` of ps below its replicas."""
    ps = view.job.role("ps")
    if ps is None or view.job.data("gang") is False:
        return
    available = ps.data("min_available")
    if isinstance(available, int) and available < ps.replicas:
        diagnostic = RULE(ps.settings["min_available"].value.span, available=available, replicas=ps.replicas)
        yield diagnostic.help("remove min_available to wait for all of them")
