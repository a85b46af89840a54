"""A GPU image in a job that asks for no GPU.

## Why

GPU images ask for all GPUs of the node. A replica without `gpu` trains on the CPU, or sees every GPU of its node and
disturbs the jobs that own them.

## Bad

```tfjob
job mnist {
  image = "tensorflow/tensorflow:2.17.0-gpu"
  role worker { cpu = 4 }
}
```

## Good

```tfjob
job mnist {
  image = "tensorflow/tensorflow:2.17.0-gpu"
  role worker { cpu = 4, gpu = 1 }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.devices import may_have_gpus
from tfdsl.lint.images import images

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule(
    "TFJ3115",
    "gpu-image-without-gpu",
    "info",
    'image "{image}" is a GPU image, but no role has gpu: it uses no GPU, or all GPUs of its node',
)

_HIDING = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """The first such image of a job in which nobody asks for GPUs or hides them."""
    roles = view.job.roles
    if any(may_have_gpus(view, role) or any(name in role.entries("env") for name in _HIDING) for role in roles):
        return
    for image in images(view):
        if image.is_for_gpus:
            yield RULE(image.value.span, image=image.name).help("write gpu = 1, or use the CPU image")
            return
