"""``tfdsl run``: run a job as processes of this machine."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from secrets import token_hex
from typing import TYPE_CHECKING

from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import FILE, Arguments, Command, Flag, right
from tfdsl.cli.report import ERRORS, OK, USAGE, refuse, report
from tfdsl.cli.streams import OutputFailed, columns, err, out, takes_colour
from tfdsl.compiling.front_end import Input, Ready
from tfdsl.compiling.jobs import PlainFlow, PlainFlows, PlainJob, plain_flows
from tfdsl.compiling.masking import masked
from tfdsl.diagnostics import Diagnostic, command_rules as run_rules
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, FAULT_FORM, NO_SUCH_TASK
from tfdsl.diagnostics.render import render
from tfdsl.diagnostics.suggest import closest, enumeration
from tfdsl.ir.model import Job
from tfdsl.lifecycle import faults
from tfdsl.lifecycle.behaviour import State
from tfdsl.lifecycle.faults import Injected
from tfdsl.lifecycle.flow import FlowMachine
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.running import preparing
from tfdsl.running.local_job import FIRST_PAUSE, LocalJob, Loop
from tfdsl.running.mounts import MountOptions, Volumes, given_mount
from tfdsl.running.preparing import OF_IMAGES, Prepared, Settings, scaled
from tfdsl.running.screen import Logs, Result, Screen, last_words, last_words_of_flow
from tfdsl.running.supervisor import NoTemporaryFolderError, Supervisor
from tfdsl.semantics import functions
from tfdsl.settings.finding import settings_for
from tfdsl.source_files import is_file_name, read
from tfdsl.text import Argument, Span
from tfdsl.vocabulary.attributes import MOST_REPLICAS, ROLE_NAMES, ROLES_BY_NAME
from tfdsl.vocabulary.quantities import Duration
from tfdsl.vocabulary.statements import FLOW, FLOW_RUN_VARIABLE

if TYPE_CHECKING:
    from tfdsl.ir.flow import Flow
    from tfdsl.running.table import LiveTable


SCALE = Flag("--scale", "start N replicas of a role, whatever the job says", value="ROLE=N", many=True)
INJECT = Flag("--inject", "a fault that happens, for example 'worker[1] exit 137 after 20s'", value="EVENT", many=True)
CPU = Flag("--cpu", "hide all GPUs")
PARALLEL = Flag("--parallel", "how many jobs run at the same time (default: 1; of a flow, all that may)", value="N")
TIMEOUT = Flag("--timeout", "end what still runs after this time: 90s, 2h", value="DURATION")
MOUNT = Flag("--mount", "mount a folder or file of this machine at a path of the job", value="PATH=DIR", many=True)
NO_MOUNTS = Flag("--no-mounts", "mount nothing")
ENV_FILE = Flag("--env-file", "take variables from a file of KEY=VALUE lines", value="FILE", many=True)
KEEP = Flag("--keep", "leave the folders of the run where they are at the end")
RESTART_DELAY = Flag(
    "--restart-delay",
    "the wait before the second restart in place; it doubles up to 5 minutes (default: 10s)",
    value="DURATION",
)
LOG_DIR = Flag("--log-dir", "also write what each task prints into a file of its own there", value="DIR")

_NO_TARGET = "run starts processes on this machine, whatever the target: it reads no block of a target"

COMMAND = Command(
    "run",
    (FILE,),
    (
        chosen.JOB,
        chosen.FLOW,
        chosen.NAME,
        chosen.PROFILE,
        chosen.PARAMS,
        chosen.SET,
        chosen.ALLOW_READ,
        SCALE,
        MOUNT,
        NO_MOUNTS,
        ENV_FILE,
        CPU,
        INJECT,
        PARALLEL,
        TIMEOUT,
        RESTART_DELAY,
        LOG_DIR,
        KEEP,
    ),
    (
        "tfdsl run mnist.tfjob",
        "tfdsl run mnist.tfjob --scale worker=1 --timeout 10m",
        "tfdsl run mnist.tfjob --inject 'chief[0] completed after 1s' --log-dir logs",
        "tfdsl run nightly.tfjob --flow nightly --parallel 2",
    ),
    "Several jobs, as of a matrix, run one after the other, those of a flow in its order. Ctrl-C asks the tasks to\n"
    "stop, a second one ends them.\n"
    "Exit status: 0 every job completed, 1 a job failed or cannot be started, 2 wrong use, 130 ended by Ctrl-C.",
    absent={"-t": _NO_TARGET, "--target": _NO_TARGET, "-O": _NO_TARGET, "--option": _NO_TARGET},
)


def run(arguments: Arguments) -> int:
    """Run the jobs of the command line."""
    picked = chosen.selection(arguments)
    options, wrong = options_of(arguments)
    file = chosen.opened(arguments, picked, wrong)
    project = settings_for(file.source.origin, allowed=picked.allowed)
    levels = {slug: level for slug, level in project.levels.items() if slug not in OF_IMAGES}
    request = replace(picked.request, scale=options.scale, levels=levels)
    found = plain_flows(file.given, request)
    shown = [
        diagnostic
        for diagnostic in found.diagnostics
        if diagnostic.level != "info" and diagnostic.rule.slug not in OF_IMAGES
    ]
    shown = [*project.problems, *shown]
    if not (found.beside or found.flows) or project.problems:
        return report(shown, (), hidden=picked.hidden)
    refuse(list(_several(found, arguments)), arguments, hidden=picked.hidden)
    flow = found.flows[0].flow if found.flows else None
    asked = found.beside if flow is None else [*found.flows[0].jobs.values()]
    jobs, impossible = _scaled(asked, file.given, options)
    refuse(impossible, arguments, hidden=picked.hidden)
    refuse(list(_missing([plain.job for plain in jobs], options, flow)), arguments, hidden=picked.hidden)
    mounts, wrong = mount_options(arguments, [plain.job for plain in jobs])
    refuse(wrong, arguments, hidden=picked.hidden)
    volumes = Volumes()
    if flow is not None:
        mounts = replace(mounts, flow=volumes)
    environment = os.environ | options.variables | ({} if flow is None else {FLOW_RUN_VARIABLE: name_of_run()})
    delay = FIRST_PAUSE if options.restart_delay is None else options.restart_delay.ms / 1000
    settings = Settings(environment, options.injected, options.cpu, mounts, arguments.on("--keep"), delay)
    gpus = preparing.devices(os.environ)
    prepared = [
        Prepared(plain, replace(settings, injected=faults.of_job(options.injected, plain.job.name)), gpus)
        for plain in jobs
    ]
    unused = [one for flow_found in found.flows for one in _not_used(flow_found)]
    diagnostics = [*shown, *unused, *(diagnostic for job in prepared for diagnostic in job.diagnostics)]
    _tell([diagnostic for diagnostic in diagnostics if diagnostic.level == "info"], picked)
    if report([diagnostic for diagnostic in diagnostics if diagnostic.level != "info"], (), hidden=picked.hidden) != OK:
        return ERRORS
    if options.log_dir is not None:
        refuse(made(options.log_dir), arguments, hidden=picked.hidden)
    return _Run(prepared, options, flow, volumes).run()


def _several(found: PlainFlows, arguments: Arguments) -> Iterable[Diagnostic]:
    """That a flow has to be chosen, where there are several, or jobs beside it."""
    names = [flow.flow.name for flow in found.flows]
    if names and (len(names) > 1 or found.beside):
        several = f"several flows: {enumeration(names)}" if len(names) > 1 else f"jobs beside flow {names[0]}"
        error = BAD_ARGUMENT(arguments.line, what=f"run runs one flow, and the file has {several}")
        yield error.help(f"write --flow {names[0]}, or --job NAME")


def _not_used(flow: PlainFlow) -> Iterable[Diagnostic]:
    """What a flow says and ``run`` does not do."""
    keys = (row.name for row in FLOW if row.name != "deadline")
    written = {name: span for name in keys if (span := flow.origins.written(name)) is not None}
    if written:
        place = next(iter(written.values()))
        yield run_rules.NOT_USED(place, what=enumeration(written), why="the flow runs once, now, on this machine")


def _scaled(jobs: Sequence[PlainJob], given: Input, options: Options) -> tuple[Sequence[PlainJob], list[Diagnostic]]:
    """``jobs`` with the replicas of ``--scale``, which those of a text have already; or why that cannot be."""
    if not options.scaled or not isinstance(given, Ready):
        return jobs, []
    try:
        return [replace(job, job=scaled(job.job, options.scale)) for job in jobs], []
    except ValueError as error:
        place = options.scaled[-1][1].span
        return jobs, [BAD_ARGUMENT(place, what=f"--scale gives a job that cannot be: {error}")]


def _played(value: Argument) -> Injected | Diagnostic:
    fault = faults.parse(value.text, value.span)
    if isinstance(fault, Injected) and fault.step:
        error = FAULT_FORM(fault.subject, what=f"run plays nothing that happens to a step, such as {fault.step}")
        return error.help("use tfdsl simulate, or let the step itself fail")
    return fault


def _missing(jobs: Sequence[Job], options: Options, flow: Flow | None) -> Iterable[Diagnostic]:
    """What the command line names and no job has."""
    for one in options.injected:
        error = faults.missing(one, jobs, flow=flow.name if flow is not None else "")
        if error is not None:
            yield error
    for name, argument in options.scaled:
        if options.scale[name] and not any(job.role(name) for job in jobs):
            yield NO_SUCH_TASK(argument.span, job=" or ".join(job.name for job in jobs), name=name)


def name_of_run() -> str:
    """A new name for a run of a flow, in the form of those that ``flow.sh`` makes."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{token_hex(4)}"


