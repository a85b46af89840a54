"""The literal parts of texts, whose other parts are known only when a task runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.ir.model import RunTimeText

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.ir.model import Job, Role, Text


def head(text: Text) -> str:
    """The text up to its first run-time value."""
    return _literal(text, 0)


def tail(text: Text) -> str:
    """The text after its last run-time value."""
    return _literal(text, -1)


def _literal(text: Text, at: int) -> str:
    if isinstance(text, str):
        return text
    part = text.parts[at] if text.parts else ""
    return part if isinstance(part, str) else ""


def shown(text: Text) -> str:
    """The text in a message, with ``${…}`` for each run-time value."""
    if isinstance(text, str):
        return text
    return "".join(part if isinstance(part, str) else "${…}" for part in text.parts)


def command_words(role: Role) -> tuple[Text, ...]:
    """The words of the role's command, or its text."""
    return role.command if isinstance(role.command, tuple) else (role.command,)


def _process_literals(job: Job, role: Role) -> Iterator[str]:
    """Every literal part of a text that reaches the processes of ``role``."""
    for text in (job.checkpoint, role.logdir, role.workdir, *role.args, *role.env.values(), *command_words(role)):
        parts = text.parts if isinstance(text, RunTimeText) else (text,)
        yield from (part for part in parts if isinstance(part, str))


def mentions_hdfs(job: Job) -> bool:
    """Whether a text that reaches a process has an ``hdfs://`` URI."""
    return any("hdfs://" in part for role in job.roles for part in _process_literals(job, role))
