"""What a container runs and in which environment: command, programs around it, discovery flags, variables.

From the inside out a command is the role's own with its arguments; the flag ``--task_index`` where it has to be
computed; the copying of outputs; the target's own program. Each layer is ``/bin/sh -c PROGRAM sh PARAMETERS…
COMMAND…``, so arguments pass through all of them byte for byte.

``${task.index}`` and ``${env.NAME}`` become references that the kubelet replaces. It expands ``$(NAME)`` in
``command``, ``args``, env values and ``subPathExpr``, from the container's own env and envFrom only (what the image
sets is not seen), in an env value only from envFrom and the entries before it. An unknown name stays as written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from tfdsl.emit.located import Block, Data, Located, at, child, entry
from tfdsl.emit.shell import TENSORFLOW_SERVER, escape_expansion
from tfdsl.ir.cluster_spec import flag_hosts, flag_task
from tfdsl.ir.model import (
    ConfigMapRef,
    EnvValue,
    EnvVar,
    Job,
    Node,
    Output,
    PodField,
    Role,
    RunTimeText,
    SecretKeys,
    SecretRef,
    Step,
    TaskIndex,
    Text,
)
from tfdsl_backends.podspec.options import VISIBLE_DEVICES
from tfdsl_backends.podspec.plan import Index, PodPlan, Program


def expanded(text: Text, index: Index) -> str:
    """``text`` for a place that the kubelet expands: literals escaped, run-time values as references.

    The kubelet expands ``$(NAME)`` in ``command``, ``args``, env values and ``subPathExpr``, from the container's own
    env and envFrom only (what the image sets is not seen), in an env value only from envFrom and the entries before it.
    """
    if isinstance(text, str):
        return escape_expansion(text)
    return "".join(_part(part, index) for part in text.parts)


def shell_text(text: Text, index: Index) -> str:
    """The same for the program text of a shell.

    ``${env.NAME}`` is left to the shell, which also sees what the image sets and never reads the value as program
    text; the index consists of digits and is put in by the kubelet.
    """
    if isinstance(text, str):
        return escape_expansion(text)
    return "".join(f"${{{p.name}}}" if isinstance(p, EnvVar) else _part(p, index) for p in text.parts)


def located_texts(node: Node, field: str, index: Index) -> list[Located]:
    """Every text of a list field of ``node``, expanded, each with its place."""
    texts: tuple[Text, ...] = getattr(node, field)
    path = child(node.path, field)
    return [Located(expanded(text, index), f"{path}[{at}]") for at, text in enumerate(texts)]


def literal(text: Text) -> str:
    """A text in a place that the kubelet does not expand; the support table refuses run-time values there."""
    return text if isinstance(text, str) else "".join(part for part in text.parts if isinstance(part, str))


def names_in(value: EnvValue) -> list[str]:
    """The names of ``${env.NAME}`` in ``value``, in order."""
    return [part.name for part in value.parts if isinstance(part, EnvVar)] if isinstance(value, RunTimeText) else []


def uses_index(job: Job, role: Role) -> bool:
    """Whether ``${task.index}``, or an output of one replica only, is used anywhere in ``role``."""
    return any(output.index is not None for output in role.outputs) or any(map(_has_index, _all_texts(job, role)))


def step_uses_index(role: Role, step: Step) -> bool:
    """Whether ``${task.index}`` is used anywhere in the container of ``step``."""
    command = step.command if isinstance(step.command, tuple) else (step.command,)
    return any(map(_has_index, (*step.env.values(), *command, *step.args, *_sub_paths(role))))


def _has_index(text: object) -> bool:
    return isinstance(text, RunTimeText) and any(isinstance(part, TaskIndex) for part in text.parts)


def _all_texts(job: Job, role: Role) -> Iterator[object]:
    yield from role.env.values()
    yield from role.command if isinstance(role.command, tuple) else (role.command,)
    yield from role.args
    yield from (role.logdir, job.checkpoint)
    yield from _sub_paths(role)
    for output in role.outputs:
        yield output.source
        yield output.destination


def _sub_paths(role: Role) -> Iterator[object]:
    for mount in role.mounts:
        yield getattr(mount, "sub_path", None)


def _part(part: str | TaskIndex | EnvVar, index: Index) -> str:
    if isinstance(part, str):
        return escape_expansion(part)
    return index.reference if isinstance(part, TaskIndex) else f"$({part.name})"


def env(job: Job, role: Role, plan: PodPlan) -> list[Data]:
    """The entries: the index, TF_CONFIG, what the compiler adds, then the role's own in the order they need.

    An own entry replaces one of ours with the same name.
    """
    added: dict[str, Data] = {}
    if plan.tf_config is not None:
        added["TF_CONFIG"] = Located(plan.tf_config, "cluster.discovery")
    if hides_devices(job, role) and plan.visible_devices:
        added[VISIBLE_DEVICES] = literal(plan.visible_devices)
    own = own_values(job, role)
    return [
        *_index_entry(job, role, plan),
        *({"name": name, "value": value} for name, value in added.items() if name not in own),
        *(env_entry(role, name, own[name], plan.index) for name in definition_order(own)),
    ]


def own_values(job: Job, holder: Role | Step) -> dict[str, EnvValue]:
    """What the job says about the env of a role or step: CHECKPOINT_DIR from ``checkpoint``, and ``env``."""
    checkpoint: dict[str, EnvValue] = {} if job.checkpoint is None else {"CHECKPOINT_DIR": job.checkpoint}
    return {**checkpoint, **holder.env}


def _index_entry(job: Job, role: Role, plan: PodPlan) -> list[Data]:
    index = plan.index
    texts = [plan.tf_config or "", *map(str, plan.wrapper.parameters if plan.wrapper else ())]
    refers = bool(plan.hosts) or any(index.reference in text for text in texts)
    return index_entry(index) if refers or uses_index(job, role) else []


def index_entry(index: Index) -> list[Data]:
    """The entry that holds the index, unless it is known."""
    if index.constant is not None:
        return []
    return [{"name": index.variable, "valueFrom": {"fieldRef": {"fieldPath": index.field}}}]


def hides_devices(job: Job, role: Role) -> bool:
    """Whether the NVIDIA devices of its node must be hidden from ``role``.

    Without a device request the NVIDIA runtime shows a container all of them (nvidia-docker issue 456), so a parameter
    server beside GPU workers would take memory on each.
    """
    return not _uses_nvidia(role, role.gpu) and on_nvidia_nodes(job)


def hides_from_step(role: Role, step: Step) -> bool:
    """Whether the devices must be hidden from ``step`` :func:`on_nvidia_nodes`: it has none, and does not say which."""
    return not _step_uses_nvidia(role, step) and VISIBLE_DEVICES not in step.env


def _step_uses_nvidia(role: Role, step: Step) -> bool:
    return step.gpu > 0 and _uses_nvidia(role, step.gpu)


def on_nvidia_nodes(job: Job) -> bool:
    """Whether a role or a step has a device, so that all may be on a node with some."""
    return any(
        _uses_nvidia(role, role.gpu) or any(_step_uses_nvidia(role, step) for step in role.steps) for role in job.roles
    )


def _uses_nvidia(role: Role, devices: int) -> bool:
    device = role.gpu_resource or "nvidia.com/gpu"
    return role.gpu_memory is not None or (devices > 0 and device.startswith("nvidia.com/"))


def definition_order(env: dict[str, EnvValue]) -> list[str]:
    """The names in ``env`` with each after those it refers to, otherwise as written.

    Names in a cycle come last; the support table has refused them.
    """
    done: dict[str, None] = {}
    waiting = list(env)
    while waiting:
        ready = next(
            (name for name in waiting if all(n not in env or n in done for n in names_in(env[name]))), waiting[0]
        )
        done[ready] = None
        waiting.remove(ready)
    return list(done)


def env_entry(holder: Role | Step, name: str, value: EnvValue, index: Index) -> Data:
    """The entry of a variable of a role or of a step."""
    path = entry(child(holder.path, "env"), name)
    if isinstance(value, SecretRef):
        return Located({"name": name, "valueFrom": {"secretKeyRef": {"name": value.name, "key": value.key}}}, path)
    if isinstance(value, ConfigMapRef):
        return Located({"name": name, "valueFrom": {"configMapKeyRef": {"name": value.name, "key": value.key}}}, path)
    if isinstance(value, PodField):
        return Located({"name": name, "valueFrom": {"fieldRef": {"fieldPath": value.field}}}, path)
    return Located({"name": name, "value": expanded(value, index)}, path)


def env_from(holder: Role | Step) -> list[Data]:
    """The Secrets and ConfigMaps whose keys become variables. An entry of :func:`env` wins over all of them."""
    path = child(holder.path, "env_from")
    sources: list[Data] = []
    for number, source in enumerate(holder.env_from):
        reference = "secretRef" if isinstance(source, SecretKeys) else "configMapRef"
        sources.append(Located({reference: {"name": source.name}}, f"{path}[{number}]"))
    return sources


SHELL = "/bin/sh"


def command_and_args(job: Job, role: Role, plan: PodPlan) -> tuple[list[Data], list[Data]]:
    """``command`` and ``args`` of the container; an empty command leaves the image's entrypoint."""
    command, args = (server(job, role), []) if role.server else own_command(job, role, plan)
    programs = layers(job, role, plan)
    if programs and not command:
        command = entrypoint(job)
    for program in programs:
        text = Block(escape_expansion(program.text))
        command, args = [SHELL, "-c", text, "sh"], [*program.parameters, *command, *args]
    return command, args


