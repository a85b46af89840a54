"""A discovery flag that the compiler adds as well.

## Why

With `discovery = "flags"` the four TensorFlow flags are appended to the arguments; a second value for one of
them wins or loses by the program's own rules.

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

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3020", "reserved-flag", "warning", "{flag} is appended by discovery too")


_FLAGS = ("--ps_hosts", "--worker_hosts", "--job_name", "--task_index")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Discovery flags in commands and args of a job that discovers by flags."""
    discovery = view.job.cluster.get("discovery")
    if discovery is None or discovery.value.data not in ("flags", "both"):
        return
    for role in view.job.roles:
        for value in (*view.texts(role, "command"), *view.texts(role, "args")):
            flag = view.literal(value).partition("=")[0]
            if flag in _FLAGS:
                yield RULE(value.span, flag=flag).help('leave it out, or write discovery = "tf_config"')
