"""``task.sh``: what a step runs. All texts of the user are in it, and none is in a directive or an option of srun."""

from __future__ import annotations

from typing import cast

from tfdsl.backend import Unit
from tfdsl.emit import shell
from tfdsl.emit.located import Data, Located, Written, child, unwrap
from tfdsl.emit.script import Quoted, render
from tfdsl.emit.shell import TENSORFLOW_SERVER
from tfdsl.ir.cluster_spec import flag_task, gets_flags, needs_tf_config
from tfdsl.ir.model import Job, Mount, Role
from tfdsl_backends.scripts import PARTS
from tfdsl_backends.scripts.archives import archive_suffix
from tfdsl_backends.scripts.commands import (
    command,
    output_values,
    role_word,
    sets_variables,
    variable_word,
    workdir,
)
from tfdsl_backends.scripts.roles import hides_gpus
from tfdsl_backends.scripts.steps import script_steps
from tfdsl_backends.slurm.containers import apptainer_values
from tfdsl_backends.slurm.job_script import TEMPLATES


def task_script(unit: Unit) -> Written:
    """The script of ``unit``."""
    job = unit.job
    prepared = preparations(unit)
    called = {str(unwrap(step)).split(" ", 1)[0] for _, steps in prepared for step in steps}
    outputs = any(role.outputs for role in job.roles)
    works = any(has_work(role) for role in job.roles)
    containers = unit.text("runtime")
    values: dict[str, Data] = {
        "job": Located(job.name, "name"),
        "roles": [role_values(job, role) for role in job.roles],
        "uses": {
            "environment": sets_variables(job),
            "work": works,
            "outputs": outputs,
            "run": outputs or containers == "apptainer" or works or bool({"fetch", "unpack"} & called),
            "submitted": outputs or containers != "pyxis" or bool({"fetch", "unpack"} & called),
            **{name: name in called for name in ("link", "there", "memory", "scratch", "fetch", "unpack")},
        },
        "preparations": [{"names": Quoted(" | ".join(names)), "steps": steps} for names, steps in prepared],
        "steps": script_steps(job),
        "commands": commands(job),
        "setup": unit.text("setup"),
        "apptainer": cast("Data", apptainer_values(unit)),
        "pyxis": containers == "pyxis",
    }
    return render(TEMPLATES, "task.sh.j2", values, parts=PARTS)


def role_values(job: Job, role: Role) -> dict[str, Data]:
    """What the template needs for one role."""
    name, offset = flag_task(job, role)
    return {
        "name": role.name,
        "hide_gpus": hides_gpus(job, role),
        "env": [(key, Located(variable_word(role, key), f"{role.path}.env[{key}]")) for key in role.env],
        "workdir": workdir(role),
        "outputs": cast("Data", [output_values(role, output) for output in role.outputs]),
        "work": has_work(role),
        "tf_config": needs_tf_config(job, role),
        "flags": gets_flags(job, role) and not role.server,
        "flag_job": name,
        "flag_offset": str(offset),
    }


def has_work(role: Role) -> bool:
    """Whether ``role`` starts in a folder of its own, because mounts are relative to it."""
    return any(not mount.at.startswith("/") for mount in role.mounts)


def commands(job: Job) -> list[Data]:
    """The commands; roles with the same command share it."""
    groups: dict[tuple[str, ...], tuple[list[str], Data, list[Data]]] = {}
    for role in job.roles:
        words = server(job, role) if role.server else command(job, role)
        key = (str(unwrap(workdir(role))), *(str(unwrap(word)) for word in words))
        groups.setdefault(key, ([], workdir(role), words))[0].append(role.name)
    return [
        {"names": Quoted(" | ".join(names)), "workdir": folder, "words": words}
        for names, folder, words in groups.values()
    ]


def server(job: Job, role: Role) -> list[Data]:
    """A plain TensorFlow server, with the protocol of the cluster."""
    program = Located(TENSORFLOW_SERVER, child(role.path, "server"))
    return ["python3", "-c", program, Located(job.cluster.protocol, "cluster.protocol")]


def preparations(unit: Unit) -> list[tuple[list[str], list[Data]]]:
    """The calls that make the mounts; roles with the same ones share them."""
    groups: dict[tuple[str, ...], tuple[list[str], list[Data]]] = {}
    for role in unit.job.roles:
        steps = mount_steps(unit, role)
        if steps:
            groups.setdefault(tuple(str(unwrap(step)) for step in steps), ([], steps))[0].append(role.name)
    return list(groups.values())


def mount_steps(unit: Unit, role: Role) -> list[Data]:
    """One call for each mount that needs the script. Links come last: nothing is fetched or unpacked through them."""
    numbered = sorted(enumerate(role.mounts, 1), key=lambda one: one[1].kind == "host")
    calls = [(mount_step(unit, role, mount, number), mount) for number, mount in numbered]
    return [Located(Quoted(" ".join(words)), mount.path) for words, mount in calls if words]


def mount_step(unit: Unit, role: Role, mount: Mount, number: int) -> list[str]:
    """The call that makes ``mount``; empty if the container has it already."""
    at, runtime = shell.quote(mount.at), unit.text("runtime")
    absolute = mount.at.startswith("/")
    if mount.kind == "host":
        kind = [mount.type] if mount.type in ("Directory", "File") else []
        return ["there", at, *kind] if absolute else ["link", role_word(role, mount.source), at]
    if mount.kind in ("scratch", "memory") and absolute and runtime == "apptainer":
        return []
    if mount.kind == "scratch":
        return ["scratch", at]
    if mount.kind == "memory":
        return ["memory", str(number), at]
    if mount.kind == "hdfs":
        return ["fetch", str(number), role_word(role, mount.uri), at]
    if mount.kind == "archive":
        return ["unpack", str(number), role_word(role, mount.source), archive_suffix(mount.source), at]
    return []
