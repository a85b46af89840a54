"""A number of CPUs that was meant in millicores.

## Why

`cpu` counts whole CPUs. `cpu = 4000` asks for 4000 of them for every replica: no node has that many, and the pods stay
pending. Write millicores with the unit `m`.

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

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.vocabulary.quantities import Quantity

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3116", "cpu-in-millicores", "warning", "{name} = {written} asks for {count} whole CPUs")

MOST = 1000
"""CPUs; no node has as many."""


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """``cpu`` and ``cpu_limit`` of :data:`MOST` or more."""
    for runner in view.runners():
        for name in ("cpu", "cpu_limit"):
            data = runner.data(name)
            count = data.whole if isinstance(data, Quantity) else data
            if not isinstance(count, int) or count < MOST:
                continue
            span = runner.settings[name].value.span
            diagnostic = RULE(span, name=name, written=span.text, count=count).help("write millicores with the unit m")
            yield diagnostic.replacing(f"write {span.text}m", f"{span.text}m") if span.text.isdecimal() else diagnostic
