"""What each replica runs on this machine: command, variables, folder. Nothing here starts, opens or reads anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from tfdsl.diagnostics import Rule, command_rules
from tfdsl.emit.shell import TENSORFLOW_SERVER
from tfdsl.ir.cluster_spec import cluster_spec, flag_hosts, flag_task, gets_flags, needs_tf_config, tf_config
from tfdsl.ir.model import EnvValue, Job, PodField, Role, RunTimeText, Step, Text, board_command
from tfdsl.lifecycle.behaviour import Task
from tfdsl.patterns import regex
from tfdsl.record import Record

HOST: Final = "127.0.0.1"
DEFAULT_GRACE_MS: Final = 10_000
"""Between SIGTERM and SIGKILL unless the job says ``stop_grace``, in milliseconds."""

Kind: TypeAlias = Literal["prepare", "sidecar", "command"]
_PYTHON: Final = regex(r"(.*/)?python[0-9.]*")


class Program(Record):
    """One process of a replica. ``name``: of its launch; ``path``: in the job; ``folder``: ``None`` for the current."""

    name: str
    kind: Kind
    path: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    folder: str | None


class Replica(Record):
    """What one replica runs. ``steps`` are in the order in which they start, before ``command``.

    ``port``: of its TensorFlow server or TensorBoard. ``address``: ``http://HOST:PORT``, what a browser opens.
    """

    task: Task
    role: Role
    port: int
    steps: tuple[Program, ...]
    command: Program
    grace_ms: int
    address: str | None


class Problem(Record):
    """What keeps the job from being started. ``path``: of the part of the job that is the cause."""

    rule: Rule
    path: str
    values: Mapping[str, object]
    help: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Equal for what several replicas have in common."""
        return self.rule.code, self.path, str(sorted(self.values.items()))


class Surroundings(Record):
    """This machine, as far as a plan depends on it.

    ``environment``: the variables that every process has. ``ports`` of all replicas. ``devices``: the value of
    ``CUDA_VISIBLE_DEVICES`` of each. ``python``: for a ``server`` role whose command names none.
    """

    environment: Mapping[str, str]
    ports: Mapping[Task, int]
    devices: Mapping[Task, str]
    node: str
    python: str


def tasks(job: Job) -> list[Task]:
    """The replicas of ``job``."""
    return [Task(role.name, index) for role in job.roles for index in range(role.replicas)]


def plan(job: Job, here: Surroundings) -> tuple[tuple[Replica, ...], tuple[Problem, ...]]:
    """What each replica of ``job`` runs, and why the job cannot be started."""
    planner = _Planner(job, here)
    replicas = tuple(planner.replica(job_role, index) for job_role in job.roles for index in range(job_role.replicas))
    return replicas, tuple(planner.problems.values())


class _Planner:
    """The state of :func:`plan`."""

    def __init__(self, job: Job, here: Surroundings) -> None:
        self.job = job
        self.here = here
        self.spec = cluster_spec(job, lambda role, index: f"{HOST}:{here.ports[Task(role.name, index)]}")
        self.problems: dict[tuple[str, str, str], Problem] = {}

    def replica(self, role: Role, index: int) -> Replica:
        """What replica ``index`` of ``role`` runs."""
        task = Task(role.name, index)
        steps = [self._step(task, role, step) for step in role.steps]
        grace = role.stop_grace.ms if role.stop_grace is not None else DEFAULT_GRACE_MS
        own = self._runs_board(role)
        address = f"http://{HOST}:{self.here.ports[task] if own else role.port}" if role.is_board else None
        port = self.here.ports[task]
        known = tuple(step for step in steps if step is not None)
        return Replica(task, role, port, known, self._command(task, role), grace, address)

    # --- the command ---

    def _command(self, task: Task, role: Role) -> Program:
        env = self._environment(Variables(self.job, role, task, self.here.node), role, task)
        if needs_tf_config(self.job, role):
            env["TF_CONFIG"] = tf_config(self.spec, role.name, str(task.index))
        env.setdefault("CUDA_VISIBLE_DEVICES", self.here.devices.get(task, ""))
        texts = Texts(task.index, env)
        argv = self._argv(task, role, texts)
        folder = texts(role.workdir) if role.workdir is not None else None
        self._missing(texts, role.path)
        return Program(str(task), "command", role.path, tuple(argv), env, folder)

    def _argv(self, task: Task, role: Role, texts: Texts) -> list[str]:
        if role.server:
            return [self._interpreter(role), "-c", TENSORFLOW_SERVER, self.job.cluster.protocol]
        if self._runs_board(role):
            port = str(self.here.ports[task])
            return ["tensorboard", "--logdir", texts(role.logdir or ""), "--host", HOST, "--port", port]
        words = _words(role, texts)
        if not words:
            words = list(self.job.build.entrypoint) if self.job.build is not None else []
        if not words:
            values = {"role": role.name}
            help_ = 'write command = ["python", "train.py"], or an entrypoint in the build block'
            self._problem(Problem(command_rules.NO_COMMAND, role.path, values, help_))
        return [*words, *map(texts, role.args), *self._flags(task, role)]

    def _runs_board(self, role: Role) -> bool:
        """Whether ``role`` runs TensorBoard as the language says."""
        return role.is_board and role.command == board_command(role.logdir or "", role.port)

    def _interpreter(self, role: Role) -> str:
        first = role.command[0] if isinstance(role.command, tuple) and role.command else ""
        return first if isinstance(first, str) and _PYTHON.fullmatch(first) else self.here.python

    def _flags(self, task: Task, role: Role) -> list[str]:
        if not gets_flags(self.job, role):
            return []
        ps, workers = flag_hosts(self.spec)
        name, offset = flag_task(self.job, role)
        hosts = [f"--ps_hosts={ps}", f"--worker_hosts={workers}"]
        return [*hosts, f"--job_name={name}", f"--task_index={task.index + offset}"]

    # --- steps ---

    def _step(self, task: Task, role: Role, step: Step) -> Program | None:
        """What ``step`` runs; nothing for a sidecar that only its image knows how to start."""
        env = self._environment(Variables(self.job, role, task, self.here.node), step, task)
        env.setdefault("CUDA_VISIBLE_DEVICES", "")
        texts = Texts(task.index, env)
        words = _words(step, texts)
        if not words:
            if step.kind == "prepare":
                values = {"step": step.name, "role": role.name}
                help_ = f"write what it runs: prepare {step.name} {{ command = […] }}"
                self._problem(Problem(command_rules.PREPARE_NEEDS_IMAGE, step.path, values, help_))
            return None
        folder = texts(step.workdir) if step.workdir is not None else None
        argv = (*words, *map(texts, step.args))
        self._missing(texts, step.path)
        return Program(f"{task}/{step.name}", step.kind, step.path, argv, env, folder)

    # --- variables ---

    def _environment(self, variables: Variables, holder: Role | Step, task: Task) -> dict[str, str]:
        """The variables of a process; what the job refers to and this machine does not have is a problem."""
        inherited = {name: text for name, text in self.here.environment.items() if name != "TF_CONFIG"}
        inherited.setdefault("PYTHONUNBUFFERED", "1")  # output is seen when it is written
        env = dict(inherited)
        own = Texts(task.index, env)  # a variable can use those that are written before it
        for name, value in holder.env.items():
            path = f"{holder.path}.env[{name}]"
            text = variables.value(name, value, own)
            if text is None:
                asked = variables.shown(value)
                help_ = f"set it: --env-file FILE with the line {name}=VALUE, or export {name}"
                self._problem(Problem(command_rules.NO_VALUE_HERE, path, {"name": name, "value": asked}, help_))
            else:
                env[name] = text
            self._missing(own, path)
        return env

    def _missing(self, texts: Texts, path: str) -> None:
        for name in texts.missing:
            help_ = f"set it: --env-file FILE with the line {name}=VALUE, or export {name}"
            self._problem(Problem(command_rules.UNSET_VARIABLE, path, {"name": name}, help_))
        texts.missing.clear()

    def _problem(self, problem: Problem) -> None:
        self.problems.setdefault(problem.key, problem)


