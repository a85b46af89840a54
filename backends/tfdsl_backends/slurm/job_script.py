"""The scripts of the allocation and of each replica.

``job.sbatch`` is what the job asks Slurm for, and the loop that starts its replicas and carries out its policies;
``task.sh`` is what runs in each of its steps: mounts, command, outputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from tfdsl.backend import Unit
from tfdsl.emit import shell
from tfdsl.emit.located import Data, Located, Written, child
from tfdsl.emit.script import Quoted, render
from tfdsl.ir.cluster_spec import IN_CLUSTER, flag_task, gets_flags, needs_tf_config
from tfdsl.ir.model import HostMount, Job, Mount, Role
from tfdsl.patterns import regex
from tfdsl_backends.scripts import PARTS
from tfdsl_backends.scripts.commands import (
    commands,
    mount_call,
    mount_calls,
    preparations,
    role_values,
    role_word,
    script_steps,
    sets_variables,
    shown,
)
from tfdsl_backends.scripts.roles import seconds_to_stop
from tfdsl_backends.slurm import sbatch_options
from tfdsl_backends.slurm.layout import Component, components, single, size_of
from tfdsl_backends.slurm.options import port_range, time_limit
from tfdsl_backends.slurm.policies import ANY, Reaction, decided

TEMPLATES = Path(__file__).with_name("templates")
STOP_GRACE = 30
"""Seconds that a command has to stop, unless its role says otherwise; Slurm's own KillWait."""

EARLY = 60
"""Seconds that Slurm may send the warning early."""

SPARE = EARLY + 30
"""Seconds between the deadline, which the script itself keeps, and the warning."""

_MOST_WARNING = 65535


def job_script(unit: Unit) -> Written:
    """The script of ``unit``."""
    job = unit.job
    asked = components(unit)
    group = {role.name: number for number, component in enumerate(asked) for role in component.roles}
    own = [size_of(unit, role) for role in job.roles]
    given = [asked[group[role.name]].size for role in job.roles]  # with one allocation, the largest
    first, last = port_range(unit)
    policies = decided(unit)
    values: dict[str, Data] = {
        "job": Located(job.name, "name"),
        "components": [
            {
                "lines": directives(unit, component, first=component is asked[0]),
                "given": [Quoted(line) for line in sbatch_options.directives(unit, first=component is asked[0])],
            }
            for component in asked
        ],
        "several": not single(unit),
        "suffix": Quoted("" if single(unit) else "_HET_GROUP_"),
        "roles": [role.name for role in job.roles],
        "counts": [Located(str(role.replicas), child(role.path, "replicas")) for role in job.roles],
        "groups": [str(group[role.name]) for role in job.roles],
        "cpus": [str(size.cpus) for size in given],
        "memory": ["" if size.memory else "--mem=0" for size in given],
        "gres": [f"{size.device}:{size.devices}" if size.devices else "none" for size in own],
        "graces": [str(math.ceil(seconds_to_stop(role, STOP_GRACE))) for role in job.roles],
        "in_cluster": sorted(role.name for role in job.roles if role.name in IN_CLUSTER),
        "retries": Located(str(job.retries), "retries"),
        "evicted": policies.evicted,
        "deadline": Located(str(seconds(job)), "deadline"),
        "first_port": str(first),
        "last_port": str(last),
        "order": [{"role": role.name, "after": list(role.after)} for role in job.roles if role.after],
        "reactions": [
            {"pattern": pattern(reaction), "action": reaction.action, "seconds": str(reaction.seconds)}
            for reaction in policies.reactions
        ],
        "completions": [
            {
                "pattern": completion.replica,
                "shown": completion.replica.removesuffix(f"-{ANY}"),
                "action": completion.action,
            }
            for completion in policies.completions
        ],
        "watched": [
            {"role": watched.role, "count": str(watched.count), "action": watched.action}
            for watched in policies.watched
        ],
        "containers": cast("Data", container_values(unit)),
    }
    return render(TEMPLATES, "job.sbatch.j2", values)


def pattern(reaction: Reaction) -> Quoted:
    """A pattern of ``case``; nothing in it needs quotes."""
    return Quoted(" | ".join(f"{reaction.replica}:{end}" for end in reaction.ends))


