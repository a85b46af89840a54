"""``tfdsl tfconfig``: the cluster spec that each task will see on a target."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl import pipeline
from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import Command, Positional
from tfdsl.cli.inputs import named_files
from tfdsl.cli.report import ERRORS, OK, USAGE, report, wrong_use
from tfdsl.cli.streams import err, out
from tfdsl.diagnostics.usage_rules import BAD_ARGUMENT, NO_SUCH_TASK
from tfdsl.record import Record
from tfdsl.vocabulary.roles import ROLE_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tfdsl.backend import Backend, TaskConfig
    from tfdsl.cli.arguments import Arguments, Given
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.pipeline import Made
    from tfdsl.semantics.project import Program

COMMAND = Command(
    "tfconfig",
    "show the cluster spec that each task will see",
    (
        Positional("FILE", "a .tfjob file, or - for standard input"),
        Positional("ROLE[INDEX]", "only this role, or this task of it", required=False),
    ),
    (chosen.TARGET, chosen.JOB, chosen.PROFILE, chosen.SET, chosen.OPTION, chosen.ALLOW_READ),
    ("tfdsl tfconfig mnist.tfjob -t volcano", "tfdsl tfconfig mnist.tfjob -t tfjob 'worker[0]'"),
    "Without -t every target is shown that the job compiles for.",
)

_TASK = re.compile(r"([a-z]+)(?:\[(\d{1,9})\])?")


class _Wanted(Record):
    """The tasks to show; ``index`` ``None``: all of the role."""

    role: str
    index: int | None
    given: Given


def run(arguments: Arguments) -> int:
    """Print the tasks, target by target."""
    picked = chosen.selection(arguments)
    errors = list(picked.errors)
    wanted = _task(arguments.rest[1], errors) if len(arguments.rest) > 1 else None
    if errors:
        return wrong_use(errors, "text", "tfdsl tfconfig --help", picked.hidden)
    sources, unreadable = named_files(arguments.rest[:1])
    if unreadable:
        report(unreadable, ())
        return USAGE
    program = pipeline.load(sources[0], chosen.inputs(arguments, sources[0]))
    absent = chosen.missing(arguments, program)
    if absent:
        return report(absent, ())
    if picked.choices:
        return _show(program, picked, wanted)
    return _show_what_compiles(program, picked, wanted)


def _task(given: Given, errors: list[Diagnostic]) -> _Wanted | None:
    match = _TASK.fullmatch(given.text)
    if match is None or match.group(1) not in ROLE_NAMES:
        roles = ", ".join(ROLE_NAMES)
        errors.append(
            BAD_ARGUMENT(given.span, what=f"{given.text} is no task; write ROLE or ROLE[INDEX], with {roles}")
        )
        return None
    index = match.group(2)
    return _Wanted(match.group(1), None if index is None else int(index), given)


def _show(program: Program, picked: chosen.Selection, wanted: _Wanted | None) -> int:
    outcome = pipeline.compile_program(program, picked.request, picked.choices)
    if pipeline.has_errors(outcome.diagnostics):
        return report(outcome.diagnostics, (), hidden=picked.hidden)
    return _print(outcome.made, outcome.targets, wanted)


def _show_what_compiles(program: Program, picked: chosen.Selection, wanted: _Wanted | None) -> int:
    request = picked.request
    made: list[Made] = []
    targets: list[Backend] = []
    refused: list[str] = []
    for choice in chosen.every_target():
        outcome = pipeline.run(program, request, [choice])
        if pipeline.has_errors(outcome.diagnostics):
            refused.append(choice.backend.name)
        else:
            made += outcome.made
            targets += outcome.targets
    if not targets:
        outcome = pipeline.compile_program(program, request, ())
        if pipeline.has_errors(outcome.diagnostics):
            return report(outcome.diagnostics, (), hidden=picked.hidden)
    if refused:
        err(f"not shown, because the job does not compile for them: {', '.join(refused)}\n")
    return _print(made, targets, wanted) if targets else ERRORS


def _print(made: Sequence[Made], targets: Sequence[Backend], wanted: _Wanted | None) -> int:
    by_name = {backend.name: backend for backend in targets}
    blocks: list[str] = []
    for one in made:
        tasks = [task for task in by_name[one.unit.target].load().tasks(one.unit) if _is_wanted(task, wanted)]
        if tasks:
            head = f"# {one.unit.job.name} on {one.unit.target} {one.unit.shown_version}\n"
            blocks.append(head + "".join(_lines(tasks)))
    if not blocks and wanted is not None:
        names = " or ".join(dict.fromkeys(one.unit.job.name for one in made))
        return report([NO_SUCH_TASK(wanted.given.span, job=names, name=wanted.given.text)], ())
    out("\n".join(blocks))
    return OK


def _is_wanted(task: TaskConfig, wanted: _Wanted | None) -> bool:
    return wanted is None or (task.role == wanted.role and wanted.index in (None, task.index))


def _lines(tasks: Iterable[TaskConfig]) -> Iterable[str]:
    for task in tasks:
        yield f"{task.role}[{task.index}]\n"
        yield f"  TF_CONFIG={task.tf_config}\n" if task.tf_config is not None else "  no TF_CONFIG\n"
        yield from (f"  {flag}\n" for flag in task.flags)
        yield from (f"  differs: {difference}\n" for difference in task.differences)
