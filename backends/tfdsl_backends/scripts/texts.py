"""Texts with values that only a running task knows: their literal parts, and words of a shell made of them.

Also what such texts are in a job: strings that reach a process, and archives that are sent along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tfdsl.emit import shell
from tfdsl.emit.located import child, entry
from tfdsl.emit.script import Quoted
from tfdsl.ir.cluster_spec import LongString, long_strings
from tfdsl.ir.model import EnvValue, EnvVar, Job, Role, RunTimeText, Step, TaskIndex, Text


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


def own_variables(role: Role) -> Iterator[tuple[str, str, EnvValue]]:
    """Path, name and value of each variable of the role and of its steps; what a step has from the role only once."""
    for name, value in role.env.items():
        yield entry(child(role.path, "env"), name), name, value
    for step in role.steps:
        for name, value in step.env.items():
            if role.env.get(name) != value:
                yield entry(child(step.path, "env"), name), name, value


def own_long_strings(role: Role) -> Iterator[LongString]:
    """Arguments and variables that Linux passes to no process: the task would end before its command begins."""
    inherited = {f"{step.path}.env[{name}]" for step in role.steps for name in step.env if name in role.env}
    strings = (long_string for runs in with_steps(role) for long_string in long_strings(runs))
    return (string for string in strings if string.path not in inherited)


SUFFIXES: Final = (".tar.gz", ".tgz", ".tar", ".zip")


def archive_suffix(source: Text) -> str:
    """The suffix that says how ``source`` is packed; empty if it is unknown."""
    return next((suffix for suffix in SUFFIXES if tail(source).endswith(suffix)), "")


def is_sent(source: Text) -> bool:
    """Whether ``source`` is a file of the submitter, not a URI that the task fetches."""
    return "://" not in head(source)


def sent_archives(job: Job, name: Callable[[int, str], str]) -> dict[str, str]:
    """The submitter's archives in order of first use: source → ``name(how many come before it, source)``."""
    names: dict[str, str] = {}
    for role in job.roles:
        for mount in role.mounts:
            if mount.kind == "archive" and isinstance(mount.source, str) and is_sent(mount.source):
                names.setdefault(mount.source, name(len(names), mount.source))
    return names
