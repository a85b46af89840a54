"""What the commands that speak with a cluster have in common: which jobs are meant, where, and how errors end them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from tfdsl.backend import Backend
from tfdsl.backend.cluster import Place
from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import Arguments, Flag, Positional, quote
from tfdsl.cli.report import refuse, report
from tfdsl.cli.streams import Ended, err
from tfdsl.compiling import pipeline
from tfdsl.compiling.front_end import choice_of, compiled, hidden_with, project_of
from tfdsl.compiling.masking import Hidden, hide
from tfdsl.compiling.pipeline import Output
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, MISSING_ARGUMENT
from tfdsl.diagnostics.render.columns import line_of
from tfdsl.operating.problem import ProblemError
from tfdsl.operating.session import Session, placed
from tfdsl.record import Record, replace
from tfdsl.semantics.request import Choice
from tfdsl.text import Argument
from tfdsl.vocabulary.quantities import Duration
from tfdsl.writing import Orderly

WHICH = Positional(
    "FILE|TARGET/NAME", "a .tfjob file, a job or a flow as JSON, or -; or a job that is there, as volcano/mnist"
)
NAMESPACE = Flag("--namespace", "the namespace, if the job names none", short="-n", value="NAME")
CONTEXT = Flag("--context", "the context of kubectl", value="NAME")
KUBECONFIG = Flag("--kubeconfig", "the configuration of kubectl", value="FILE")
ID = Flag("--id", "the number of the job on its cluster, if several have its name", value="ID")
DRY_RUN = Flag("--dry-run", "print the client's commands, and change nothing")
TIMEOUT = Flag("--timeout", "give up after this time: 90s, 2h", value="DURATION")
OF_CLUSTERS = (chosen.TARGET, NAMESPACE, CONTEXT, KUBECONFIG, ID, *chosen.OF_JOBS, chosen.ALLOW_READ)
"""Options of all commands that speak with a cluster."""


class OnCluster(Record):
    """The jobs of a command line. ``hidden``: values that are not to be shown. ``made``: empty without a file."""

    sessions: tuple[Session, ...]
    hidden: Hidden
    made: tuple[Output, ...] = ()

    def say(self, text: str, write: Callable[[str], None] = err) -> None:
        """Write a line, of which a cluster may have said a part."""
        write(f"{line_of(hide(text, self.hidden))}\n")


def meant(arguments: Arguments, *, strict: bool = False, quiet: bool = True) -> OnCluster:
    """The jobs that the command line means; the command ends if that cannot be said.

    ``quiet``: only errors of the file are reported, not its warnings.
    """
    picked = chosen.selection(arguments)
    backend, name = _named(arguments.rest[0])
    if backend is not None:
        of_file = [
            argument for flag in (chosen.TARGET, *chosen.OF_JOBS) for argument in arguments.values(flag.name)[:1]
        ]
        what = "TARGET/NAME is a job without its file: options that choose a target or jobs of a file cannot follow"
        errors = [*picked.errors, *(BAD_ARGUMENT(argument.span, what=what) for argument in of_file[:1])]
        refuse(errors, arguments, hidden=picked.hidden)
        session = _session(arguments, backend, _place(arguments, name))
        return OnCluster((session,), picked.hidden)
    file = chosen.opened(arguments, picked)
    project = project_of(file.source.origin, picked.choices, picked.allowed)
    refuse(_not_one(arguments, project.choices) if not project.problems else [], arguments)
    request = project.request(picked.request)
    outcome = compiled(file.given, request, project.choices, strict=strict or project.settings.strict)
    hidden = hidden_with(file.given, picked.hidden)
    diagnostics = [*project.problems, *outcome.diagnostics]
    wrong = pipeline.has_errors(diagnostics)
    shown = [
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.level == "error" or (diagnostic.level == "warning" and not quiet)
    ]
    if wrong or shown:
        status = report(shown, [file.source.path], hidden=hidden)
        if wrong:
            raise Ended(status)
    sessions = [
        _session(arguments, project.choices[0].backend, _place_of(arguments, made), made) for made in outcome.outputs
    ]
    return OnCluster(tuple(sessions), hidden, outcome.outputs)


def one_of(jobs: OnCluster, arguments: Arguments) -> Session:
    """The only job."""
    first, *others = jobs.sessions
    if others:
        names = ", ".join(session.place.name for session in jobs.sessions[:3])
        error = BAD_ARGUMENT(arguments.rest[0].span, what=f"the file has {len(jobs.sessions)} jobs: {names}, …")
        refuse([error.help("choose one: --job NAME")], arguments, hidden=jobs.hidden)
    return first


def of_target(arguments: Arguments) -> Session:
    """The cluster of a target, without a job."""
    picked = chosen.selection(arguments)
    choices = [*(picked.choices or project_of(None).choices)]
    refuse([*picked.errors, *_not_one(arguments, choices)], arguments, hidden=picked.hidden)
    return _session(arguments, choices[0].backend, _place(arguments))


def _named(argument: Argument) -> tuple[Backend | None, str]:
    """The target and the name of ``TARGET/NAME``; no target if it is a file."""
    target, slash, name = argument.text.partition("/")
    if not slash or not name or "/" in name or os.path.exists(argument.text):
        return None, ""
    choice = choice_of(target, argument.span)
    return (choice.backend, name) if isinstance(choice, Choice) else (None, "")


def _not_one(arguments: Arguments, choices: Sequence[Choice]) -> list[Diagnostic]:
    name = arguments.command.name
    if not choices:
        missing = MISSING_ARGUMENT(arguments.line, what=f"{name} needs a target: -t TARGET")
        return [missing.help("or name a job that is there: TARGET/NAME")]
    if len(choices) > 1:
        return [BAD_ARGUMENT(arguments.line, what=f"{name} needs one target, not {len(choices)}")]
    return []


def _place(arguments: Arguments, name: str = "") -> Place:
    flags = [
        word
        for flag in (CONTEXT, KUBECONFIG)
        for argument in arguments.values(flag.name)
        for word in (flag.name, argument.text)
    ]
    return Place(name, arguments.text(NAMESPACE.name), arguments.text(ID.name), tuple(flags))


def _place_of(arguments: Arguments, made: Output) -> Place:
    place = _place(arguments)
    options = tuple(argument.text for argument in arguments.rest[1:]) if arguments.command.name == "submit" else ()
    return replace(placed(place, made), options=options)


def _session(arguments: Arguments, backend: Backend, place: Place, made: Output | None = None) -> Session:
    with problems(arguments):
        session = Session(backend, place, () if made is None else made.documents)
    behind = max(arguments.dashes, 1)
    is_wrong = not session.cluster.OPTIONS or any(
        argument.text[:1] != "-" for argument in arguments.rest[behind : behind + 1]
    )
    wrong = arguments.rest[1 : None if is_wrong else behind] if place.options else []
    if wrong:
        what = f"unexpected argument {wrong[0].text}"
        takes = session.cluster.OPTIONS
        error = BAD_ARGUMENT(wrong[0].span, what=what)
        refuse([error.help(f"options of {takes} go behind --") if takes else error], arguments)
    return session


@contextmanager
def problems(arguments: Arguments, hidden: Hidden | None = None) -> Generator[None]:
    """Report what cannot be done on the cluster, and end the command. A signal to end ends the clients, too."""
    try:
        with Orderly() as signals, signals.at_once():
            yield
    except ProblemError as problem:
        place = arguments.rest[0].span if arguments.rest else arguments.line
        report([problem.at(place)], (), hidden=hidden)
        raise Ended(problem.status) from problem


def timeout_of(arguments: Arguments) -> float | None:
    """The seconds of ``--timeout``."""
    argument = arguments.value(TIMEOUT.name)
    if argument is None:
        return None
    return duration(TIMEOUT.name, argument, arguments)


def duration(name: str, argument: Argument, arguments: Arguments) -> float:
    """A duration in seconds; the command ends if it is not one."""
    try:
        return Duration(argument.text).ms / 1000
    except ValueError:
        what = f"{name} needs a duration such as 10m, not {argument.text}"
        refuse([BAD_ARGUMENT(argument.span, what=what)], arguments)
        raise AssertionError from None


def next_commands(session: Session, arguments: Arguments) -> list[str]:
    """How to go on with a job or flow that was submitted."""
    place = session.place
    where = [*(["-n", place.namespace] if place.namespace else []), *place.flags]
    words = ("status", "logs", "cancel")
    if place.flow is not None:  # which jobs it has is in its file
        return [chosen.again(arguments, word, *where) for word in words]
    return [" ".join(map(quote, ["tfdsl", word, session.name, *where])) for word in words]


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return bool(sys.stdout) and sys.stdout.isatty()