def _words(holder: Role | Step, texts: Texts) -> list[str]:
    """The command as it is written; nothing where the image's entrypoint runs."""
    if isinstance(holder.command, tuple):
        return [texts(word) for word in holder.command]
    return ["/bin/sh", "-c", texts(holder.command), "sh"]


class Texts:
    """The texts of one replica. ``variables`` are those of its process; ``missing``: names that texts asked for."""

    def __init__(self, index: int, variables: Mapping[str, str]) -> None:
        self.index = index
        self.variables = variables
        self.missing: list[str] = []

    def __call__(self, text: Text) -> str:
        """``text`` as the process gets it; a variable that is not set is empty, and noted in ``missing``."""
        if isinstance(text, str):
            return text
        pieces: list[str] = []
        for part in text.parts:
            if isinstance(part, str):
                pieces.append(part)
            elif part.kind == "task_index":
                pieces.append(str(self.index))
            else:
                if part.name not in self.variables:
                    self.missing.append(part.name)
                pieces.append(self.variables.get(part.name, ""))
        return "".join(pieces)


_LABEL: Final = "metadata.labels['"
_ANNOTATION: Final = "metadata.annotations['"


class Variables:
    """The values of the variables of one replica. ``node``: the name of this machine."""

    def __init__(self, job: Job, role: Role, task: Task, node: str) -> None:
        name = f"{job.name}-{task.role}-{task.index}"
        self.role = role
        self.labels = job.labels_of(role)
        self.fields: Mapping[str, str] = {
            "metadata.name": name,
            "metadata.namespace": job.namespace or "default",
            "metadata.uid": name,
            "spec.nodeName": node,
            "spec.serviceAccountName": role.service_account or "default",
            "status.podIP": HOST,
            "status.podIPs": HOST,
            "status.hostIP": HOST,
            "status.hostIPs": HOST,
        }

    def value(self, name: str, value: EnvValue, texts: Texts) -> str | None:
        """The value of the variable ``name``.

        A key of a Secret or ConfigMap is the variable of that name in the environment, ``None`` without one.
        """
        if isinstance(value, str | RunTimeText):
            return texts(value)
        if isinstance(value, PodField):
            return self._field(value.field)
        return texts.variables.get(name)

    def _field(self, field: str) -> str:
        """A field of the pod that the replica would be."""
        for beginning, entries in ((_LABEL, self.labels), (_ANNOTATION, self.role.annotations)):
            if field.startswith(beginning):
                return entries.get(field[len(beginning) : -2], "")
        return self.fields.get(field, "")

    @staticmethod
    def shown(value: EnvValue) -> str:
        """A reference as it is written."""
        return "" if isinstance(value, str | RunTimeText | PodField) else f'{value.kind}("{value.name}", "{value.key}")'


def shown(text: Text) -> str:
    """``text`` as far as it is known before a replica runs."""
    return text if isinstance(text, str) else "".join(part if isinstance(part, str) else "…" for part in text.parts)
