"""The same task number for every replica.

## Why

A fixed `--task_index` tells every replica of a role that it is the same task, and a fixed `--job_name` in the job tells
every role the same. Two tasks then claim one place in the cluster, and the others wait for a task that does not exist.

## Bad

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  args  = ["--task_index=0"]
  role worker { replicas = 2 }
}
```

## Good

```tfjob
job mnist {
  image = "registry.example.com/mnist:1.4"
  args  = ["--task_index=${task.index}"]
  role worker { replicas = 2 }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.commands import command_of
from tfdsl.patterns import regex
from tfdsl.semantics import resolved
from tfdsl.semantics.values import Value

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3104", "fixed-task", "warning", "{who} gets {flag}")

_INDEX = regex(r"(?<!\S)(--task[_-]index)(?:=|\s+)(\d+)(?!\S)")
_NAME = regex(r"(?<!\S)(--job[_-]name)(?:=|\s+)(chief|master|worker|ps|evaluator)(?!\S)")
_ALSO = {"chief": ("worker", "master"), "master": ("worker", "chief")}
"""With flags the chief is the first worker."""


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Flags written by hand; beside flags of the compiler they are a case for reserved-flag."""
    discovery = view.job.cluster.get("discovery")
    if discovery is not None and discovery.value.data in ("flags", "both"):
        return
    for role in view.job.roles:
        for value, text in _texts(view, command_of(view, role).texts):
            yield from _flags(role, value, text)


def _texts(view: JobView, values: tuple[Value, ...]) -> Iterator[tuple[Value, str]]:
    """Each value with its text; a flag and the value after it count as one text."""
    texts = [view.shown(value) for value in values]
    for at, value in enumerate(values):
        is_flag = texts[at].startswith("--") and at + 1 < len(texts)
        yield value, f"{texts[at]} {texts[at + 1]}" if is_flag and "=" not in texts[at] else texts[at]


def _flags(role: resolved.Role, value: Value, text: str) -> Iterator[Diagnostic]:
    for match in _INDEX.finditer(text):
        if role.replicas > 1:
            diagnostic = RULE(value.span, who=f"each of the {role.replicas} replicas of {role.name}", flag=match[0])
            yield diagnostic.help(f"write {match[1]}=${{task.index}}")
    for match in _NAME.finditer(text):
        if match[2] != role.name and match[2] not in _ALSO.get(role.name, ()):
            diagnostic = RULE(value.span, who=f"role {role.name}", flag=match[0])
            yield diagnostic.help(f"write {match[1]}=${{role.name}}")
