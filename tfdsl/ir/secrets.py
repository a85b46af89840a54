"""Whether a job holds a secret as plain text, so that its files are for their owner only.

:mod:`tfdsl.semantics.secrets` finds those of a text, with their places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from tfdsl.ir import model
from tfdsl.vocabulary.secrets import in_command, in_words, is_secret, secret_in


def holds_secret(job: model.Job) -> bool:
    """Whether any text of ``job`` is a secret by its form or by the name that it is under."""
    parts: tuple[model.Job | model.Role, ...] = (job, *job.roles)
    maps = [job.common_labels, *(part.labels for part in parts), *(part.annotations for part in parts)]
    named = [pair for one in maps for pair in one.items()]
    running: list[model.Role | model.Step] = [*job.roles, *(step for role in job.roles for step in role.steps)]
    named += [(name, _fixed(value)) for one in running for name, value in one.env.items()]
    commands = [command for one in running for command in (one.command, one.args)]
    if job.build is not None:
        commands += [_step(step) for step in job.build.steps] + [job.build.entrypoint]
    return (
        any(is_secret(name, text) for name, text in named)
        or any(map(_in_command, commands))
        or any(secret_in(text) is not None for text in _texts(job.model_dump()))
    )


def _step(step: model.CopyStep | model.RunStep) -> model.Text:
    return step.command if isinstance(step, model.RunStep) else step.source


def _in_command(command: tuple[model.Text, ...] | model.Text) -> bool:
    if isinstance(command, tuple):
        return any(in_words([_fixed(word) for word in command]))
    return any(in_command(_fixed(command)))


def _fixed(value: model.EnvValue) -> str:
    """What is known of a text before it runs."""
    if isinstance(value, model.RunTimeText):
        return "".join(part if isinstance(part, str) else "${…}" for part in value.parts)
    return value if isinstance(value, str) else ""


def _texts(value: object) -> Iterator[str]:
    """Every text of dumped data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[str, object]", value).values():
            yield from _texts(item)
    elif isinstance(value, Iterable):
        for item in cast("Iterable[object]", value):
            yield from _texts(item)
