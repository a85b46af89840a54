r"""A backslash that does not continue the line.

## Why

With a space after it, `\` joins nothing: the shell ends the command there and runs the next line as another
command.

## Bad

```tfjob
job mnist {
  image   = "registry.example.com/mnist:1.4"
  command = "python train.py \\ \n  --steps=5"
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image   = "registry.example.com/mnist:1.4"
  command = "exec python train.py --steps=5"
  role worker { }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.patterns import regex
from tfdsl.semantics.values import ListData

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3027", "broken-continuation", "warning", "a backslash followed by a space does not continue the line")


_BROKEN = regex(r"\\[ \t]+(?:#[^\n]*)?\n")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Shell texts with spaces or a comment between the backslash and the end of the line."""
    for runner in view.runners():
        for value in view.texts(runner, "command"):
            if not isinstance(runner.data("command"), ListData) and _BROKEN.search(view.literal(value)):
                yield RULE(value.span).help("remove the spaces after the backslash")
