"""`$(NAME)` in a command, an argument or a variable.

## Why

In Kubernetes manifests `$(NAME)` stands for a variable. Here texts reach the process byte for byte, so the
program would see the characters themselves.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  args  = ["--data=$(DATA_DIR)"]
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  args  = ["--data=${env.DATA_DIR}"]
  role worker { }
}
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3011", "literal-expansion", "warning", "$({name}) is passed on as it is, not replaced by the variable")


_EXPANSION = re.compile(r"\$\(([A-Za-z_][A-Za-z0-9_]*)\)")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Texts in exec-form commands, args and env; in a shell text ``$(…)`` is the shell's."""
    for role in view.job.roles:
        for name in ("command", "args", "env", "workdir"):
            if name == "command" and isinstance(role.data("command"), str):
                continue
            for value in view.texts(role, name):
                match = _EXPANSION.search(view.literal(value))
                if match is not None:
                    yield RULE(value.span, name=match[1]).help(f"write ${{env.{match[1]}}} for the variable")
