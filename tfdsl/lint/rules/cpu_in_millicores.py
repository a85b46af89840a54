"""A number of CPUs that was meant as millicores.

## Why

`cpu` counts whole CPUs. `cpu = 4000` asks every replica for 4000 of them: no node has so many, and the pods stay
pending. Thousandths have the unit `m`.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  cpu   = 4000
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  cpu   = 4000m
  role worker { }
}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule
from tfdsl.vocabulary.quantities import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3116", "cpu-in-millicores", "warning", "{name} = {given} asks for {count} CPUs")

MOST = 1000
"""CPUs; no node has so many."""


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """``cpu`` and ``cpu_limit`` from :data:`MOST`."""
    for role in view.job.roles:
        for name in ("cpu", "cpu_limit"):
            data = role.data(name)
            count = data.whole if isinstance(data, Quantity) else data
            if not isinstance(count, int) or count < MOST:
                continue
            span = role.settings[name].value.span
            found = RULE(span, name=name, given=span.text, count=count).help("thousandths of a CPU have the unit m")
            yield found.replacing(f"write {span.text}m", f"{span.text}m") if span.text.isdecimal() else found
