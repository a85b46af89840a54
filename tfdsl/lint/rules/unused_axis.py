"""An axis of a matrix that nothing uses.

## Why

The jobs that differ only in this axis are the same but for their names. Often its value should be passed to the
program.

## Bad

```tfjob
job digits {
  image = "registry.example.com/digits:1.4"
  command = ["python", "train.py", "--lr=0.1"]
  matrix { lr = [0.1, 0.01] }

  role worker { }
}
```

## Good

```tfjob
job digits {
  image = "registry.example.com/digits:1.4"
  command = ["python", "train.py", "--lr=${matrix.lr}"]
  matrix { lr = [0.1, 0.01] }

  role worker { }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.semantics.project import used_templates
from tfdsl.semantics.scope import members

if TYPE_CHECKING:
    from tfdsl.lint.view import ProgramView

RULE = Rule("TFJ3004", "unused-axis", "warning", "axis {name} is never used: its jobs differ only in their names")


def check_program(view: ProgramView) -> Iterator[Diagnostic]:
    """Unused axes of the jobs of the main file."""
    for job in view.program.jobs:
        matrix = job.matrix
        if matrix is None:
            continue
        templates = view.program.templates
        used = members((job, *(templates[name] for name in used_templates((job,), templates))), "matrix")
        for axis in matrix.axes:
            if axis.key.text not in used:
                yield RULE(axis.key.span, name=axis.key.text).help(f"use ${{matrix.{axis.key.text}}} in the job")
