"""A shell operator in a list.

## Why

No shell reads a list: `>`, `|` and `&&` are passed to the program as arguments, and so is everything after them.

## Bad

```tfjob
job mnist {
  image   = "registry.example.com/mnist:1.4"
  command = ["python", "train.py", ">", "/tmp/log"]
  role worker { }
}
```

## Good

```tfjob
job mnist {
  image   = "registry.example.com/mnist:1.4"
  command = "exec python train.py > /tmp/log"
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

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

RULE = Rule("TFJ3103", "shell-operator-in-list", "warning", "{word} is passed to the program: no shell reads a list")

_OPERATOR = regex(r"&&?|\|[|&]?|;|<|\d?>>?(?:&\d|[/.]\S*)?|&>>?\S*")
_OPTION = regex(r"--?[A-Za-z][\w-]*")


def check_job(view: JobView) -> Iterator[Diagnostic]:
    """The first operator in each list that is not the value of an option (``["--sep", "|"]``, ``find -exec … ;``)."""
    for runner in view.runners():
        words = command_of(view, runner).words
        texts = [view.literal(word) for word in words]
        for at, word in enumerate(words):
            if _OPERATOR.fullmatch(texts[at]) and not _is_argument(texts, at):
                diagnostic = RULE(word.span, word=f'"{texts[at]}"')
                yield diagnostic.help('write the command as one text: command = "exec python train.py > log"')
                break


def _is_argument(texts: list[str], at: int) -> bool:
    if texts[at] == ";" and any(text.startswith("-exec") for text in texts[:at]):
        return True
    ends = at + 1 == len(texts) or texts[at + 1].startswith("-")
    return ends and at > 0 and _OPTION.fullmatch(texts[at - 1]) is not None
