"""package/files/job.json: the job as the scripts of the package read it.

Slider never looks into the package's files, so texts are here as they are; a text with values that are known only when
a task runs is a list of its parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import Unit
from tfdsl.emit.located import Data, Located, child, entry
from tfdsl.ir.cluster_spec import IN_CLUSTER, flag_task, gets_flags, needs_tf_config
from tfdsl.ir.model import (
    CHECKPOINT_VARIABLE,
    ArchiveMount,
    BaseMount,
    EnvValue,
    EnvVar,
    HdfsMount,
    HostMount,
    Job,
    MemoryMount,
    Output,
    Role,
    RunTimeText,
    ScratchMount,
    Step,
    TaskIndex,
    Text,
    in_memory,
)
from tfdsl.ir.policies import starts_for_ever
from tfdsl.vocabulary.attributes import IN_MEMORY
from tfdsl.vocabulary.quantities import Quantity
from tfdsl_backends.hadoop.options import files, last_name
from tfdsl_backends.hadoop.when import in_docker
from tfdsl_backends.scripts import texts
from tfdsl_backends.scripts.roles import hides_gpus, hides_gpus_from_step, megabytes, seconds_to_stop
from tfdsl_backends.scripts.texts import mentions_hdfs
from tfdsl_backends.slider.config_files import config_files
from tfdsl_backends.slider.options import features
from tfdsl_backends.slider.policies import (
    completion_rules,
    failure_rules,
    loss_rules,
    pending_rules,
    restart_rules,
)

POLL_SECONDS = 5
"""Between two checks for peers, or for ended replicas."""

WATCH_SECONDS = 20
"""Between two checks for replaced peers while the command runs."""

TMPFS = {name: at for name, at in IN_MEMORY.items() if name != "shm"}
"""Attribute → where docker mounts a tmpfs for it; /dev/shm has an option of its own."""

STOP_GRACE = 20
"""Seconds that a command has to stop, unless its role says otherwise."""

RESTART_PAUSES = (0, 10, 75)
"""Seconds before the first, second and every further restart: an agent restarts at most five times in five minutes."""


def job_file(unit: Unit) -> dict[str, Data]:
    """The content of ``package/files/job.json``."""
    job = unit.job
    return {
        "name": Located(job.name, "name"),
        "retries": Located(job.retries, "retries"),
        "deadline": Located(job.deadline.seconds, "deadline") if job.deadline is not None else None,
        "checkpoint": Located(_text(job.checkpoint or ""), "checkpoint"),
        "protocol": Located(job.cluster.protocol, "cluster.protocol"),
        "completions": completion_rules(job),
        "files": [name for _, name in files(unit)],
        **({"config_files": [file.name for file in config_files(unit)]} if config_files(unit) else {}),
        "packages": features(unit.version).agent_packages,
        "hdfs": mentions_hdfs(job),
        "python": unit.text("python"),
        "resourcemanagers": [web_address(text) for text in unit.texts("resourcemanager")],
        "wait_limit": _number(unit, "wait_limit"),
        "poll": POLL_SECONDS,
        "watch": WATCH_SECONDS,
        "pauses": RESTART_PAUSES,
        "roles": {role.name: Located(_role(unit, role), role.path) for role in job.roles},
    }


def _number(unit: Unit, option: str) -> int:
    value = unit.options[option]
    return value if isinstance(value, int) else 0


def web_address(text: str) -> str:
    """The address of a ResourceManager as a URL without a final slash."""
    return (text if "://" in text else f"http://{text}").rstrip("/")


# --- roles -----------------------------------------------------------------------------------------------------------


def _role(unit: Unit, role: Role) -> dict[str, Data]:
    job = unit.job
    job_name, offset = flag_task(job, role)
    return {
        "name": role.name,
        "replicas": Located(role.replicas, child(role.path, "replicas")),
        "listed": role.name in IN_CLUSTER,
        "meets": waits_for_peers(job, role),
        "tf_config": needs_tf_config(job, role),
        "flags": gets_flags(job, role) and not role.server,
        "flag_job": job_name,
        "flag_offset": offset,
        "server": Located(role.server, child(role.path, "server")),
        **_command(role),
        "args": [Located(_text(arg), child(role.path, "args")) for arg in role.args],
        "workdir": "" if role.workdir is None else Located(_text(role.workdir), child(role.path, "workdir")),
        "env": _env(job, role),
        "hide_gpus": hides_gpus(job, role),
        "stop_grace": Located(seconds_to_stop(role, STOP_GRACE), child(role.path, "stop_grace")),
        **({"steps": [_step(job, role, step) for step in role.steps]} if role.steps else {}),
        "docker": _docker(unit, role),
        "mounts": _mounts(unit, role),
        "outputs": [_output(output) for output in role.outputs],
        "failures": failure_rules(job, role),
        "losses": loss_rules(job, role),
        "pending": pending_rules(job, role),
        "restarted": restart_rules(job, role),
        **({"again": True} if starts_for_ever(job, role) else {}),
    }


def _step(job: Job, role: Role, step: Step) -> Data:
    """A prepare step: what it has instead of the role's command."""
    return Located(
        {
            "name": step.name,
            **_words(step),
            "args": [Located(_text(arg), child(step.path, "args")) for arg in step.args],
            "workdir": "" if step.workdir is None else Located(_text(step.workdir), child(step.path, "workdir")),
            "env": _env(job, step),
            "hide_gpus": hides_gpus_from_step(job, role, step),
        },
        step.path,
    )


