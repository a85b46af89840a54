"""What a role or step runs, as lint rules see it: the words of a list, or the text that a shell runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.semantics import resolved
from tfdsl.semantics.values import ListData, Value

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView

_SHELL = regex(r"(?:.*/)?(?:ba|da|a)?sh")
_TAKES_TEXT = regex(r"-[a-z]*c")


class Command(Record):
    """``words``: the program and its arguments, one by one; ``shell``: the text that a shell runs, if any.

    With a shell text, ``words`` are its arguments.
    """

    words: tuple[Value, ...]
    shell: Value | None = None

    @property
    def texts(self) -> tuple[Value, ...]:
        """All of it."""
        return self.words if self.shell is None else (self.shell, *self.words)


def command_of(view: JobView, runner: resolved.Role | resolved.Step) -> Command:
    """The command and args of a role or step; empty if the compiler writes the command (TensorBoard, a server)."""
    if isinstance(runner, resolved.Role) and (runner.name == "tensorboard" or runner.data("server") is True):
        return Command(())
    args = tuple(view.texts(runner, "args"))
    command = tuple(view.texts(runner, "command"))
    if not isinstance(runner.data("command"), ListData):
        return Command(args, command[0]) if command else Command(args)
    words = (*command, *args)
    if words and _SHELL.fullmatch(view.literal(words[0])):
        for at, word in enumerate(words[1:-1], 2):
            if _TAKES_TEXT.fullmatch(view.literal(word)):
                return Command(words[at + 1 :], words[at])
    return Command(words)


def as_written(value: Value) -> str | None:
    """The text of ``value`` if the file has exactly that between quotes (an edit may split it), else ``None``."""
    text = value.span.text
    return value.data if isinstance(value.data, str) and text == f'"{value.data}"' else None


def short(text: str) -> str:
    """``text`` in quotes for a message, cut off if it is long."""
    line = text.strip().partition("\n")[0]
    return f'"{line[:39]}…"' if len(line) > 40 or line != text.strip() else f'"{line}"'
