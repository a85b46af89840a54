"""A parameter server with a GPU.

## Why

Parameter servers hold variables in memory and compute little, so they rarely use a device.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  gpu   = 1
  role worker { }
  role ps { }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { gpu = 1 }
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

RULE = Rule("TFJ3028", "gpu-on-ps", "info", "every parameter server reserves {gpu} device{plural} that it hardly uses")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """``gpu`` of role ps."""
    ps = view.job.role("ps")
    gpu = ps.data("gpu") if ps is not None else None
    if ps is not None and isinstance(gpu, int) and gpu > 0:
        diagnostic = RULE(ps.settings["gpu"].value.span, gpu=gpu, plural="s" if gpu > 1 else "")
        yield diagnostic.help("write gpu only in the roles that compute")
