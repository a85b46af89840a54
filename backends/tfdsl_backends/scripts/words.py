"""Texts as words of the job script, also those with values that are known only when a task runs."""

from __future__ import annotations

from collections.abc import Mapping

from tfdsl.emit import shell
from tfdsl.emit.script import Quoted
from tfdsl.ir.model import EnvValue, EnvVar, RunTimeText, TaskIndex, Text

INDEX = "TFJOB_INDEX"
PORT = Quoted('"$TFJOB_PORT"')


def word(text: Text) -> Quoted:
    """``text`` as one word of a shell; run-time values become variables in double quotes."""
    if isinstance(text, str):
        return Quoted(shell.quote(text))
    parts = [shell.quote(part) if isinstance(part, str) else f'"${{{variable(part)}-}}"' for part in text.parts]
    return Quoted("".join(parts) or "''")


def resolved(text: Text, env: Mapping[str, EnvValue], within: frozenset[str] = frozenset()) -> Text:
    """``text`` with the values of the variables that ``env`` sets, so that only those of the node are left.

    The script itself never has the variables of ``env``. A variable that refers to itself (``within``) is the node's:
    ``PATH = "/opt/bin:${env.PATH}"``.
    """
    if isinstance(text, str):
        return text
    parts: list[str | TaskIndex | EnvVar] = []
    for part in text.parts:
        value = env.get(part.name) if isinstance(part, EnvVar) and part.name not in within else None
        if isinstance(part, EnvVar) and isinstance(value, str | RunTimeText):
            inner = resolved(value, env, within | {part.name})
            parts.extend((inner,) if isinstance(inner, str) else inner.parts)
        else:
            parts.append(part)
    if all(isinstance(part, str) for part in parts):
        return "".join(map(str, parts))
    return RunTimeText(parts=tuple(parts))


def program_word(text: Text) -> Quoted:
    """The program text of a shell as one word.

    That shell expands the variables itself and never reads their values as code. The index, which is only digits, is
    replaced before the shell reads the text, so it works in single quotes too, as on the other targets.
    """
    if isinstance(text, str):
        return Quoted(shell.quote(text))
    pieces = [f"${{{part.name}}}" if isinstance(part, EnvVar) else part for part in text.parts]
    return word(text.but(parts=tuple(pieces)))


def variable(part: TaskIndex | EnvVar) -> str:
    """The variable of the script that holds a run-time value."""
    return part.name if isinstance(part, EnvVar) else INDEX