def _tell(infos: Sequence[Diagnostic], picked: chosen.Selection) -> None:
    """One line for each thing that the jobs say and that is not done."""
    once = list({(info.rule.code, info.span, info.message): info for info in infos}.values())
    err(render("concise", masked(once, picked.hidden)))


def _not_started(place: Span, error: OSError) -> Diagnostic:
    diagnostic = run_rules.NOT_STARTED(place, reason=error.strerror or str(error))
    is_temporary = isinstance(error, NoTemporaryFolderError)
    return diagnostic.help("set TMPDIR to a folder that can be written to") if is_temporary else diagnostic


class _Run:
    """One run of the command. ``flow``: that of the jobs, which decides when each begins."""

    def __init__(self, prepared: Sequence[Prepared], options: Options, flow: Flow | None, volumes: Volumes) -> None:
        self.prepared = prepared
        self.options = options
        self.volumes = volumes
        self.keep = any(one.settings.keep for one in prepared)
        self.machine = FlowMachine(flow) if flow is not None else None
        self.at_once = options.parallel or (1 if flow is None else len(prepared))
        self.by_name = {one.job.name: one for one in prepared}
        self.waiting = deque(self.machine.begin() if self.machine is not None else self.by_name)
        self.results: list[Result] = []
        self.logs: list[Logs] = []
        self.loop = Loop(lambda text: self.tell(f"{text}\n"))
        self.begun = 0
        self.table = self._table()
        self.write = out if self.table is None else self.table.write
        self.tell = err if self.table is None else self.table.write

    def run(self) -> int:
        """Run all jobs; returns the exit status."""
        flow = self.machine.flow if self.machine is not None else None
        limits = {"timeout": self.options.timeout, "flow's deadline": flow.deadline if flow is not None else None}
        try:
            with Supervisor(keep=self.keep) if flow is not None else nullcontext() as common:
                self.volumes.folder = common.scratch if common is not None else ""
                self.loop.run(self._next, self._over, self.at_once, limits)
        except (BrokenPipeError, OutputFailed):
            raise
        except OSError as error:
            return report([_not_started(self.prepared[max(self.begun - 1, 0)].origins.named_at, error)], ())
        finally:
            if self.table is not None:
                self.table.close()
            for logs in self.logs:
                logs.close()
        if self.machine is None:
            err(last_words(self.results, len(self.prepared) - self.begun))
            every = len(self.results) == len(self.prepared)
            return self._status(succeeded=every and all(result.succeeded for result in self.results))
        self.machine.stop(self.waiting)
        err(last_words_of_flow(self.machine, self.results))
        return self._status(succeeded=self.machine.outcome == "succeeded")

    def _next(self) -> LocalJob | None:
        """The next job, if there is one that may begin now."""
        if not self.waiting:
            return None
        prepared = self.by_name[self.waiting.popleft()]
        self.begun += 1
        screen = self._screen(prepared)
        if len(self.prepared) > 1:
            self.tell(f"job {prepared.job.name} begins\n")
        return prepared.begin(screen, self.loop, self.loop.timers)

    def _over(self, result: Result) -> None:
        self.results.append(result)
        if self.machine is not None:
            self.waiting.extend(self.machine.ended(result.job, result.outcome))

    def _screen(self, prepared: Prepared) -> Screen:
        prefix = self._prefix(prepared.job.name)
        logs = None
        if self.options.log_dir is not None:
            folder = root = self.options.log_dir.text
            if len(self.prepared) > 1:
                folder = os.path.join(folder, prepared.job.name)
                os.makedirs(folder, exist_ok=True)
            logs = Logs(folder, root, self.tell)
            self.logs.append(logs)
        redraw = self.table.changed if self.table is not None else lambda: None
        names, colour = prepared.names(), takes_colour(sys.stdout)
        return Screen(names, self.write, self.tell, prefix=prefix, colour=colour, logs=logs, redraw=redraw)

    def _table(self) -> LiveTable | None:
        """The table below the lines, on a terminal that can draw one."""
        if columns(sys.stdout) is None or columns(sys.stderr) is None or os.environ.get("TERM", "dumb") == "dumb":
            return None
        from tfdsl.running.table import LiveTable

        return LiveTable(sys.stdout, self.loop.timers, self._states, colour=takes_colour(sys.stdout))

    def _states(self) -> list[tuple[str, State]]:
        return [(self._prefix(one.job.name), one.machine.state) for one in self.loop.running]

    def _prefix(self, job: str) -> str:
        """What is before the names of the tasks of a job where several jobs run at once."""
        together = self.at_once > 1 or self.machine is not None
        return f"{job} " if together and len(self.prepared) > 1 else ""

    def _status(self, *, succeeded: bool) -> int:
        if self.loop.ended_by is not None:
            return 128 + self.loop.ended_by
        if not succeeded:
            return ERRORS
        return USAGE if any(logs.lost for logs in self.logs) else OK


