"""package/files/job.json: the job as the scripts of the package read it.

Slider never looks into the package's files, so texts stand here as they are; those with values that are known only when
a task runs are lists of their parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Located, child, entry
from tfdsl.ir.cluster_spec import IN_CLUSTER, flag_task, gets_flags, gets_tf_config
from tfdsl.ir.model import EnvVar, RunTimeText, TaskIndex
from tfdsl.ir.policies import completions
from tfdsl_backends.slider.features import features
from tfdsl_backends.slider.file_data import files, mounts, outputs, work_folder
from tfdsl_backends.slider.options import in_docker
from tfdsl_backends.slider.resources import megabytes
from tfdsl_backends.slider.rule_data import failures, losses, pending, restarted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.backend import Unit
    from tfdsl.emit.located import Data
    from tfdsl.ir.model import EnvValue, Job, Role, Text

POLL_SECONDS = 5
"""Between two looks for peers, or for ended replicas."""

WATCH_SECONDS = 20
"""Between two looks for replaced peers while the command runs."""

RESTART_PAUSES = (0, 10, 75)
"""Seconds before the first, second and every further restart: an agent restarts at most five times in five minutes."""


def job_file(unit: Unit) -> dict[str, Data]:
    """The document."""
    job = unit.job
    return {
        "name": Located(job.name, "name"),
        "retries": Located(job.retries, "retries"),
        "deadline": Located(job.deadline.seconds, "deadline") if job.deadline is not None else None,
        "checkpoint": Located(_text(job.checkpoint or ""), "checkpoint"),
        "protocol": Located(job.cluster.protocol, "cluster.protocol"),
        "completions": [_completion(policy.role, policy.index, policy.path) for policy in completions(job)],
        "files": [name for _, name in files(unit)],
        "packages": features(unit.version).agent_packages,
        "hdfs": uses_hdfs(job),
        "python": unit.text("python"),
        "resourcemanagers": [web_address(text) for text in unit.texts("resourcemanager")],
        "wait_limit": _number(unit, "wait_limit"),
        "stop_grace": _number(unit, "stop_grace"),
        "poll": POLL_SECONDS,
        "watch": WATCH_SECONDS,
        "pauses": RESTART_PAUSES,
        "roles": {role.name: Located(_role(unit, role), role.path) for role in job.roles},
    }


def hides_gpus(job: Job, role: Role) -> bool:
    """A role without a GPU would see all of its node: Slider isolates none. A choice of its own stays."""
    chosen = {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"} & set(role.env)
    return role.gpu == 0 and not chosen and any(other.gpu for other in job.roles)


def _role(unit: Unit, role: Role) -> dict[str, Data]:
    job = unit.job
    job_name, offset = flag_task(job, role)
    listed = role.name in IN_CLUSTER
    return {
        "name": role.name,
        "replicas": Located(role.replicas, child(role.path, "replicas")),
        "listed": listed,
        "meets": meets(job, role),
        "tf_config": role.server or gets_tf_config(job, role),
        "flags": gets_flags(job, role) and not role.server,
        "flag_job": job_name,
        "flag_offset": offset,
        "server": Located(role.server, child(role.path, "server")),
        **_command(role),
        "args": [Located(_text(arg), child(role.path, "args")) for arg in role.args],
        "workdir": _optional(role, "workdir", role.workdir),
        "env": {name: Located(_value(value), entry(child(role.path, "env"), name)) for name, value in role.env.items()},
        "hide_gpus": hides_gpus(job, role),
        "docker": _docker(unit, role),
        "mounts": mounts(unit, role, _text),
        "outputs": outputs(role, _text),
        "failures": failures(job, role),
        "losses": losses(job, role),
        "pending": pending(job, role),
        "restarted": restarted(job, role),
    }


def meets(job: Job, role: Role) -> bool:
    """Whether the role waits for the cluster: it is told the addresses, or the gang starts together."""
    if role.name == "tensorboard":
        return False
    told = role.server or job.cluster.discovery != "none"
    return told or (job.gang and sum(other.replicas for other in job.roles if other.name in IN_CLUSTER) > 1)


def _command(role: Role) -> dict[str, Data]:
    """``argv`` or ``shell``; the other one is absent as an empty list or a false value."""
    path = child(role.path, "command")
    if role.name == "tensorboard" and not role.command:
        words: list[Data] = ["tensorboard", "--logdir", _text(role.logdir or ""), "--bind_all", "--port"]
        return {"argv": [*(Located(word, path) for word in words), [{"is": "port"}]], "shell": False}
    if isinstance(role.command, tuple):
        return {"argv": [Located(_text(word), path) for word in role.command], "shell": False}
    return {"argv": (), "shell": Located(_text(role.command), path)}


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
        "work_folder": work_folder(unit, role),
    }


def _text(text: Text) -> Data:
    if not isinstance(text, RunTimeText):
        return text
    return [_part(part) for part in text.parts]


def _part(part: str | TaskIndex | EnvVar) -> Data:
    if isinstance(part, TaskIndex):
        return {"is": "index"}
    return {"is": "env", "name": part.name} if isinstance(part, EnvVar) else part


def _value(value: EnvValue) -> Data:
    return _text(value) if isinstance(value, str | RunTimeText) else ""  # secrets: an error of check()


def _optional(role: Role, field: str, text: Text | None) -> Data:
    return "" if text is None else Located(_text(text), child(role.path, field))


def _completion(role: str | None, index: int | None, path: str) -> Data:
    return Located({"role": role, "index": -1 if index is None else index}, path)


def _number(unit: Unit, option: str) -> int:
    value = unit.options[option]
    return value if isinstance(value, int) else 0


def web_address(text: str) -> str:
    """An address of a ResourceManager as a URL without a final slash."""
    return (text if "://" in text else f"http://{text}").rstrip("/")


def uses_hdfs(job: Job) -> bool:
    """Whether any text that reaches a command names HDFS."""
    return any("hdfs://" in text for role in job.roles for text in literals(job, role))


def literals(job: Job, role: Role) -> Sequence[str]:
    """Everything literal that reaches the processes of ``role``."""
    given: list[object] = [job.checkpoint, role.logdir, role.workdir, *role.args, *role.env.values()]
    given += list(role.command) if isinstance(role.command, tuple) else [role.command]
    found: list[str] = []
    for text in given:
        parts: Sequence[object] = text.parts if isinstance(text, RunTimeText) else (text,)
        found += [part for part in parts if isinstance(part, str)]
    return found
