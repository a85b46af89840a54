"""The literal parts of texts, whose other parts are known only when a task runs."""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.ir.model import Job, Role, RunTimeText, Step, Text


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


def with_steps(role: Role) -> tuple[Role | Step, ...]:
    """All that runs in a task: its command, and its steps."""
    return role, *role.steps


def command_words(runs: Role | Step) -> tuple[Text, ...]:
    """The words of the command of a role or step, or its text."""
    return runs.command if isinstance(runs.command, tuple) else (runs.command,)


def _process_literals(job: Job, role: Role) -> Iterator[str]:
    """Every literal part of a text that reaches the processes of ``role``."""
    texts: list[object] = [job.checkpoint, role.logdir]
    for runs in with_steps(role):
        texts += [runs.workdir, *runs.args, *runs.env.values(), *command_words(runs)]
    for text in texts:
        parts = text.parts if isinstance(text, RunTimeText) else (text,)
        yield from (part for part in parts if isinstance(part, str))


def mentions_hdfs(job: Job) -> bool:
    """Whether a text that reaches a process has an ``hdfs://`` URI."""
    return any("hdfs://" in part for role in job.roles for part in _process_literals(job, role))