def needs_start(job: Job, role: Role, plan: PodPlan) -> bool:
    """Whether a program has to start the command of ``role`` but the command is unknown."""
    if role.server or role.is_board or role.command or entrypoint(job):
        return False
    return bool(layers(job, role, plan))


def own_command(job: Job, role: Role, plan: PodPlan) -> tuple[list[Data], list[Data]]:
    """The command of the role and its arguments with the discovery flags."""
    return _command(role, plan), [*located_texts(role, "args", plan.index), *_flags(job, role, plan)]


def server(job: Job, role: Role) -> list[Data]:
    """The TensorFlow server that a ``server`` role runs, with the Python of the role's command if that names one."""
    program = Located(Block(escape_expansion(TENSORFLOW_SERVER)), child(role.path, "server"))
    return [_interpreter(role), "-c", program, at(job.cluster, "protocol")]


def flags(job: Job, role: Role, hosts: Mapping[str, Sequence[str]], index: int | str) -> tuple[str, ...]:
    """The discovery flags of a replica, ``--task_index`` last; ``index`` is a number, or a placeholder."""
    ps, workers = flag_hosts({name: list(addresses) for name, addresses in hosts.items()})
    name, offset = flag_task(job, role)
    own = index + offset if isinstance(index, int) else index
    return f"--ps_hosts={ps}", f"--worker_hosts={workers}", f"--job_name={name}", f"--task_index={own}"


