"""The command of TensorBoard: what it shows is the ``logdir`` of its role."""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.draft import Attribute
from tfdsl_backends.podspec.expansion import Scope
from tfdsl_backends.podspec.reading import commands
from tfdsl_backends.podspec.reading.commands import Words
from tfdsl_backends.podspec.reading.texts import value


def board(words: Words, port: int, scope: Scope) -> Iterator[Attribute]:
    """``logdir`` where the command is the compiler's for it, else the command; it needs a ``logdir`` all the same."""
    folder = _folder([*words.command, *words.args])
    logdir = value(folder, scope) if folder else None
    if logdir is not None:
        yield Attribute("logdir", logdir, words.spans[0] if words.spans is not None else None)
    usual = ("tensorboard", "--logdir", folder, "--bind_all", "--port", str(port))
    if words.args or words.command != usual:
        yield from commands.statements(words, scope, flags=False)


def _folder(words: list[str]) -> str | None:
    for number, word in enumerate(words):
        if word == "--logdir" and number + 1 < len(words):
            return words[number + 1]
        if word.startswith("--logdir="):
            return word.removeprefix("--logdir=")
    return None
