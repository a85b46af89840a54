"""A job as what stock DistributedShell runs: ``submit.sh``, and ``job.sh``, which it sends to every container."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from tfdsl.backend import Document, TaskConfig, Unit
from tfdsl.emit.located import Data, Located, Written, at, child
from tfdsl.emit.script import render
from tfdsl.ir.flow import names_run
from tfdsl.ir.model import Job, Role
from tfdsl.ir.policies import starts_for_ever
from tfdsl_backends.hadoop.options import files
from tfdsl_backends.scripts.roles import seconds_to_stop
from tfdsl_backends.scripts.tfconfig import placeholder_tasks
from tfdsl_backends.yarn.applications import Application, applications, runtime_variables
from tfdsl_backends.yarn.checks import check
from tfdsl_backends.yarn.job_script import job_script
from tfdsl_backends.yarn.needs import AT_HOME, PACKED_FILES, sent_archives, store_place, uses_store
from tfdsl_backends.yarn.options import NO_TIMEOUT, TAG, features, is_yarn_tf, store_in_hdfs
from tfdsl_backends.yarn.placement import placement_spec
from tfdsl_backends.yarn.policies import RESTART_STATUS, STOP_GRACE, restarts

__all__ = ["check", "generate", "tasks"]


def generate(unit: Unit) -> Sequence[Document]:
    """The script that submits, and the script of the containers."""
    submit, job = submit_script(unit), job_script(unit)
    return [
        Document(submit.text, "submit.sh", "text", executable=True, lines=submit.lines),
        Document(job.text, "job.sh", "text", executable=True, lines=job.lines),
    ]


STOCK = "addresses are known once all tasks are there: HOST-ROLE-INDEX:PORT stands for a node and a free port on it"
YARN_TF = (
    "addresses come from the modified client: HOST-ROLE-INDEX:PORT stands for them; TF_CONFIG is built from its flags"
)


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """Roles in order, indexes ascending."""
    return placeholder_tasks(
        unit.job, lambda role, index: f"HOST-{role.name}-{index}:PORT", (YARN_TF if is_yarn_tf(unit) else STOCK,)
    )


TEMPLATES = Path(__file__).with_name("templates")
RETRY_INTERVAL = 1000
"""Milliseconds before the NodeManager relaunches a container."""


def submit_script(unit: Unit) -> Written:
    """``submit.sh``, which the user runs."""
    have = features(unit.version)
    submitted = applications(unit)
    archives: Data = [{"file": file, "name": name} for file, name in sent_archives(unit.job).items()]
    values: dict[str, Data] = {
        "job": unit.job.name,
        "applications": [
            {"name": app.name or "job", "appname": appname(unit, app), "options": client_options(unit, app)}
            for app in submitted
        ],
        "store": store_place(unit).removeprefix(AT_HOME),
        "at_home": not unit.text("store"),
        "deadline": str(-(-unit.job.deadline.ms // 1000)) if unit.job.deadline is not None else "",
        "grace": str(grace(unit.job)),
        "uses_store": uses_store(unit),
        "in_hdfs": store_in_hdfs(unit),
        "archives": archives,
        "files": cast("Data", [{"source": source, "name": name} for source, name in files(unit)]),
        "packed": PACKED_FILES,
        "localize": have.localize,
        "names_run": names_run(unit.job),
        "tags": have.tags,
        "tag": TAG,
        "several": len(submitted) > 1,
        "board_apart": any(app.name and starts_for_ever(unit.job, role) for app in submitted for role in app.roles),
    }
    return render(TEMPLATES, "submit.sh.j2", values)


def grace(job: Job) -> int:
    """Seconds for the other applications to end by themselves once one has failed: the coordinator's own time limit.

    Its tasks give their commands time to stop, which must not be cut short from here.
    """
    return math.ceil(max(seconds_to_stop(role, STOP_GRACE) for role in job.roles)) + 20


def client_options(unit: Unit, app: Application) -> list[Data]:
    """The options of one application, a list of words for each line.

    Of the user's texts, a second shell reads only the variables of the docker runtime, whose characters are checked.
    """
    return [
        ["-appname", appname(unit, app)],
        *(["-queue", value] for value in [at(unit.job, "queue")] if value is not None),
        *(["-priority", value] for value in [at(unit.job, "priority")] if value is not None),
        *(yarn_tf_options(unit) if is_yarn_tf(unit) else containers(unit, app)),
        *size(unit, app),
        ["-master_memory", str(unit.options["am_memory"])],
        *node_label(app),
        ["-timeout", timeout(unit)],
        *retries(unit),
        *([["-shell_env", f"TFJOB_ROLE_ONLY={app.name}"]] if app.name else []),
        *(
            ["-shell_env", Located(f"{name}={value}", child(app.roles[0].path, "image"))]
            for name, value in runtime_variables(unit, app.roles)
            if not (is_yarn_tf(unit) and name.endswith("_MOUNTS"))
        ),
    ]


def appname(unit: Unit, app: Application) -> str:
    """The application's name in YARN."""
    return f"{unit.job.name}-{app.name}" if app.name else unit.job.name


