"""A gang that may start without its parameter servers.

## Why

Workers block until every parameter server answers; when the gang may start with fewer, the workers hold their
devices and wait.

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

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3012", "gang-without-ps", "warning", "the gang may start with {given} of {replicas} parameter servers")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """``min_available`` of ps below its replicas."""
    ps = view.job.role("ps")
    if ps is None or view.job.data("gang") is False:
        return
    given = ps.data("min_available")
    if isinstance(given, int) and given < ps.replicas:
        found = RULE(ps.settings["min_available"].value.span, given=given, replicas=ps.replicas)
        yield found.help("leave min_available out: all of them")
