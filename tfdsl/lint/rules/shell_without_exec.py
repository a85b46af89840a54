"""A shell between the program and SIGTERM.

## Why

`/bin/sh -c` starts the program as a child and waits for it, as dash of Debian and Ubuntu does even for a single
command. When the pod is stopped, SIGTERM goes to the shell alone: the program writes no last checkpoint and is
killed when the grace period is over. `exec` puts the program in the place of the shell; a text with a `trap` of its
own is left alone. On YARN and Slider the signal reaches all processes of a task.

## Bad

```tfjob
job mnist {
  image   = "registry.example.com/mnist:1.4"
  command = "cd /app; python train.py"
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image   = "registry.example.com/mnist:1.4"
  command = "cd /app; exec python train.py"
  role worker { }
}
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Edit, Rule
from tfdsl.lint.commands import as_written, command_of
from tfdsl.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView
    from tfdsl.semantics.values import Value

RULE = Rule("TFJ3101", "shell-without-exec", "info", "SIGTERM may not reach the program: a shell runs it without exec")

_HANDED_OVER = re.compile(
    r"(?:^|[;&|({\n]|\b(?:then|do|else)\b)[ \t]*(?:\w+=\S*[ \t]+)*(?:trap[ \t]|exec[ \t]+(?!\d*[<>])\S)"
)
"""``exec`` with a program, which ``exec 2>&1`` has not, or ``trap``, where a command begins."""

_ONE_COMMAND = re.compile(r"(?!(?:cd|export|set|source|if|for|while|case|until|time)\b)[\w./-]+(?: [^;&|(){}`\n]*)?")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Texts for a shell in which no program takes its place."""
    if not view.job.pods:
        return
    for role in view.job.roles:
        shell = command_of(view, role).shell
        if shell is not None and not _HANDED_OVER.search(view.literal(shell)):
            found = RULE(shell.span).help("write exec before the last command, e.g. exec python train.py")
            yield _with_fix(found, shell)


def _with_fix(found: Diagnostic, shell: Value) -> Diagnostic:
    text = as_written(shell)
    if text is None or not _ONE_COMMAND.fullmatch(text):
        return found
    start = shell.span.start + 1
    return found.fix("add exec", Edit(Span(shell.span.source, start, start), "exec "))
