"""`$(NAME)` or `$NAME` where nothing replaces it.

## Why

Kubernetes replaces `$(NAME)` in manifests, and a shell replaces `$NAME`. In a .tfjob file, texts reach the process byte
for byte, so the program would get the characters themselves, and a `sub_path` would be one folder of that name for all
replicas. Write `${env.NAME}` for a variable, and `${task.index}` for the number of the replica, which is what
`$(POD_NAME)` is usually meant for.

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

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.commands import command_of
from tfdsl.patterns import regex
from tfdsl.semantics import resolved
from tfdsl.semantics.values import ListData, Value

if TYPE_CHECKING:
    import re

    from tfdsl.lint.view import JobView

RULE = Rule(
    "TFJ3011", "literal-expansion", "warning", "{text} is passed on as it is: nothing replaces it with the variable"
)


_EXPANSION = regex(r"\$\(([A-Za-z_][A-Za-z0-9_]*)\)")
_VARIABLE = regex(r"(?<!\$)\$(?:([A-Z][A-Z0-9_]+)\b|\(([A-Za-z_][A-Za-z0-9_]*)\))")
"""In a word of a command also ``$NAME``: it is meant for a shell, and none runs."""

_OF_PODS = ("POD_NAME", "HOSTNAME", "POD_INDEX", "JOB_COMPLETION_INDEX", "VC_TASK_INDEX", "VK_TASK_INDEX")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Texts that no shell reads: commands, args, env, mounts and outputs."""
    for runner in view.runners():
        command = command_of(view, runner)
        for value in command.words:
            yield from _unreplaced(view, value, _VARIABLE)
        if command.shell is not None and isinstance(runner.data("command"), ListData):
            yield from _unreplaced(view, command.shell, _EXPANSION)
        for value in (*view.texts(runner, "env"), *view.texts(runner, "workdir")):
            yield from _unreplaced(view, value, _EXPANSION)
    for role in view.job.roles:
        for value in _paths(role):
            yield from _unreplaced(view, value, _EXPANSION)


def _paths(role: resolved.Role) -> Iterator[Value]:
    for mount in role.mounts:
        if mount.source is not None:
            yield mount.source
        if "sub_path" in mount.options:
            yield mount.options["sub_path"].value
    for output in role.outputs:
        yield output.source
        yield output.destination


def _unreplaced(view: JobView, value: Value, pattern: re.Pattern[str]) -> Iterator[Diagnostic]:
    match = pattern.search(view.literal(value))
    if match is not None:
        name = next(filter(None, match.groups()))
        advice = f"write ${{env.{name}}} for the variable"
        each = "write ${task.index}, which differs in each replica"
        yield RULE(value.span, text=match[0]).help(each if name in _OF_PODS else advice)
