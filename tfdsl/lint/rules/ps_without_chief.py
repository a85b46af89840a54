"""Parameter servers without a chief.

## Why

In TensorFlow 2 the chief runs the program and sends its steps to the workers, which are plain servers like the
parameter servers. `ParameterServerStrategy` refuses workers that run the program themselves, and an Estimator needs a
chief too. A program for TensorFlow 1 relies on worker 0 instead, so this is reported only for images of TensorFlow 2.

## Bad

```tfjob
job mnist {
  image = "tensorflow/tensorflow:2.17.0"
  role worker { replicas = 2 }
  role ps     { }
}
```

## Good

```tfjob
job mnist {
  image = "tensorflow/tensorflow:2.17.0"
  role chief  { }
  role worker { replicas = 2, server = true }
  role ps     { server = true }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.images import images

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule(
    "TFJ3124",
    "ps-without-chief",
    "info",
    "TensorFlow 2 uses parameter servers only if a chief coordinates the training",
)


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """A ps without chief, in an image of TensorFlow 2, in a job that does not use the flags of TensorFlow 1."""
    job = view.job
    ps = job.role("ps")
    discovery = job.cluster.get("discovery")
    by_flags = discovery is not None and discovery.value.data != "tf_config"
    if ps is None or by_flags or job.role("chief") is not None or job.role("master") is not None:
        return
    if any((image.official_tag or "").startswith("2.") for image in images(view)):
        yield RULE(ps.name_span).help("add role chief { }, and server = true to ps and worker")
