"""A template that nothing uses.

## Why

It is checked but has no effect. Often its name is misspelt where it should be used.

## Bad

```tfjob
template unused { gpu = 1 }
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

RULE = Rule("TFJ3003", "unused-template", "warning", "template {name} is never used")


def check_program(view: ProgramView) -> Iterator[Diagnostic]:
    """Unused declarations of a main file that has jobs; a file without jobs is for others to include."""
    for name, node in view.program.templates.items():
        if f"template {name}" not in view.used and view.owns(node.span):
            diagnostic = RULE(node.name.span, name=name)
            yield diagnostic.fix("remove it", Edit(view.whole_lines(node.span), ""))