_NUMBER = regex(r"[0-9]{1,9}")


class Options(Record):
    """What the command line says.

    ``scaled``: the roles of ``scale``, each with its place. ``variables``: of ``--env-file``.
    """

    scale: Mapping[str, int]
    scaled: tuple[tuple[str, Argument], ...]
    injected: tuple[Injected, ...]
    cpu: bool
    parallel: int | None
    timeout: Duration | None
    restart_delay: Duration | None
    log_dir: Argument | None
    variables: Mapping[str, str]


def options_of(arguments: Arguments) -> tuple[Options, list[Diagnostic]]:
    """The options, and what is wrong with them."""
    errors: list[Diagnostic] = []
    scaled = right(map(_roles_scaled, arguments.values("--scale")), errors)
    injected = right([_played(value) for value in arguments.values("--inject")], errors)
    options = Options(
        {role: replicas for role, replicas, _ in scaled},
        tuple((role, argument) for role, _, argument in scaled),
        tuple(injected),
        arguments.on("--cpu"),
        _parallel(arguments.value("--parallel"), errors),
        _duration("--timeout", arguments.value("--timeout"), 1, errors),
        _duration("--restart-delay", arguments.value("--restart-delay"), 0, errors),
        _folder(arguments.value("--log-dir"), errors),
        {name: value for given in arguments.values("--env-file") for name, value in _variables(given, errors).items()},
    )
    return options, errors