def entrypoint(job: Job) -> list[Data]:
    """The entrypoint of the image that ``build`` describes; empty without one."""
    if job.build is None:
        return []
    path = child(job.build.path, "entrypoint")
    return [Located(escape_expansion(word), f"{path}[{number}]") for number, word in enumerate(job.build.entrypoint)]


def layers(job: Job, role: Role, plan: PodPlan) -> list[Program]:
    """The programs around the command, the innermost first."""
    programs = [_task_index(job, role, plan), _outputs(job, role, plan), plan.wrapper]
    return [program for program in programs if program is not None]


def flags_need_shell(job: Job, role: Role, plan: PodPlan) -> bool:
    """Whether ``--task_index`` of ``role`` has to be computed when it starts: index + 1 beside a chief or master."""
    return bool(plan.hosts) and not role.server and plan.index.constant is None and flag_task(job, role)[1] != 0


def _command(role: Role, plan: PodPlan) -> list[Data]:
    if role.is_board and isinstance(role.command, tuple) and not role.command:
        return _tensorboard(role, plan)
    return written_command(role, plan.index)


def written_command(holder: Role | Step, index: Index) -> list[Data]:
    """The command of a role or step as it is written; nothing where the image's entrypoint runs."""
    if isinstance(holder.command, tuple):
        return list(located_texts(holder, "command", index))
    return [SHELL, "-c", Located(shell_text(holder.command, index), child(holder.path, "command")), "sh"]


def _tensorboard(role: Role, plan: PodPlan) -> list[Data]:
    logdir = Located(expanded(role.logdir or "", plan.index), child(role.path, "logdir"))
    port = Located(str(role.port), child(role.path, "port"))
    return ["tensorboard", "--logdir", logdir, "--bind_all", "--port", port]


def _interpreter(role: Role) -> str:
    first = role.command[0] if isinstance(role.command, tuple) and role.command else ""
    if not isinstance(first, str):
        return "python"
    name = first.rpartition("/")[2]
    version = name.removeprefix("python")
    is_python = name.startswith("python") and all(char.isdigit() or char == "." for char in version)
    return escape_expansion(first) if is_python else "python"


def _flags(job: Job, role: Role, plan: PodPlan) -> list[Data]:
    if not plan.hosts:
        return []
    index = plan.index
    words = flags(job, role, plan.hosts, index.constant if index.constant is not None else index.reference)
    return [Located(flag, "cluster.discovery") for flag in (words[:-1] if flags_need_shell(job, role, plan) else words)]


def _task_index(job: Job, role: Role, plan: PodPlan) -> Program | None:
    if not flags_need_shell(job, role, plan):
        return None
    return Program(shell_program("task_index"), (plan.index.reference, str(flag_task(job, role)[1])))


def _outputs(job: Job, role: Role, plan: PodPlan) -> Program | None:
    if not role.outputs:
        return None
    parameters: list[Data] = [role.name, plan.index.reference if uses_index(job, role) else "0", str(len(role.outputs))]
    for output in role.outputs:
        parameters += _output(output, plan)
    return Program(shell_program("output"), tuple(parameters))


def _output(output: Output, plan: PodPlan) -> Sequence[Data]:
    words: list[Data] = [
        output.when,
        "every" if output.index is None else str(output.index),
        "yes" if output.overwrite else "no",
        Located(expanded(output.source, plan.index), child(output.path, "source")),
        Located(expanded(output.destination, plan.index), child(output.path, "destination")),
    ]
    return [Located(word, output.path) for word in words]


@cache
def shell_program(name: str) -> str:
    """The text of ``name``.sh without its comments, which would be in every manifest."""
    text = (Path(__file__).parent / "programs" / f"{name}.sh").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return "\n".join(line for line in lines if line) + "\n"
