"""What a file takes and makes, and what each task of its jobs will see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

from tfdsl.api.calls import Call, Compiling, ReadingJob, argument, asked_of, call_of, outcome, taking, target_of
from tfdsl.api.compiling import Source, loaded_of
from tfdsl.api.diagnostics import compile_error, usage_error
from tfdsl.backend import TaskConfig
from tfdsl.compiling import output_files, pipeline
from tfdsl.compiling.front_end import hidden_with
from tfdsl.compiling.jobs import FlowInfo as FoundFlow, JobInfo as FoundJob, ParamInfo, file_info
from tfdsl.compiling.masking import masked


@dataclass(frozen=True, slots=True)
class Param:
    """A param of a file.

    ``default``: without profile; ``value``: with the profile and the values that were given; ``None`` where there is
    none. A quantity or a duration is a ``str``. ``min``, ``max``, ``one_of``, ``pattern``: ``None`` where nothing is
    asked. ``path``, ``line``: where it is declared, which may be in an included file.
    """

    name: str
    type: str
    required: bool
    default: Any
    value: Any
    description: str
    min: Any
    max: Any
    one_of: list[Any] | None
    pattern: str | None
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile, with the values that it gives to params."""

    name: str
    values: dict[str, Any]
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class JobInfo:
    """A job of a file.

    ``name``: ``None`` where it depends on a param without a value. ``block``: the name of its block, as written.
    ``index``: of its combination; ``None`` without a matrix. ``roles``: how many replicas each has, without target
    blocks; ``None`` where that is not known. ``targets``: those that it has blocks for.
    """

    name: str | None
    block: str
    index: int | None
    roles: dict[str, int | None]
    targets: tuple[str, ...]
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A job that runs in a flow. ``after``: the jobs that it comes after, with ``ending`` as their end."""

    job: str
    after: tuple[str, ...]
    ending: str


@dataclass(frozen=True, slots=True)
class FlowInfo:
    """A flow of a file. ``schedule``: ``None`` if it has none. ``runs``: its jobs, those of a matrix one by one."""

    name: str
    schedule: str | None
    runs: tuple[RunInfo, ...]
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Info:
    """What a file takes and makes. ``includes``: the files that it includes, directly or indirectly."""

    path: str
    includes: tuple[str, ...]
    params: tuple[Param, ...]
    profiles: tuple[Profile, ...]
    jobs: tuple[JobInfo, ...]
    flows: tuple[FlowInfo, ...]


@taking(ReadingJob)
def info(
    source: Source | None = None,
    **given: Unpack[ReadingJob],
) -> Info:
    """The params, profiles, jobs and includes of a text, without compiling it.

    A param without a value is not an error here, nor is a mistake inside a job. The arguments are those of
    :func:`compile`.

    Raises:
        CompileError: The text has errors outside of its jobs.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    loaded = loaded_of(source, given, ReadingJob)
    asked = asked_of(loaded, Call(job=given.get("job")))
    found, errors = file_info(asked.given, asked.request)
    if found is None:
        raise compile_error(f"cannot read {loaded.path}", masked(errors, hidden_with(asked.given, asked.hidden)))
    return Info(
        found.path,
        found.includes,
        tuple(map(_param, found.params)),
        tuple(Profile(profile.name, dict(profile.values), *profile.place.path_and_line) for profile in found.profiles),
        tuple(map(_job, found.jobs)),
        tuple(map(_flow, found.flows)),
    )


def _param(param_info: ParamInfo) -> Param:
    asked = (param_info.low, param_info.high, param_info.one_of, param_info.pattern)
    return Param(
        param_info.name,
        param_info.type,
        param_info.required,
        param_info.default,
        param_info.value,
        param_info.description,
        *asked,
        *param_info.place.path_and_line,
    )


def _flow(flow: FoundFlow) -> FlowInfo:
    runs = tuple(RunInfo(run.job, run.after, run.ending) for run in flow.runs)
    return FlowInfo(flow.name, flow.schedule, runs, *flow.place.path_and_line)


def _job(found_job: FoundJob) -> JobInfo:
    return JobInfo(
        found_job.name,
        found_job.block,
        found_job.index,
        found_job.roles,
        found_job.targets,
        *found_job.place.path_and_line,
    )


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


@taking(Compiling)
def tfconfig(
    source: Source | None = None,
    target: str | None = None,
    task: str | None = None,
    **given: Unpack[Compiling],
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
    loaded = loaded_of(source, given)
    done = outcome(loaded, call_of(choice, given))
    if pipeline.has_errors(done.diagnostics):
        raise compile_error(f"cannot compile {loaded.path} for {target}", done.diagnostics)
    jobs = output_files.tasks_of(done, wanted)
    if wanted is not None and not jobs:
        raise compile_error(f"cannot show {task} of {loaded.path}", [wanted.missing([done])])
    return tuple(_task(job.name, config) for job in jobs for config in job.tasks)


def _task(job: str, config: TaskConfig) -> Task:
    value = None if config.tf_config is None else output_files.json_object(config.tf_config)
    own = () if config.tf_config is None or value is not None else (f"TF_CONFIG is {config.tf_config}",)
    return Task(job, config.role, config.index, value, config.flags, (*config.differences, *own))