def mount_options(arguments: Arguments, jobs: Sequence[Job]) -> tuple[MountOptions, list[Diagnostic]]:
    """What is mounted, and what is wrong with it; the paths of ``jobs`` tell how a ``PATH=DIR`` is read."""
    errors: list[Diagnostic] = []
    known = {mount.at for job in jobs for role in job.roles for mount in role.mounts}
    rights = right(
        [given_mount(argument.text, argument.span, known) for argument in arguments.values("--mount")], errors
    )
    return MountOptions({mount.at: mount for mount in rights}, arguments.on("--no-mounts")), errors


def _variables(argument: Argument, errors: list[Diagnostic]) -> Mapping[str, str]:
    """The variables of a file. No message shows a line of it, for such files are where people keep their secrets."""
    source = read(argument.text)
    if isinstance(source, str):
        errors.append(BAD_ARGUMENT(argument.span, what=f"--env-file {argument.text or '(no name)'}: {source}"))
        return {}
    file = functions.read_env_file(source.text)
    for line, problem in file.problems.items():
        errors.append(BAD_ARGUMENT(argument.span, what=f"--env-file {argument.text}: line {line}: {problem}"))
    return file.values


def _roles_scaled(argument: Argument) -> tuple[str, int, Argument] | Diagnostic:
    role, equals, number = argument.text.partition("=")
    if not equals or role not in ROLE_NAMES:
        error = BAD_ARGUMENT(argument.span, what=f"--scale needs ROLE=N, not {argument.text or '(nothing)'}")
        near = closest(role, ROLE_NAMES) if equals else None
        return error.help(f"did you mean {near}?" if near else f"the roles are {enumeration(ROLE_NAMES)}")
    most = 1 if ROLES_BY_NAME[role].single else MOST_REPLICAS
    if _NUMBER.fullmatch(number) is None:
        what = f"--scale {role} needs a number of replicas from 0 to {most:,}, not {number or '(nothing)'}"
        return BAD_ARGUMENT(argument.span, what=what).help(f"write --scale {role}=1")
    replicas = int(number)
    if replicas > most:
        return BAD_ARGUMENT(argument.span, what=f"{role} can have at most {most} replicas, not {replicas}")
    return role, replicas, argument


