"""``tfdsl simulate``: how a job ends when something happens to it, by the language and on each target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import TEXT_OR_JSON, Arguments, Command, Flag, Positional
from tfdsl.cli.inputs import named_files
from tfdsl.cli.report import OK, USAGE, report, wrong_use
from tfdsl.cli.streams import err, out
from tfdsl.compiling.front_end import Input
from tfdsl.compiling.pipeline import Choice
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.usage_rules import BAD_ARGUMENT

if TYPE_CHECKING:
    from tfdsl.simulating import Faults

ALL_TARGETS = Flag("--all-targets", "every target that the job compiles for")
INJECT = Flag("--inject", "something that happens: 'worker[1] exit 137 after 20s'", value="EVENT", many=True)

COMMAND = Command(
    "simulate",
    "predict how a job ends on each target when something happens to it",
    (Positional("FILE", "a .tfjob file, a job as JSON, or - for standard input"),),
    (
        chosen.TARGET,
        ALL_TARGETS,
        INJECT,
        chosen.JOB,
        chosen.NAME,
        chosen.PROFILE,
        chosen.PARAMS,
        chosen.SET,
        chosen.OPTION,
        chosen.ALLOW_READ,
        TEXT_OR_JSON,
    ),
    (
        "tfdsl simulate mnist.tfjob -t volcano",
        "tfdsl simulate mnist.tfjob --inject 'worker[1] exit 137 after 20s'",
        "tfdsl simulate mnist.tfjob -t tfjob -t volcano@1.9 --inject 'worker evicted' --inject 'worker[0] exit 1'",
    ),
    "An event is REPLICA WHAT [after TIME] [always]. REPLICA: worker (all of them), worker[1] or worker[0..3].\n"
    "WHAT: exit STATUS, oom, evicted, preempted, node lost, completed or pending; unknown alone is about the job.\n"
    "All events of a command line happen to one job. Without --inject the usual ones are played one by one.\n"
    "Without -t: the targets that the project sets (tfdsl.toml), else those that the job has blocks for, else every\n"
    "target that it compiles for.",
)


def run(arguments: Arguments) -> int:
    """Play what is injected, and print what comes of it."""
    picked = chosen.selection(arguments)
    errors = list(picked.errors)
    everywhere = arguments.value(ALL_TARGETS.name)
    if everywhere is not None and picked.choices:
        errors.append(BAD_ARGUMENT(everywhere.span, what="--all-targets cannot be used with --target"))
    if errors:
        return wrong_use(errors, "text", "tfdsl simulate --help", picked.hidden)
    named = named_files(arguments.rest[:1])
    if named.unreadable:
        report(named.unreadable, ())
        return USAGE
    faults = injected(arguments)
    if isinstance(faults, list):
        return report(faults, (), hidden=picked.hidden)
    from tfdsl.compiling.front_end import read

    given = read(named.sources[0], chosen.inputs(arguments, named.sources[0]))
    picked = picked if everywhere is not None else chosen.in_project(picked, given)
    if picked.errors:
        return report(picked.errors, (), hidden=picked.hidden)
    if not picked.choices and (unusable := chosen.unusable(arguments)):
        return report(unusable, ())
    return _show(arguments, picked, given, faults)


def injected(arguments: Arguments) -> Faults | list[Diagnostic] | None:
    """What ``--inject`` says, ``None`` without it, or what is wrong with it."""
    from tfdsl.lifecycle.faults import Injected, parse

    read = [parse(one.text, one.span) for one in arguments.values(INJECT.name)]
    faults = tuple(one for one in read if isinstance(one, Injected))
    if len(faults) < len(read):
        return [one for one in read if not isinstance(one, Injected)]
    return faults or None


def _show(arguments: Arguments, picked: chosen.Selection, given: Input, faults: Faults | None) -> int:
    from tfdsl.cli import simulate_text
    from tfdsl.simulating import simulated

    choices = picked.choices or _every(arguments, given)
    simulation = simulated(given, picked.request, choices, faults, named=bool(picked.choices))
    if not simulation.jobs:
        return report(simulation.diagnostics, (), hidden=picked.hidden)
    if arguments.text(TEXT_OR_JSON.name) == "json":
        out(simulate_text.json(simulation, picked.hidden))
        return OK
    if simulation.refused:
        err(f"not shown, because the job does not compile for it: {', '.join(simulation.refused)}\n")
    if simulation.unknown:
        err(f"not shown, because tfdsl does not know how jobs end there: {', '.join(simulation.unknown)}\n")
    out(simulate_text.text(simulation, picked.hidden, one_by_one=faults is None))
    return OK


def _every(arguments: Arguments, given: Input) -> Sequence[Choice]:
    if arguments.on(ALL_TARGETS.name):
        return chosen.every_target()
    from tfdsl.tracing.forward import choices_for

    return choices_for(given)
