"""What each task of a job will see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfdsl.api.asking import argument, target_of
from tfdsl.api.compiling import Source, loaded_of
from tfdsl.api.errors import usage_error
from tfdsl.api.failing import compile_error
from tfdsl.api.loaded import Call, outcome
from tfdsl.api.values import Value
from tfdsl.backend import TaskConfig
from tfdsl.compiling import output_files, pipeline

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, slots=True)
class Task:
    """What one task will see.

    ``tf_config``: its TF_CONFIG; ``None`` where none is set, or the job sets it to what is not a JSON object (a Secret,
    another text), which ``differences`` says. ``flags``: what is appended to its arguments.
    ``differences``: where the target's own TF_CONFIG differs from the one of the language, in words.
    """

    job: str
    role: str
    index: int
    tf_config: dict[str, Any] | None
    flags: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()


def tfconfig(
    source: Source | None = None,
    target: str | None = None,
    task: str | None = None,
    *,
    text: str | None = None,
    base: str | os.PathLike[str] | None = None,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    params_file: str | os.PathLike[str] | None = None,
    options: Mapping[str, Value] | None = None,
    job: str | None = None,
    name: str | None = None,
) -> tuple[Task, ...]:
    """What the tasks of a job will see on a target, roles in order, indexes ascending.

    ``task``: only this role (``worker``), or this task (``worker[0]``). The other arguments are those of
    :func:`compile`.

    Raises:
        CompileError: The job has errors, the target refuses something, or there is no such task.
        UsageError: There is no such target or version, or ``task`` does not name a task.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    if target is None:
        raise TypeError("tfconfig() needs a target")
    choice = target_of(target)
    wanted = None if task is None else output_files.task_name(task, argument("task", task))
    if not isinstance(wanted, output_files.TaskName | None):
        raise usage_error(wanted)
    loaded = loaded_of(source, text, base, profile, params, params_file)
    done = outcome(loaded, Call(choice, options or {}, job, name))
    if pipeline.has_errors(done.diagnostics):
        raise compile_error(f"cannot compile {loaded.path} for {target}", done.diagnostics)
    found = [(one, config) for one in done.made for config in output_files.tasks_of(choice.backend, one, wanted)]
    if wanted is not None and not found:
        raise compile_error(f"cannot show {task} of {loaded.path}", [wanted.missing(done.made)])
    return tuple(_task(one.unit.job.name, config) for one, config in found)


def _task(job: str, config: TaskConfig) -> Task:
    value = None if config.tf_config is None else output_files.json_object(config.tf_config)
    own = () if config.tf_config is None or value is not None else (f"TF_CONFIG is {config.tf_config}",)
    return Task(job, config.role, config.index, value, config.flags, (*config.differences, *own))