def _env(job: Job, runs: Role | Step) -> dict[str, Data]:
    """The variables but the job's checkpoint folder, which a setting of the application may replace."""
    path = child(runs.path, "env")
    return {
        name: Located(_value(value), entry(path, name))
        for name, value in runs.env.items()
        if name != CHECKPOINT_VARIABLE or value != job.checkpoint
    }


def waits_for_peers(job: Job, role: Role) -> bool:
    """Whether the role waits for the cluster: it needs the addresses, or the gang starts together."""
    if role.is_board:
        return False
    needs_addresses = role.server or job.cluster.discovery != "none"
    return needs_addresses or (job.gang and sum(other.replicas for other in job.roles if other.name in IN_CLUSTER) > 1)


def _command(role: Role) -> dict[str, Data]:
    """``argv`` or ``shell``; the other one is absent as an empty list or a false value."""
    path = child(role.path, "command")
    if role.is_board and not role.command:
        words: list[Data] = ["tensorboard", "--logdir", _text(role.logdir or ""), "--bind_all", "--port"]
        return {"argv": [*(Located(word, path) for word in words), [{"is": "port"}]], "shell": False}
    return _words(role)


def _words(runs: Role | Step) -> dict[str, Data]:
    path = child(runs.path, "command")
    if isinstance(runs.command, tuple):
        return {"argv": [Located(_text(word), path) for word in runs.command], "shell": False}
    return {"argv": (), "shell": Located(_text(runs.command), path)}


def _docker(unit: Unit, role: Role) -> Data:
    if not in_docker(unit, role):
        return False
    return {
        "image": Located(role.image or "", child(role.path, "image")),
        "memory": Located(megabytes(role.memory), child(role.path, "memory")) if role.memory is not None else 0,
        "shm": Located(role.shm.whole, child(role.path, "shm")) if role.shm is not None else 0,
        "network": unit.text("docker_network"),
        "user": unit.text("docker_user"),
        "cgroup_root": unit.text("cgroup_root").rstrip("/"),
        "work_folder": starts_in_work_folder(unit, role),
    }


def starts_in_work_folder(unit: Unit, role: Role) -> bool:
    """Whether a docker role starts in the task's work folder, because mounts or files of the job are there."""
    relative = any(not mount.at.startswith("/") for mount in role.mounts)
    return (
        in_docker(unit, role) and role.workdir is None and (relative or bool(unit.texts("files") or config_files(unit)))
    )


def _text(text: Text) -> Data:
    return [_part(part) for part in text.parts] if isinstance(text, RunTimeText) else text


def _part(part: str | TaskIndex | EnvVar) -> Data:
    if isinstance(part, TaskIndex):
        return {"is": "index"}
    return {"is": "env", "name": part.name} if isinstance(part, EnvVar) else part


def _value(value: EnvValue) -> Data:
    return _text(value) if isinstance(value, str | RunTimeText) else ""  # check() reports secrets


# --- files -----------------------------------------------------------------------------------------------------------


def sent_archives(job: Job) -> dict[str, str]:
    """The submitter's archives of all roles: the source, and its place in the package's files."""
    return texts.sent_archives(job, lambda before, source: f"archives/{before}/{last_name(source)}")


def _mounts(unit: Unit, role: Role) -> Sequence[Data]:
    """The mounts that the script makes, in order."""
    sent = sent_archives(unit.job)
    pairs = [(mount, _mount(mount, sent)) for mount in role.mounts]
    mounts: list[Data] = [Located(data, mount.path) for mount, data in pairs if data]
    memory = [mount for mount in in_memory(role) if mount.name in TMPFS and in_docker(unit, role)]
    return [*mounts, *(Located(_tmpfs(mount.at, mount.size), child(role.path, mount.name)) for mount in memory)]


def _tmpfs(at: str, size: Quantity | None, readonly: bool = False) -> dict[str, Data]:
    return {"kind": "memory", "at": at, "readonly": readonly, "size": size.whole if size else 0}


def _mount(mount: BaseMount, sent: dict[str, str]) -> dict[str, Data]:
    base: dict[str, Data] = {"kind": getattr(mount, "kind", ""), "at": mount.at, "readonly": mount.readonly}
    match mount:
        case HostMount():
            return {**base, "source": _text(mount.source), "type": mount.type}
        case HdfsMount():
            return {**base, "source": _text(mount.uri)}
        case ArchiveMount() if isinstance(mount.source, str) and mount.source in sent:
            return {**base, "file": sent[mount.source]}
        case ArchiveMount():
            return {**base, "source": _text(mount.source)}
        case ScratchMount():
            return base
        case MemoryMount():
            return _tmpfs(mount.at, mount.size, mount.readonly)
        case _:
            return {}  # a Kubernetes mount, which the table has refused


def _output(output: Output) -> Data:
    """A copy that the script makes when the command has ended."""
    return Located(
        {
            "source": Located(_text(output.source), child(output.path, "source")),
            "destination": Located(_text(output.destination), child(output.path, "destination")),
            "when": output.when,
            "index": -1 if output.index is None else output.index,
            "overwrite": output.overwrite,
        },
        output.path,
    )
