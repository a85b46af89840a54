"""A CPU image of TensorFlow in a role with a GPU.

## Why

`tensorflow/tensorflow:2.17.0` has no CUDA: the training runs on the CPU, and the GPU stays idle. The image with `-gpu`
in its tag has CUDA. Nothing is reported if a build step installs CUDA.

## Bad

```tfjob
job mnist {
  image = "tensorflow/tensorflow:2.17.0"
  role worker { gpu = 1 }
}
```

## Good

```tfjob
job mnist {
  image = "tensorflow/tensorflow:2.17.0-gpu"
  role worker { gpu = 1 }
}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.commands import as_written
from tfdsl.lint.devices import gpus
from tfdsl.lint.images import images, with_gpu
from tfdsl.patterns import regex

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3114", "image-without-gpu", "warning", 'image "{image}" has no CUDA, so role {role} cannot use its GPU')

_INSTALLS = regex(r"cuda|nvidia|gpu", re.I)


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """TensorFlow's own images, each once; what is in others is not known."""
    steps = view.job.build.steps if view.job.build is not None else ()
    if any(_INSTALLS.search(view.literal(step.source)) for step in steps):
        return
    reported = set[str]()
    for image in images(view):
        tag = image.official_tag
        if tag is None or image.is_for_gpus or image.name in reported or not gpus(image.role):
            continue
        resource = image.role.data("gpu_resource")
        if isinstance(resource, str) and "nvidia" not in resource:
            continue
        reported.add(image.name)
        diagnostic = RULE(image.value.span, image=image.name, role=image.role.name)
        instead = image.name.partition("@")[0].removesuffix(tag) + with_gpu(tag)
        diagnostic = diagnostic.help(f'write "{instead}"')
        is_plain = as_written(image.value) is not None and "@" not in image.name
        yield diagnostic.replacing(f'write "{instead}"', f'"{instead}"') if is_plain else diagnostic
