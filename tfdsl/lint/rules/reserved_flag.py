"""A discovery flag that the compiler adds too.

## Why

With `discovery = "flags"` the four TensorFlow flags are appended to the arguments. Whether a second value of one of
them wins depends on the program.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  args  = ["--task_index=0"]
  role worker { }
  cluster { discovery = "flags" }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  role worker { }
  cluster { discovery = "flags" }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.commands import command_of
from tfdsl.patterns import regex

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3020", "reserved-flag", "warning", "{flag} is also added by discovery")


_FLAGS = regex(r"(?<!\S)--(?:ps_hosts|worker_hosts|job_name|task_index)(?=[=\s]|$)")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Discovery flags in commands and args of a job that discovers by flags."""
    discovery = view.job.cluster.get("discovery")
    if discovery is None or discovery.value.data not in ("flags", "both"):
        return
    for role in view.job.roles:
        for value in command_of(view, role).texts:
            for match in _FLAGS.finditer(view.literal(value)):
                yield RULE(value.span, flag=match[0]).help('remove it, or write discovery = "tf_config"')
