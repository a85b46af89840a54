"""A job that is ready to be run: checked against this machine before anything starts, then begun.

The GPUs of this machine are counted without a library that would need them.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from tfdsl.backend import spoken
from tfdsl.compiling.jobs import PlainJob
from tfdsl.diagnostics import Diagnostic, command_rules
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.ir.fields import Origins, walk
from tfdsl.ir.model import Job, Output, Role, Step, board_command
from tfdsl.lifecycle.behaviour import Task
from tfdsl.lifecycle.faults import Injected
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.running.keys import TABLE
from tfdsl.running.launch import Copied, Launch, Limits
from tfdsl.running.local_job import FIRST_PAUSE, LocalJob, Loop, Timers
from tfdsl.running.mounts import MountOptions, Mounts, Replica as Mounting
from tfdsl.running.plan import Problem, Program, Replica, Surroundings, Texts, plan, shown, tasks
from tfdsl.running.screen import Screen
from tfdsl.running.supervision import namespaces, scratch
from tfdsl.running.supervisor import Supervisor
from tfdsl.text import Span
from tfdsl.vocabulary.quantities import Quantity


class Settings(Record):
    """What the command line says about a run.

    ``environment``: the variables of every process. ``cpu``: whether all devices are hidden. ``keep``: whether the
    folders of the run stay. ``restart_delay``: seconds before the second restart in place.
    """

    environment: Mapping[str, str]
    injected: tuple[Injected, ...] = ()
    cpu: bool = False
    mounts: MountOptions = MountOptions()
    keep: bool = False
    restart_delay: float = FIRST_PAUSE


class Prepared:
    """One job, what is to be said about it before it starts, and how it is begun."""

    def __init__(self, plain: PlainJob, settings: Settings, devices: Sequence[str]) -> None:
        self.job = plain.job
        self.origins = plain.origins
        self.settings = settings
        self._devices = dealt(plain.job, devices)
        self._mounts = Mounts(plain.job, plain.origins, settings.mounts)
        self._needs_mounts = any(self._mounts.paths(role) for role in plain.job.roles)
        self.diagnostics = tuple(self._checked(devices))

    def names(self) -> list[str]:
        """The names of all processes, those of a replica together."""
        return [
            name
            for role in self.job.roles
            for index in range(role.replicas)
            for name in (
                f"{role.name}[{index}]",
                *(f"{role.name}[{index}]/{step.name}" for step in role.steps),
            )
        ]

    def _checked(self, devices: Sequence[str]) -> Iterator[Diagnostic]:
        yield from not_used(self.job, self.origins)
        yield from sidecars(self.job, self.origins)
        if excess := list(too_many(self.job, self.origins)):
            yield from excess
            return
        if not self.settings.cpu:
            yield from fewer_devices(self.job, self.origins, self._devices, devices)
        replicas, problems = plan(self.job, self._surroundings(dict.fromkeys(tasks(self.job), 1)))
        yield from not_startable(problems, self.origins)
        yield from missing_programs(replicas, self.origins)
        yield from self._folders(replicas)
        commands = [_mounting(replica, replica.command) for replica in replicas]
        yield from self._mounts.check(commands, denial() if self._needs_mounts else "")
        yield from not_copied(self.job, self.origins)
        yield from not_limited(self.job, self.origins, limits_denied())

    def _folders(self, replicas: Sequence[Replica]) -> Iterator[Diagnostic]:
        """The work folders that are neither here nor in a mount."""
        seen: set[str] = set()
        for replica in replicas:
            mounted = self._mounts.paths(replica.role)
            for program in (*replica.steps, replica.command):
                folder = program.folder
                if folder is None or folder in seen or os.path.isdir(folder) or _below(folder, mounted):
                    continue
                seen.add(folder)
                place = self.origins.span(f"{program.path}.workdir")
                yield command_rules.NO_WORKDIR(place, path=folder).help(
                    f"it is in the image on a cluster; name the folder here: --mount {folder}=DIR"
                )

    def _surroundings(self, ports: Mapping[Task, int]) -> Surroundings:
        given = dict.fromkeys(self._devices, "") if self.settings.cpu else self._devices
        inherited = {name: text for name, text in self.settings.environment.items() if name != DEVICES}
        python = "python" if shutil.which("python", path=inherited.get("PATH")) else "python3"
        return Surroundings(inherited, ports, given, platform.node(), python)

    # --- the run ---

    def begin(self, screen: Screen, watch: Loop, timers: Timers) -> LocalJob:
        """Take what the job needs of this machine; the job that comes of it has not begun yet.

        Raises:
            OSError: it cannot be had.
        """
        supervisor = Supervisor(keep=self.settings.keep)
        try:
            if self._needs_mounts and not denial() and not supervisor.namespaced:
                raise OSError(f"nothing can be mounted: {supervisor.denied}")  # it could a moment ago
            self._mounts.fill(supervisor.scratch)
            if self.settings.keep:
                screen.notice(f"folders of the run: {supervisor.scratch}")
            every = tasks(self.job)
            ports = dict(zip(every, supervisor.hold(len(every)), strict=True))
            replicas, _ = plan(self.job, self._surroundings(ports))
            injected, delay = self.settings.injected, self.settings.restart_delay
            return LocalJob(self.job, replicas, self._launch, supervisor, screen, watch, timers, injected, delay)
        except BaseException:
            supervisor.close()
            raise

    def _launch(self, replica: Replica, program: Program, pod: int) -> Launch:
        """What the supervisor is to start."""
        mounting = _mounting(replica, program)
        is_command = program.kind == "command"
        step = next((step for step in replica.role.steps if step.path == program.path), None)
        return Launch(
            program.name,
            program.argv,
            program.env,
            mounting.folder,
            replica.port if is_command else None,
            pod,
            self._mounts.of(mounting, pod),
            outputs_of(replica.role, replica.task.index, program.env) if is_command else (),
            limits_of(replica.role if step is None else step),
        )


def _mounting(replica: Replica, program: Program) -> Mounting:
    return Mounting(replica.role, replica.task, program.env, program.folder or os.getcwd())


def _below(folder: str, places: Sequence[str]) -> bool:
    return any(folder == place or folder.startswith(f"{place.rstrip('/')}/") for place in places)


# --- what is said before a job starts --------------------------------------------------------------------------------

MOST_REPLICAS: Final = 500
"""How many replicas are started: more are a slip, and would bring any one machine down."""


def not_used(job: Job, origins: Origins) -> list[Diagnostic]:
    """What ``job`` says and ``run`` does not do, one message for each reason.

    Raises:
        LookupError: a key has no row, so that something would be lost without a word.
    """
    reasons: dict[str, tuple[Span, dict[str, None]]] = {}
    for item in walk(job, origins):
        row = TABLE.get(item.key)
        if row is None:
            raise LookupError(f"the table of run has no row for {item.key}")
        span = origins.written(item.path)
        if row.fate != "told" or span is None:
            continue
        _, names = reasons.setdefault(row.why, (span, {}))
        names[spoken(item.key)] = None
    return [command_rules.NOT_USED(span, what=enumeration(names), why=why) for why, (span, names) in reasons.items()]


def sidecars(job: Job, origins: Origins) -> Iterator[Diagnostic]:
    """The sidecars that only their image can start."""
    for role in job.roles:
        for step in role.steps:
            if step.kind == "sidecar" and not step.command:
                yield command_rules.SIDECAR_NOT_STARTED(origins.span(step.path), step=step.name)


def fewer_devices(
    job: Job, origins: Origins, given: Mapping[Task, str], devices: Sequence[str]
) -> Iterator[Diagnostic]:
    """The replicas for which there are not enough devices."""
    without = short_of_devices(job, given)
    if without:
        role = job.role(without[0].role)
        assert role is not None
        has = f"this machine has {len(devices)}" if devices else "this machine has none"
        names = enumeration(map(str, without))
        yield command_rules.FEWER_DEVICES(
            origins.span(f"{role.path}.gpu"), wanted=wanted_devices(job), has=has, short=f"{names} run with fewer"
        ).help("--cpu hides all devices, so that every replica has the same")


def too_many(job: Job, origins: Origins) -> Iterator[Diagnostic]:
    """A job for a cluster, with more replicas than a machine can start."""
    count = sum(role.replicas for role in job.roles)
    if count > MOST_REPLICAS:
        largest = max(job.roles, key=lambda role: role.replicas)
        error = command_rules.TOO_MANY(origins.span(f"{largest.path}.replicas"), count=count, most=MOST_REPLICAS)
        yield error.help(f"start fewer: --scale {largest.name}=2")


def not_startable(problems: Iterable[Problem], origins: Origins) -> list[Diagnostic]:
    """What keeps the job from being started, at the places in its text."""
    return [problem.rule(origins.span(problem.path), **problem.values).help(problem.help) for problem in problems]


# --- devices ---------------------------------------------------------------------------------------------------------

DEVICES: Final = "CUDA_VISIBLE_DEVICES"
_PATIENCE_WITH_DRIVER: Final = 10
"""Seconds for ``nvidia-smi``, which can hang on a broken driver."""
_DEVICE: Final = regex(r"nvidia[0-9]+")


def devices(environment: Mapping[str, str], folder: str = "/dev") -> tuple[str, ...]:
    """What CUDA calls the devices that a process may use: those of ``CUDA_VISIBLE_DEVICES``, else all."""
    visible = environment.get(DEVICES)
    if visible is not None:
        named = [name.strip() for name in visible.split(",")]
        return tuple(name for name in named if name not in ("", "-1", "NoDevFiles"))
    count = _listed(environment)
    if count is None:
        count = sum(1 for name in _names(folder) if _DEVICE.fullmatch(name))
    return tuple(map(str, range(count)))


def dealt(job: Job, devices: Sequence[str]) -> dict[Task, str]:
    """The devices of each replica, as the value of the variable: in order, until none is left."""
    left = list(devices)
    given: dict[Task, str] = {}
    for role in job.roles:
        for index in range(role.replicas):
            own, left = left[: role.gpu], left[role.gpu :]
            given[Task(role.name, index)] = ",".join(own)
    return given


def short_of_devices(job: Job, given: Mapping[Task, str]) -> list[Task]:
    """The replicas that have fewer devices than they want."""
    wanted: Iterable[tuple[Task, int]] = (
        (Task(role.name, index), role.gpu) for role in job.roles for index in range(role.replicas)
    )
    return [task for task, count in wanted if count > len([name for name in given[task].split(",") if name])]


def wanted_devices(job: Job) -> int:
    """How many devices the job wants."""
    return sum(role.gpu * role.replicas for role in job.roles)


def _listed(environment: Mapping[str, str]) -> int | None:
    """How many devices ``nvidia-smi`` lists; ``None`` where it is not installed or does not work."""
    try:
        done = subprocess.run(
            ["nvidia-smi", "-L"],
            env=environment,
            capture_output=True,
            timeout=_PATIENCE_WITH_DRIVER,
            check=True,
            text=True,
        )
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return None
    return sum(1 for line in done.stdout.splitlines() if line.startswith("GPU "))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


# --- the programs of TensorFlow --------------------------------------------------------------------------------------

_ASK = "import importlib.util as u, sys; sys.exit(3 if u.find_spec('tensorflow') is None else 0)"
"""Finds the package without loading it, which takes seconds."""


def missing_programs(replicas: Sequence[Replica], origins: Origins) -> Iterator[Diagnostic]:
    """One warning for each role that starts a TensorFlow server or TensorBoard and will not find it."""
    asked: set[str] = set()
    for replica in replicas:
        role = replica.role
        if role.name in asked:
            continue
        asked.add(role.name)
        board = role.is_board and role.command == board_command(role.logdir or "", role.port)
        why = _why(replica.command) if role.server or board else ""
        if why:
            what = "TensorBoard" if board else "TensorFlow"
            diagnostic = command_rules.NO_TENSORFLOW(origins.span(role.path), role=role.name, what=what, why=why)
            yield diagnostic.help(f"install it where run finds it: pip install {what.lower()}")


def _why(program: Program) -> str:
    name = program.argv[0]
    found = shutil.which(name, path=program.env.get("PATH", os.defpath))
    if found is None:
        return f"there is no {name} here"
    if program.argv[1:2] != ("-c",):
        return ""
    done = subprocess.run([found, "-c", _ASK], env=dict(program.env), capture_output=True, stdin=subprocess.DEVNULL)
    return f"{name} does not have it" if done.returncode == 3 else ""


# --- another number of replicas --------------------------------------------------------------------------------------


def scaled(job: Job, scale: Mapping[str, int]) -> Job:
    """``job`` with so many replicas of some roles; a role of 0, and what is about it, is left out.

    Raises:
        ValueError: the job cannot be like that; the message says why.
    """
    if not scale:
        return job
    gone = {name for name, count in scale.items() if not count}
    roles = [_role(role, scale, gone) for role in job.roles if role.name not in gone]
    policies = [policy for policy in job.policies if policy.written and policy.role not in gone]
    try:
        return job.but(roles=tuple(roles), policies=tuple(policies))
    except ValueError as error:
        raise ValueError(_first(error)) from None


def _role(role: Role, scale: Mapping[str, int], gone: set[str]) -> Role:
    count = scale.get(role.name, role.replicas)
    after = tuple(name for name in role.after if name not in gone)
    return role.but(replicas=count, min_available=min(role.min_available, count), after=after)


def _first(error: ValueError) -> str:
    """The words of the first rule that is broken: models say which and where around them."""
    errors: Callable[[], list[dict[str, object]]] | None = getattr(error, "errors", None)
    broken = errors() if errors is not None else []
    return str(broken[0]["msg"]) if broken else str(error)


# --- outputs, limits and mounts --------------------------------------------------------------------------------------


def outputs_of(role: Role, index: int, variables: Mapping[str, str]) -> tuple[Copied, ...]:
    """What replica ``index`` of ``role`` copies when its command has ended. ``variables``: those of its process."""
    texts = Texts(index, variables)
    return tuple(
        Copied(texts(output.source), texts(output.destination), output.when, output.overwrite)
        for output in role.outputs
        if output.index in (None, index) and not _is_elsewhere(output)
    )


def not_copied(job: Job, origins: Origins) -> Iterator[Diagnostic]:
    """The outputs that go to another machine, which run does not copy."""
    told: set[str] = set()
    for role in job.roles:
        for output in role.outputs:
            if _is_elsewhere(output) and str(output) not in told:
                told.add(str(output))
                place = origins.span(output.path)
                yield command_rules.NOT_COPIED(
                    place, source=shown(output.source), destination=shown(output.destination)
                )


def _is_elsewhere(output: Output) -> bool:
    return "://" in shown(output.destination)


def limits_of(holder: Role | Step) -> Limits:
    """The limits of a role's command, or of a step."""
    if isinstance(holder, Role):
        cpu, memory = _amount(holder.cpu_limit), _amount(holder.memory_limit)
    else:
        cpu, memory = holder.cpu, holder.memory
    return Limits(None if cpu is None else cpu.milli, None if memory is None else memory.whole)


def limits_denied() -> str:
    """Why nothing can be limited here; empty if it can."""
    return scratch.group_place()[1]


def not_limited(job: Job, origins: Origins, why: str) -> Iterator[Diagnostic]:
    """What is not limited, at the first limit of the job."""
    if not why:
        return
    for role in job.roles:
        limits = limits_of(role)
        names = [name for name in ("cpu", "memory") if getattr(limits, name) is not None]
        if names:
            yield command_rules.NOT_LIMITED(origins.span(f"{role.path}.{names[0]}"), what=" and ".join(names), why=why)
            return


def _amount(limit: Quantity | str | None) -> Quantity | None:
    return None if isinstance(limit, str) else limit


@cache
def denial() -> str:
    """Why replicas cannot have mounts of their own here; empty if they can."""
    return namespaces.permitted("/dev")[1]
