"""Commands, prepare steps and outputs as words of the job script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from tfdsl.emit import shell
from tfdsl.emit.located import Data, Located, child, unwrap
from tfdsl.emit.script import Quoted
from tfdsl.emit.shell import TENSORFLOW_SERVER
from tfdsl.ir.model import Job, Mount, Output, Role, Step, Text
from tfdsl_backends.scripts.roles import hides_gpus, hides_gpus_from_step
from tfdsl_backends.scripts.texts import PORT, archive_suffix, program_word, resolved, word


def variable_word(runs: Role | Step, name: str) -> Quoted:
    """The value of a variable of a role or step; the checks refuse those that refer to Kubernetes objects."""
    return word(resolved(cast("Text", runs.env[name]), runs.env, frozenset((name,))))


def role_word(runs: Role | Step, text: Text) -> Quoted:
    """``text`` as a word of the script, with the values of the env of the role or step."""
    return word(resolved(text, runs.env))


def workdir(runs: Role | Step) -> Data:
    """The folder of the command as a word; empty if it is the work folder."""
    return Located(role_word(runs, runs.workdir), child(runs.path, "workdir")) if runs.workdir else ""


def sets_variables(job: Job) -> bool:
    """Whether a command has variables of its own."""
    return any(role.env or hides_gpus(job, role) for role in job.roles)


def command(job: Job, role: Role) -> list[Data]:
    """The words of the command, without the discovery flags."""
    place = child(role.path, "command")
    args: list[Data] = [
        Located(role_word(role, text), f"{child(role.path, 'args')}[{at}]") for at, text in enumerate(role.args)
    ]
    if not isinstance(role.command, tuple):
        return ["/bin/sh", "-c", Located(program_word(role.command), place), "sh", *args]
    if is_default_board(role):
        logdir = Located(role_word(role, role.logdir or ""), child(role.path, "logdir"))
        return ["tensorboard", "--logdir", logdir, "--bind_all", "--port", PORT, *args]
    words = role.command or (job.build.entrypoint if job.build is not None else ())
    # env would read a first word with = in it as another variable.
    guard = ["nice", "-n", "0"] if words and sets_variables(job) and not is_plain(words[0]) else []
    return [*guard, *(Located(role_word(role, text), f"{place}[{at}]") for at, text in enumerate(words)), *args]


def server(job: Job, role: Role, python: Data) -> list[Data]:
    """A plain TensorFlow server, with the protocol of the cluster."""
    program = Located(TENSORFLOW_SERVER, child(role.path, "server"))
    return [python, "-c", program, Located(job.cluster.protocol, "cluster.protocol")]


def step_command(step: Step) -> list[Data]:
    """The words of a step's command."""
    place = child(step.path, "command")
    args: list[Data] = [
        Located(role_word(step, text), f"{child(step.path, 'args')}[{at}]") for at, text in enumerate(step.args)
    ]
    if not isinstance(step.command, tuple):
        return ["/bin/sh", "-c", Located(program_word(step.command), place), "sh", *args]
    guard = ["nice", "-n", "0"] if step.command and not is_plain(step.command[0]) else []
    return [*guard, *(Located(role_word(step, text), f"{place}[{at}]") for at, text in enumerate(step.command)), *args]


def is_plain(text: Text) -> bool:
    """Whether env reads ``text`` as a command."""
    return isinstance(text, str) and "=" not in text


def is_default_board(role: Role) -> bool:
    """Whether tensorboard runs the language's default command, with the port that the task takes."""
    if not role.is_board:
        return False
    return role.command in ((), ("tensorboard", "--logdir", role.logdir, "--bind_all", "--port", str(role.port)))


def output_values(role: Role, output: Output) -> dict[str, Data]:
    """The words of one call of ``copy_out``."""
    words: list[Data] = [
        Located(output.when, child(output.path, "when")),
        Located(role_word(role, output.source), child(output.path, "source")),
        Located(role_word(role, output.destination), child(output.path, "destination")),
        "overwrite" if output.overwrite else "keep",
    ]
    return {"one": output.index is not None, "index": str(output.index), "words": words}


