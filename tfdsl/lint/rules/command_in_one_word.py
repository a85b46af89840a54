"""A whole command in one word of a list.

## Why

The words of a list go to the program as they are; nothing splits them at blanks. `["python train.py"]` asks for a
program whose name has a blank in it, and `args = ["--steps 5"]` gives the program one argument that it does not know.

## Bad

```tfjob
job mnist {
  image   = "registry.example.com/mnist:1.4"
  command = ["python train.py --steps 5"]
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image   = "registry.example.com/mnist:1.4"
  command = ["python", "train.py", "--steps", "5"]
  role worker { }
}
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Rule
from tfdsl.lint.commands import as_written, command_of, short
from tfdsl.semantics.values import ListData

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lint.view import JobView
    from tfdsl.semantics.values import Value

RULE = Rule("TFJ3102", "command-in-one-word", "warning", "{word} {problem}")

_PROGRAM = re.compile(r"\S+\s+\S.*", re.S)
_FLAG = re.compile(r"--?[A-Za-z][\w-]*\s+\S.*", re.S)
_OPTION = re.compile(r"--?[A-Za-z][\w-]*")
_PLAIN = re.compile(r"[\w./:=,@%+ -]+")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Programs with a blank in their name, and flags with a blank behind them."""
    for role in view.job.roles:
        command = command_of(view, role)
        if command.shell is not None:
            continue
        if isinstance(role.data("command"), ListData):
            yield from _program(view, command.words)
        for before, word in zip((None, *command.words), command.words, strict=False):
            is_value = before is not None and _OPTION.fullmatch(view.literal(before))
            if _FLAG.fullmatch(view.literal(word)) and not is_value:
                yield _split(word, RULE(word.span, word=short(view.shown(word)), problem="is passed as one argument"))
    entrypoint = view.job.build.settings.get("entrypoint") if view.job.build is not None else None
    if entrypoint is not None and isinstance(entrypoint.value.data, ListData):
        yield from _program(view, entrypoint.value.data.items)


def _program(view: JobView, words: tuple[Value, ...]) -> Iterator[Diagnostic]:
    if words and _PROGRAM.fullmatch(view.literal(words[0])):
        found = RULE(words[0].span, word=short(view.shown(words[0])), problem="is taken for the name of a program")
        yield _split(words[0], found)


def _split(word: Value, found: Diagnostic) -> Diagnostic:
    text = as_written(word)
    if text is None or not _PLAIN.fullmatch(text):
        return found.help('write one word per element, or the command as a text: command = "python train.py"')
    words = ", ".join(f'"{one}"' for one in text.split())
    return found.help("write one word per element").replacing(f"write {words}", words)
