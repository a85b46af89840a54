"""A let that nothing uses.

## Why

It is checked but has no effect. Often its name is misspelt where it should be used.

## Bad

```tfjob
let unused = 1
job mnist {
  image = "registry.example.com/mnist:1.4"

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

from tfdsl.diagnostics import Diagnostic, Edit, Rule

if TYPE_CHECKING:
    from tfdsl.lint.view import ProgramView

RULE = Rule("TFJ3001", "unused-let", "warning", "let {name} is never used")


def check_program(view: ProgramView) -> Iterator[Diagnostic]:
    """Unused declarations of a main file that has jobs; a file without jobs is for others to include."""
    for name, node in view.program.lets.items():
        if name not in view.used and view.owns(node.span):
            diagnostic = RULE(node.name.span, name=name)
            yield diagnostic.fix("remove it", Edit(view.whole_lines(node.span), ""))