def script_steps(job: Job) -> Data:
    """The prepare steps: each once, and for the roles with the same steps their numbers; empty without any."""
    numbers: dict[tuple[str, ...], int] = {}
    made: list[Data] = []
    by_role: dict[tuple[tuple[int, str], ...], list[str]] = {}
    for role in job.roles:
        own: list[tuple[int, str]] = []
        for step in role.steps:
            values = step_values(job, role, step)
            key = (step.name, *(str(unwrap(part)) for part in cast("list[Data]", values["all"])))
            if key not in numbers:
                numbers[key] = len(numbers) + 1
                made.append({**values, "number": str(numbers[key])})
            own.append((numbers[key], step.name))
        if own:
            by_role.setdefault(tuple(own), []).append(role.name)
    groups: list[Data] = [
        {"names": Quoted(" | ".join(names)), "steps": [{"number": str(number), "name": name} for number, name in own]}
        for own, names in by_role.items()
    ]
    return {"each": made, "groups": groups} if made else []


def step_values(job: Job, role: Role, step: Step) -> dict[str, Data]:
    """What the template needs for one step. It gets no TF_CONFIG but its own."""
    variables: list[Data] = [
        Located(Quoted(f"{shell.quote(name)}={variable_word(step, name)}"), f"{owner.path}.env[{name}]")
        for name in step.env
        for owner in (role if role.env.get(name) == step.env[name] else step,)
    ]
    hidden: list[Data] = [Quoted("CUDA_VISIBLE_DEVICES=''")] if hides_gpus_from_step(job, role, step) else []
    words: list[Data] = ["env", "-u", "TF_CONFIG", *hidden, *variables, *step_command(step)]
    folder = workdir(step)
    return {"name": step.name, "workdir": folder, "words": words, "all": [folder, *words]}


def shown(data: Data) -> str:
    """The text of a word."""
    return str(unwrap(data))


def commands(job: Job, python: Data) -> list[Data]:
    """The commands; roles with the same command share it. ``python`` runs the servers."""
    groups: dict[tuple[str, ...], tuple[list[str], Data, list[Data]]] = {}
    for role in job.roles:
        words = server(job, role, python) if role.server else command(job, role)
        folder = workdir(role)
        groups.setdefault((shown(folder), *map(shown, words)), ([], folder, words))[0].append(role.name)
    return [
        {"names": Quoted(" | ".join(names)), "workdir": folder, "words": words}
        for names, folder, words in groups.values()
    ]


def role_values(job: Job, role: Role, outputs: Sequence[Output]) -> dict[str, Data]:
    """What the templates need for one role, whose ``outputs`` the script copies."""
    return {
        "name": role.name,
        "hide_gpus": hides_gpus(job, role),
        "env": [(name, Located(variable_word(role, name), f"{role.path}.env[{name}]")) for name in role.env],
        "workdir": workdir(role),
        "outputs": [output_values(role, output) for output in outputs],
    }


# --- mounts ----------------------------------------------------------------------------------------------------------


def preparations(job: Job, calls: Callable[[Role], list[Data]]) -> list[Data]:
    """The ``calls`` before the command of each role; roles with the same ones share them."""
    groups: dict[tuple[str, ...], tuple[list[str], list[Data]]] = {}
    for role in job.roles:
        steps = calls(role)
        if steps:
            groups.setdefault(tuple(map(shown, steps)), ([], steps))[0].append(role.name)
    return [{"names": Quoted(" | ".join(names)), "steps": steps} for names, steps in groups.values()]


def mount_calls(numbered: Iterable[tuple[int, Mount]], call: Callable[[Mount, int], list[str]]) -> list[Data]:
    """The call of each mount that needs the script."""
    calls = [(call(mount, number), mount) for number, mount in numbered]
    return [Located(Quoted(" ".join(words)), mount.path) for words, mount in calls if words]


def mount_call(role: Role, mount: Mount, number: int, source: str = "") -> list[str]:
    """The call that makes ``mount``; ``source``: where an archive is, if not where the mount says."""
    at = shell.quote(mount.at)
    match mount.kind:
        case "host":
            kind = [mount.type] if mount.type in ("Directory", "File") else []
            return ["there", at, *kind] if mount.at.startswith("/") else ["link", role_word(role, mount.source), at]
        case "scratch":
            return ["scratch", at]
        case "memory":
            return ["memory", str(number), at]
        case "hdfs":
            return ["fetch", str(number), role_word(role, mount.uri), at]
        case "archive":
            words = source or role_word(role, mount.source)
            return ["unpack", str(number), words, archive_suffix(mount.source), at]
        case _:
            return []