def containers(unit: Unit, app: Application) -> list[Data]:
    """How many containers, and where."""
    count = Located(str(app.containers), child(app.roles[0].path, "replicas"))
    spec = placement_spec(unit, app)
    return [["-num_containers", count], *([spec] if spec else [])]


def size(unit: Unit, app: Application) -> list[Data]:
    """Memory, processors and devices of one container."""
    role = app.roles[0]
    if not features(unit.version).resources:
        return [
            ["-container_memory", Located(str(app.size.memory), child(role.path, "memory"))],
            ["-container_vcores", Located(str(app.size.vcores), child(role.path, "cpu"))],
        ]
    amounts = [("memory-mb", app.size.memory), ("vcores", app.size.vcores), *app.size.others]
    text = ",".join(f"{name}={count}" for name, count in amounts)
    return [["-container_resources", Located(text, child(role.path, "memory"))]]


def node_label(app: Application) -> list[Data]:
    """The label expression of the application: that of its first role that has one."""
    role = next((role for role in app.roles if role.node_label), None)
    return [["-node_label_expression", at(role, "node_label")]] if role is not None else []


def timeout(unit: Unit) -> Data:
    """Milliseconds after which the client kills the application; always written: the client's default is 600,000."""
    deadline = unit.job.deadline
    return Located(str(deadline.ms), "deadline") if deadline is not None else str(NO_TIMEOUT)


def retries(unit: Unit) -> list[Data]:
    """The NodeManager's relaunches in place: policy 2, which is on some statuses."""
    if not restarts(unit.job):
        return []
    return [
        ["-container_retry_policy", "2"],
        ["-container_retry_error_codes", str(RESTART_STATUS)],
        ["-container_max_retries", Located(str(unit.job.retries), "retries")],
        ["-container_retry_interval", str(RETRY_INTERVAL)],
    ]


def yarn_tf_options(unit: Unit) -> list[Data]:
    """Options of the modified client only: sizes of the cluster, mounts and outputs."""
    roles = unit.job.roles
    options: list[Data] = [
        ["-num_parameter_servers", replicas(unit.job.role("ps"))],
        ["-num_trainers", replicas(unit.job.role("worker"))],
    ]
    mounts = dict.fromkeys(
        f"{mount.source}:{mount.at}" for role in roles for mount in role.mounts if mount.kind == "host"
    )
    outputs = dict.fromkeys(f"{output.source}:{output.destination}" for role in roles for output in role.outputs)
    options += [["-mounts", ",".join(mounts)]] if mounts else []
    options += [["-output", ",".join(outputs)]] if outputs else []
    return options


def replicas(role: Role | None) -> Data:
    """The number of replicas of ``role``, 0 without it."""
    return Located(str(role.replicas), child(role.path, "replicas")) if role is not None else "0"


def words_of(options: list[Data]) -> list[str]:
    """All words of :func:`client_options`, for tests and messages."""
    from tfdsl.emit.located import plain

    return [str(word) for line in options for word in cast("list[object]", plain(line))]
