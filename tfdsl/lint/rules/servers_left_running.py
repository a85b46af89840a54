"""Parameter servers that keep running after the job.

## Why

With `cleanup = "none"` nothing stops the parameter servers when the job finishes. They keep their CPUs and devices
until somebody deletes them.

## Bad

```tfjob
job mnist {
  image   = "registry.example.com/mnist:1.4"
  cleanup = "none"
  role worker { }
  role ps { }
}
```

## Good

```tfjob
job mnist {
  image   = "registry.example.com/mnist:1.4"
  cleanup = "running"
  role worker { }
  role ps { }
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
    "TFJ3018", "servers-left-running", "warning", "the parameter servers keep running after the job has finished"
)


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """``cleanup = "none"`` with a ps and no ttl that would remove it."""
    job = view.job
    if job.role("ps") is not None and job.data("cleanup") == "none" and job.data("ttl") is None:
        yield RULE(job.settings["cleanup"].value.span).help('write cleanup = "running", or set a ttl')
