"""Several words in one element of a command list.

## Why

The elements of a list reach the program as they are; nothing splits them at spaces. `["python train.py"]` asks for a
program with a space in its name, and `args = ["--steps 5"]` passes one argument that the program does not know.

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
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.commands import as_written, command_of, short
from tfdsl.patterns import regex
from tfdsl.semantics.values import ListData, Value

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3102", "command-in-one-word", "warning", "{word} {problem}")

_PROGRAM = regex(r"\S+\s+\S.*", re.S)
_FLAG = regex(r"--?[A-Za-z][\w-]*\s+\S.*", re.S)
_OPTION = regex(r"--?[A-Za-z][\w-]*")
_PLAIN = regex(r"[\w./:=,@%+ -]+")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """Programs with a space in their name, and flags with a space after them."""
    for runner in view.runners():
        command = command_of(view, runner)
        if command.shell is not None:
            continue
        if isinstance(runner.data("command"), ListData):
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
        diagnostic = RULE(words[0].span, word=short(view.shown(words[0])), problem="is used as the name of the program")
        yield _split(words[0], diagnostic)


def _split(word: Value, diagnostic: Diagnostic) -> Diagnostic:
    text = as_written(word)
    if text is None or not _PLAIN.fullmatch(text):
        return diagnostic.help('write one word per element, or the command as one text: command = "python train.py"')
    words = ", ".join(f'"{one}"' for one in text.split())
    return diagnostic.help("write one word per element").replacing(f"write {words}", words)
