"""What a container runs: the role's command, the discovery flags, and the programs around it.

From the inside out: the command and its arguments; the flag ``--task_index`` where it has to be computed; the copying
of outputs; the target's own program. Each layer is ``/bin/sh -c PROGRAM sh PARAMETERS… COMMAND…``, so arguments pass
through all of them byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfdsl.emit.located import Block, Data, Located, at, child
from tfdsl.emit.shell import escape_expansion
from tfdsl.ir.cluster_spec import flag_hosts, flag_task
from tfdsl.ir.model import Job, Output, Role, Step
from tfdsl_backends.podspec.plan import Index, PodPlan, Program
from tfdsl_backends.podspec.programs import TENSORFLOW_SERVER, shell_program
from tfdsl_backends.podspec.run_time import expanded, located_texts, shell_text, uses_index

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
    if role.server or role.name == "tensorboard" or role.command or entrypoint(job):
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
    if role.name == "tensorboard" and isinstance(role.command, tuple) and not role.command:
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
