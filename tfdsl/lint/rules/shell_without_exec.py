"""A shell that keeps SIGTERM from the program.

## Why

`/bin/sh -c` starts the program as a child and waits for it; dash, the shell of Debian and Ubuntu, does so even for a
single command. When the pod is stopped, only the shell gets SIGTERM: the program writes no last checkpoint, and is
killed at the end of the grace period. `exec` replaces the shell with the program. Nothing is reported if the text sets
a `trap`. On YARN and Slider the signal reaches all processes of a task.

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

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Edit, Rule
from tfdsl.lint.commands import as_written, command_of
from tfdsl.patterns import regex
from tfdsl.semantics.values import Value
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule(
    "TFJ3101", "shell-without-exec", "info", "SIGTERM may not reach the program: the shell runs it without exec"
)

_HANDED_OVER = regex(
    r"(?:^|[;&|({\n]|\b(?:then|do|else)\b)[ \t]*(?:\w+=\S*[ \t]+)*(?:trap[ \t]|exec[ \t]+(?!\d*[<>])\S)"
)
"""``exec`` with a program (so not ``exec 2>&1``), or ``trap``, where a command begins."""

_ONE_COMMAND = regex(r"(?!(?:cd|export|set|source|if|for|while|case|until|time)\b)[\w./-]+(?: [^;&|(){}`\n]*)?")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Shell texts in which no program replaces the shell."""
    if not view.job.pods:
        return
    for role in view.job.roles:
        shell = command_of(view, role).shell
        if shell is not None and not _HANDED_OVER.search(view.literal(shell)):
            diagnostic = RULE(shell.span).help("write exec before the last command, for example: exec python train.py")
            yield _with_fix(diagnostic, shell)


def _with_fix(diagnostic: Diagnostic, shell: Value) -> Diagnostic:
    text = as_written(shell)
    if text is None or not _ONE_COMMAND.fullmatch(text):
        return diagnostic
    start = shell.span.start + 1
    return diagnostic.fix("add exec", Edit(Span(shell.span.source, start, start), "exec "))