def seconds(job: Job) -> int:
    """The deadline, rounded up; 0 without one."""
    return -(-job.deadline.ms // 1000) if job.deadline is not None else 0


def warning(unit: Unit) -> int:
    """How many seconds before its limit Slurm warns the script: all replicas end in that time."""
    longest = max(math.ceil(seconds_to_stop(role, STOP_GRACE)) for role in unit.job.roles)
    return min(longest + 30, _MOST_WARNING)


def minutes(unit: Unit) -> int:
    """Slurm's limit: the option's, or sooner if the deadline is; 0 for that of the partition."""
    asked = time_limit(unit)
    if unit.job.deadline is None:
        return -(-asked // 60)
    own = seconds(unit.job) + warning(unit) + SPARE
    return -(-(min(asked, own) if asked else own) // 60)


def directives(unit: Unit, component: Component, *, first: bool) -> Data:
    """The ``#SBATCH`` lines of a component. Their values are from alphabets that the checks know.

    The later components have what the first says of the whole job (sbatch(1), "Heterogeneous jobs"), but not its
    partition.
    """
    role = component.roles[0]
    size = component.size
    lines: list[Data] = job_directives(unit) if first else []
    if unit.job.queue is not None:
        lines.append(Located(f"--partition={unit.job.queue}", "queue"))
    lines.append(Located(f"--ntasks={component.tasks}", child(role.path, "replicas")))
    if component.per_node:
        lines.append(Located(f"--ntasks-per-node={component.per_node}", child(role.path, "spread")))
    lines.append(Located(f"--cpus-per-task={size.cpus}", child(role.path, "cpu")))
    lines.append("--threads-per-core=1")  # a step takes whole cores, so replicas that share one would wait for another
    if size.memory:
        lines.append(Located(f"--mem-per-cpu={size.memory}M", child(role.path, "memory")))
    if size.devices:
        kind = size.device.removeprefix("gpu").lstrip(":")
        lines.append(Located(f"--gpus-per-task={kind}{':' if kind else ''}{size.devices}", child(role.path, "gpu")))
    if component.constraint:
        lines.append(Located(f"--constraint={component.constraint}", child(role.path, "node_label")))
    return lines


def job_directives(unit: Unit) -> list[Data]:
    """What holds for the whole job."""
    job = unit.job
    lines: list[Data] = [
        Located(f"--job-name={job.name}", "name"),
        "--open-mode=append",  # otherwise a requeue empties the log
        "--requeue" if decided(unit).requeues else "--no-requeue",
    ]
    if minutes(unit):
        lines.append(Located(f"--time={minutes(unit)}", "deadline"))
    lines.append(f"--signal=B:USR1@{warning(unit)}")
    if isinstance(job.priority, int):
        lines.append(Located(f"--nice={-job.priority}", "priority"))
    elif job.priority is not None:
        lines.append(Located(f"--qos={job.priority}", "priority"))
    lines += [f"--{name}={unit.text(name)}" for name in ("account", "qos") if unit.text(name)]
    if job.suspend:
        lines.append(Located("--hold", "suspend"))
    return lines


_HOST = regex(r"(?P<registry>[A-Za-z0-9.-]+(?:\.[A-Za-z0-9-]+|:[0-9]+)|localhost)/(?P<rest>.+)")
UNSAFE = regex(r"[,:\\\s\"']")
"""What a list of mounts cannot hold."""


def container_values(unit: Unit) -> list[dict[str, Data]]:
    """For pyxis: role, options of srun, and the end of its list of mounts."""
    if unit.text("runtime") != "pyxis":
        return []
    return [
        {
            "role": role.name,
            "words": [Located(f"--container-image={pyxis_image(role.image or '')}", child(role.path, "image"))],
            "mounts": "".join(f",{mount.source}:{mount.at}{':ro' if mount.readonly else ''}" for mount in binds(role)),
        }
        for role in unit.job.roles
    ]


def pyxis_image(image: str) -> str:
    """``image`` as pyxis reads it: the registry ends with ``#``, and a file is a path."""
    if image.startswith(("/", "./")):
        return image
    image = image.removeprefix("docker://")
    match = _HOST.fullmatch(image)
    return f"{match['registry']}#{match['rest']}" if match is not None else image


def apptainer_image(image: str) -> str:
    """``image`` as apptainer reads it."""
    return image if image.startswith(("/", "./")) or "://" in image else f"docker://{image}"


def apptainer_values(unit: Unit) -> list[dict[str, Data]]:
    """For apptainer: role, options, image, and the mounts that task.sh has to make a folder for first."""
    if unit.text("runtime") != "apptainer":
        return []
    return [
        {
            "role": role.name,
            "words": list(_options(role)),
            "image": Located(apptainer_image(role.image or ""), child(role.path, "image")),
            "folders": [
                Located(Quoted(f"{mount.kind}_bind {number} {shell.quote(mount.at)}"), mount.path)
                for number, mount in enumerate(role.mounts, 1)
                if mount.kind in ("scratch", "memory") and mount.at.startswith("/")
            ],
        }
        for role in unit.job.roles
    ]


def _options(role: Role) -> Iterator[Data]:
    if role.gpu:
        yield Located("--nv", child(role.path, "gpu"))
    for mount in binds(role):
        end = f":{shell.quote(mount.at)}{':ro' if mount.readonly else ''}"
        yield Located(Quoted(f"--bind={role_word(role, mount.source)}{end}"), mount.path)


def binds(role: Role) -> list[HostMount]:
    """The folders of the node that are mounted at absolute paths."""
    return [mount for mount in role.mounts if mount.kind == "host" and mount.at.startswith("/")]


def task_script(unit: Unit) -> Written:
    """The script of ``unit``."""
    job = unit.job
    called = {shown(step).split(" ", 1)[0] for role in job.roles for step in mount_steps(unit, role)}
    outputs = any(role.outputs for role in job.roles)
    works = any(has_work(role) for role in job.roles)
    containers = unit.text("runtime")
    values: dict[str, Data] = {
        "job": Located(job.name, "name"),
        "roles": [values_of(job, role) for role in job.roles],
        "uses": {
            "environment": sets_variables(job),
            "work": works,
            "outputs": outputs,
            "run": outputs or containers == "apptainer" or works or bool({"fetch", "unpack"} & called),
            "submitted": outputs or containers != "pyxis" or bool({"fetch", "unpack"} & called),
            **{name: name in called for name in ("link", "there", "memory", "scratch", "fetch", "unpack")},
        },
        "preparations": preparations(job, lambda role: mount_steps(unit, role)),
        "steps": script_steps(job),
        "commands": commands(job, "python3"),
        "setup": unit.text("setup"),
        "apptainer": cast("Data", apptainer_values(unit)),
        "pyxis": containers == "pyxis",
    }
    return render(TEMPLATES, "task.sh.j2", values, parts=PARTS)


def values_of(job: Job, role: Role) -> dict[str, Data]:
    """What the template needs for one role."""
    name, offset = flag_task(job, role)
    return {
        **role_values(job, role, role.outputs),
        "work": has_work(role),
        "tf_config": needs_tf_config(job, role),
        "flags": gets_flags(job, role) and not role.server,
        "flag_job": name,
        "flag_offset": str(offset),
    }


def has_work(role: Role) -> bool:
    """Whether ``role`` starts in a folder of its own, because mounts are relative to it."""
    return any(not mount.at.startswith("/") for mount in role.mounts)


def mount_steps(unit: Unit, role: Role) -> list[Data]:
    """One call for each mount that needs the script. Links come last: nothing is fetched or unpacked through them."""
    numbered = sorted(enumerate(role.mounts, 1), key=lambda numbered_mount: numbered_mount[1].kind == "host")
    return mount_calls(numbered, lambda mount, number: mount_step(unit, role, mount, number))


def mount_step(unit: Unit, role: Role, mount: Mount, number: int) -> list[str]:
    """The call that makes ``mount``; empty if the container has it already."""
    absolute = mount.at.startswith("/")
    if mount.kind in ("scratch", "memory") and absolute and unit.text("runtime") == "apptainer":
        return []
    if mount.kind == "host" and not absolute:
        return ["link", role_word(role, mount.source), shell.quote(mount.at)]
    return mount_call(role, mount, number)
