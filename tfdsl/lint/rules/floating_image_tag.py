"""An image without a tag, or tagged `latest`.

## Why

The same job runs another program tomorrow, the replicas of one job may run different ones, and a failed run cannot be
repeated.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist"
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3010", "floating-image-tag", "warning", "image {image} {problem}")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Images of the roles and steps."""
    for runner in view.runners():
        image = runner.data("image")
        if not isinstance(image, str) or image.startswith("/"):  # a file
            continue
        tail = image.rpartition("/")[2]
        if "@" in tail:
            continue
        problem = "has no tag" if ":" not in tail else "can change at any time" if tail.endswith(":latest") else ""
        if problem:
            diagnostic = RULE(runner.settings["image"].value.span, image=f'"{image}"', problem=problem)
            yield diagnostic.help("write a version, or a digest: image@sha256:…")
