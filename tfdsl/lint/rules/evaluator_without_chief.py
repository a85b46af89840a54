"""An evaluator in a job without a chief.

## Why

The evaluator reads the checkpoints that the chief writes. TensorFlow's train_and_evaluate refuses to start
without a chief in the cluster.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { replicas = 2 }
  role evaluator { }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role chief { }
  role worker { replicas = 2 }
  role evaluator { }
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
    "TFJ3013", "evaluator-without-chief", "warning", "the job has an evaluator but no chief to write checkpoints"
)


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """An evaluator without chief or master."""
    evaluator = view.job.role("evaluator")
    if evaluator is not None and view.job.role("chief") is None and view.job.role("master") is None:
        yield RULE(evaluator.name_span).help("add role chief { }")
