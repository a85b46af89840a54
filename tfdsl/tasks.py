"""The tasks of a job by name, ``worker`` or ``worker[0]``, and what each of them will see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.usage_rules import BAD_ARGUMENT, NO_SUCH_TASK
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.vocabulary.attributes import ROLE_NAMES

if TYPE_CHECKING:
    from typing import Any

    from tfdsl.backend import Backend, TaskConfig
    from tfdsl.pipeline import Made
    from tfdsl.text import Span

_TASK = regex(r"([a-z]+)(?:\[(\d{1,9})\])?")


class TaskName(Record):
    """Tasks of a role; ``index`` ``None``: all of them. ``place``: where they are named."""

    role: str
    index: int | None
    place: Span

    def missing(self, made: Iterable[Made]) -> Diagnostic:
        """That none of the jobs has such a task."""
        names = " or ".join(dict.fromkeys(one.unit.job.name for one in made))
        return NO_SUCH_TASK(self.place, job=names, name=self.place.text)


def task_name(text: str, place: Span) -> TaskName | Diagnostic:
    """What ``worker`` or ``worker[0]`` names, or why it names no task."""
    match = _TASK.fullmatch(text)
    if match is None or match.group(1) not in ROLE_NAMES:
        roles = ", ".join(ROLE_NAMES)
        return BAD_ARGUMENT(place, what=f"{text} is not a task; write ROLE or ROLE[INDEX], with {roles}")
    index = match.group(2)
    return TaskName(match.group(1), None if index is None else int(index), place)


def tasks_of(backend: Backend, made: Made, name: TaskName | None) -> list[TaskConfig]:
    """What the tasks of one job will see, all of them or those of that name."""
    return [
        task
        for task in backend.load().tasks(made.unit)
        if name is None or (task.role == name.role and name.index in (None, task.index))
    ]


def json_object(text: str) -> dict[str, Any] | None:
    """The object in a TF_CONFIG, which the job may have written itself; ``None`` for anything else."""
    import json

    try:
        value: object = json.loads(text, parse_constant=_not_json)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _not_json(word: str) -> float:
    raise ValueError(f"{word} is a word of Python's reader, not of JSON")
