r"""A backslash at the end of a line that is not at its end.

## Why

With a blank behind it, `\` joins nothing: the shell ends the command there and runs the next line as another
one.

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

import re
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule
from tfdsl.semantics.values import ListData

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView

RULE = Rule(
    "TFJ3027", "broken-continuation", "warning", "a backslash with a blank behind it does not join the next line"
)


_BROKEN = re.compile(r"\\[ \t]+(?:#[^\n]*)?\n")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Shell texts with a blank, or a comment, between the backslash and the line end."""
    for role in view.job.roles:
        for value in view.texts(role, "command"):
            if not isinstance(role.data("command"), ListData) and _BROKEN.search(view.literal(value)):
                yield RULE(value.span).help("remove the blanks behind the backslash")
