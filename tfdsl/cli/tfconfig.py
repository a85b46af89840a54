"""``tfdsl tfconfig``: the cluster spec that each task will see on a target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tfdsl.backend import TaskConfig
from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import FILE, TEXT_OR_JSON, Arguments, Command, Positional, right
from tfdsl.cli.report import ERRORS, OK, document, end_if, report
from tfdsl.cli.streams import err, out
from tfdsl.compiling import pipeline
from tfdsl.compiling.front_end import Input, compiled, run as run_input
from tfdsl.compiling.output_files import JobTasks, TaskName, json_object, task_name, tasks_of
from tfdsl.compiling.pipeline import Outcome
from tfdsl.diagnostics import Diagnostic

COMMAND = Command(
    "tfconfig",
    (
        FILE,
        Positional("ROLE[INDEX]", "only this role, or only this task of it", required=False),
    ),
    (
        chosen.TARGET,
        *chosen.OF_JOBS,
        chosen.ALLOW_READ,
        TEXT_OR_JSON,
    ),
    ("tfdsl tfconfig mnist.tfjob -t volcano", "tfdsl tfconfig mnist.tfjob -t tfjob 'worker[0]'"),
    "Without -t: the targets that the project sets (tfdsl.toml), else every target that the job compiles for. In the\n"
    "names of a flow's jobs, <run> is what tells its runs apart.",
)


def run(arguments: Arguments) -> int:
    """Print the tasks, target by target."""
    picked = chosen.selection(arguments)
    errors: list[Diagnostic] = []
    rights = right([task_name(argument.text, argument.span) for argument in arguments.rest[1:]], errors)
    given = chosen.opened(arguments, picked, errors).given
    picked = chosen.in_project(picked, given)
    end_if(picked.errors, hidden=picked.hidden)
    refused: list[str] = []
    if picked.choices:
        outcomes = [compiled(given, picked.request, picked.choices)]
    else:
        end_if(chosen.unusable(arguments))
        outcomes = list(_what_compiles(given, picked, refused))
    for outcome in outcomes:
        if pipeline.has_errors(outcome.diagnostics):
            return report(outcome.diagnostics, (), hidden=picked.hidden)
    as_json = arguments.text(TEXT_OR_JSON.name) == "json"
    if refused and not as_json:
        err(f"not shown, because the job does not compile for it: {', '.join(refused)}\n")
    return _print(outcomes, rights[0] if rights else None, refused, as_json=as_json)


def _what_compiles(given: Input, picked: chosen.Selection, refused: list[str]) -> Iterator[Outcome]:
    """What is made for each target that takes the job; if there is none, why."""
    for choice in chosen.every_target():
        outcome = run_input(given, picked.request, [choice])
        if pipeline.has_errors(outcome.diagnostics):
            refused.append(choice.backend.name)
        else:
            yield outcome
    if len(refused) == len(chosen.every_target()):
        yield compiled(given, picked.request, ())


def _print(outcomes: Sequence[Outcome], wanted: TaskName | None, refused: Sequence[str], *, as_json: bool) -> int:
    if not any(outcome.targets for outcome in outcomes):
        return ERRORS
    jobs = [job for outcome in outcomes for job in tasks_of(outcome, wanted)]
    if not jobs and wanted is not None:
        return report([wanted.missing(outcomes)], ())
    out(_json(jobs, refused) if as_json else _text(jobs))
    return OK


# --- for people ------------------------------------------------------------------------------------------------


def _text(jobs: Iterable[JobTasks]) -> str:
    heads = ((f"# {job.name} on {job.unit.target} {job.unit.shown_version}\n", job.tasks) for job in jobs)
    return "\n".join(head + "".join(_lines(tasks)) for head, tasks in heads)


def _lines(tasks: Iterable[TaskConfig]) -> Iterable[str]:
    for task in tasks:
        yield f"{task.role}[{task.index}]\n"
        yield f"  TF_CONFIG={task.tf_config}\n" if task.tf_config is not None else "  no TF_CONFIG\n"
        yield from (f"  {flag}\n" for flag in task.flags)
        yield from (f"  differs: {difference}\n" for difference in task.differences)


# --- for programs ----------------------------------------------------------------------------------------------


def _json(found: Iterable[JobTasks], refused: Sequence[str]) -> str:
    jobs: list[object] = [
        {
            "job": job.name,
            "target": job.unit.target,
            "target_version": job.unit.shown_version,
            "tasks": [_data(task) for task in job.tasks],
        }
        for job in found
    ]
    return document(1, {"jobs": jobs, "refused": list(refused)})


def _data(task: TaskConfig) -> object:
    text = task.tf_config
    return {
        "role": task.role,
        "index": task.index,
        "tf_config": None if text is None else json_object(text),
        "text": text,
        "flags": list(task.flags),
        "differences": list(task.differences),
    }
