"""``tfdsl tfconfig``: the cluster spec that each task will see on a target."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfdsl.backend import Backend, TaskConfig
from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import TEXT_OR_JSON, Argument, Arguments, Command, Positional
from tfdsl.cli.report import ERRORS, OK, document, end_if, report
from tfdsl.cli.streams import err, out
from tfdsl.compiling import pipeline
from tfdsl.compiling.front_end import Input, compiled
from tfdsl.compiling.front_end import run as run_input
from tfdsl.compiling.output_files import TaskName, json_object, task_name, tasks_of
from tfdsl.compiling.pipeline import Made
from tfdsl.diagnostics import Diagnostic
from tfdsl.record import Record

COMMAND = Command(
    "tfconfig",
    "show the cluster spec that each task will see",
    (
        Positional("FILE", "a .tfjob file, a job as JSON, or - for standard input"),
        Positional("ROLE[INDEX]", "only this role, or only this task of it", required=False),
    ),
    (
        chosen.TARGET,
        chosen.JOB,
        chosen.NAME,
        chosen.PROFILE,
        chosen.PARAMS,
        chosen.SET,
        chosen.OPTION,
        chosen.ALLOW_READ,
        TEXT_OR_JSON,
    ),
    ("tfdsl tfconfig mnist.tfjob -t volcano", "tfdsl tfconfig mnist.tfjob -t tfjob 'worker[0]'"),
    "Without -t: the targets that the project sets (tfdsl.toml), else every target that the job compiles for.",
)


class _Form(Record):
    """What is shown: of which tasks, and in which form."""

    wanted: TaskName | None
    json: bool


def run(arguments: Arguments) -> int:
    """Print the tasks, target by target."""
    picked = chosen.selection(arguments)
    errors: list[Diagnostic] = []
    wanted = _task(arguments.rest[1], errors) if len(arguments.rest) > 1 else None
    given = chosen.opened(arguments, picked, errors).given
    form = _Form(wanted, json=arguments.text(TEXT_OR_JSON.name) == "json")
    picked = chosen.in_project(picked, given)
    end_if(picked.errors, hidden=picked.hidden)
    if picked.choices:
        return _show(given, picked, form)
    end_if(chosen.unusable(arguments))
    return _show_what_compiles(given, picked, form)


def _task(argument: Argument, errors: list[Diagnostic]) -> TaskName | None:
    name = task_name(argument.text, argument.span)
    if isinstance(name, TaskName):
        return name
    errors.append(name)
    return None


def _show(given: Input, picked: chosen.Selection, form: _Form) -> int:
    outcome = compiled(given, picked.request, picked.choices)
    if pipeline.has_errors(outcome.diagnostics):
        return report(outcome.diagnostics, (), hidden=picked.hidden)
    return _print(outcome.made, outcome.targets, form)


def _show_what_compiles(given: Input, picked: chosen.Selection, form: _Form) -> int:
    request = picked.request
    made: list[Made] = []
    targets: list[Backend] = []
    refused: list[str] = []
    for choice in chosen.every_target():
        outcome = run_input(given, request, [choice])
        if pipeline.has_errors(outcome.diagnostics):
            refused.append(choice.backend.name)
        else:
            made += outcome.made
            targets += outcome.targets
    if not targets:
        outcome = compiled(given, request, ())
        if pipeline.has_errors(outcome.diagnostics):
            return report(outcome.diagnostics, (), hidden=picked.hidden)
    if refused and not form.json:
        err(f"not shown, because the job does not compile for it: {', '.join(refused)}\n")
    return _print(made, targets, form, refused) if targets else ERRORS


def _print(made: Sequence[Made], targets: Sequence[Backend], form: _Form, refused: Sequence[str] = ()) -> int:
    by_name = {backend.name: backend for backend in targets}
    found = [(one, tasks) for one in made if (tasks := tasks_of(by_name[one.unit.target], one, form.wanted))]
    if not found and form.wanted is not None:
        return report([form.wanted.missing(made)], ())
    out(_json(found, refused) if form.json else _text(found))
    return OK


# --- for people ------------------------------------------------------------------------------------------------


def _text(found: Iterable[tuple[Made, Iterable[TaskConfig]]]) -> str:
    heads = ((f"# {one.unit.job.name} on {one.unit.target} {one.unit.shown_version}\n", tasks) for one, tasks in found)
    return "\n".join(head + "".join(_lines(tasks)) for head, tasks in heads)


def _lines(tasks: Iterable[TaskConfig]) -> Iterable[str]:
    for task in tasks:
        yield f"{task.role}[{task.index}]\n"
        yield f"  TF_CONFIG={task.tf_config}\n" if task.tf_config is not None else "  no TF_CONFIG\n"
        yield from (f"  {flag}\n" for flag in task.flags)
        yield from (f"  differs: {difference}\n" for difference in task.differences)


# --- for programs ----------------------------------------------------------------------------------------------


def _json(found: Iterable[tuple[Made, Iterable[TaskConfig]]], refused: Sequence[str]) -> str:
    jobs: list[object] = [
        {
            "job": one.unit.job.name,
            "target": one.unit.target,
            "target_version": one.unit.shown_version,
            "tasks": [_data(task) for task in tasks],
        }
        for one, tasks in found
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
