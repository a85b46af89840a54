"""Too little memory to start TensorFlow.

## Why

A Python process that imports TensorFlow needs some hundred MiB. `16k` or `16M` is usually a typo for `16Gi`.

## Bad

```tfjob
job mnist {
  image  = "registry.example.com/mnist:1.4"
  memory = 16M
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image  = "registry.example.com/mnist:1.4"
  memory = 16Gi
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

RULE = Rule("TFJ3022", "tiny-memory", "warning", "{memory} of memory is too little for any TensorFlow process")


LEAST = 128 << 20
"""Bytes; the interpreter and its imports alone need more."""


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """``memory`` below :data:`LEAST`."""
    for role in view.job.roles:
        memory = role.data("memory")
        if isinstance(memory, Quantity) and memory.whole < LEAST:
            diagnostic = RULE(role.settings["memory"].value.span, memory=memory.text)
            number = memory.text.rstrip("kKMGTPEim")
            yield diagnostic.help(f"did you mean {number}Gi?").replacing(f"write {number}Gi", f"{number}Gi")