def _parallel(argument: Argument | None, errors: list[Diagnostic]) -> int | None:
    if argument is None:
        return None
    if _NUMBER.fullmatch(argument.text) is None or int(argument.text) < 1:
        errors.append(BAD_ARGUMENT(argument.span, what=f"--parallel needs a number from 1, not {argument.text}"))
        return 1
    return int(argument.text)


def _duration(name: str, argument: Argument | None, least: int, errors: list[Diagnostic]) -> Duration | None:
    """The value of an option, of ``least`` milliseconds or more."""
    if argument is None:
        return None
    try:
        length = Duration(argument.text)
    except ValueError:
        length = None
    if length is None or length.ms < least:
        errors.append(BAD_ARGUMENT(argument.span, what=f"{name} needs a duration such as 10m, not {argument.text}"))
        return None
    return length


def _folder(argument: Argument | None, errors: list[Diagnostic]) -> Argument | None:
    """The folder of ``--log-dir``; it is made when the job starts (:func:`made`)."""
    problem = _no_folder(argument.text) if argument is not None else None
    if argument is not None and problem is not None:
        errors.append(BAD_ARGUMENT(argument.span, what=f"--log-dir {argument.text or '(no name)'}: {problem}"))
    return argument if problem is None else None


def _no_folder(path: str) -> str | None:
    """Why ``path`` can be no folder; ``None`` if it is one or may become one."""
    if not is_file_name(path):
        return "it is not the name of a folder"
    there = os.path.abspath(path)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if os.path.isdir(there):
        return None
    named = "it" if there == os.path.abspath(path) else os.path.relpath(there)
    return f"{named} is a file, not a folder" if os.path.exists(there) else f"{named} is a link that leads nowhere"


def made(folder: Argument) -> list[Diagnostic]:
    """Make the folder of ``--log-dir``; why that cannot be done."""
    try:
        os.makedirs(folder.text, exist_ok=True)
        return []
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return [BAD_ARGUMENT(folder.span, what=f"--log-dir {folder.text}: the folder cannot be made: {why}")]
