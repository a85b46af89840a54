"""The script that each container runs: the steps of every role, and the task program with its plan."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from tfdsl.backend import Unit
from tfdsl.emit import shell
from tfdsl.emit.located import Data, Written
from tfdsl.emit.script import Quoted, render
from tfdsl.ir.cluster_spec import gets_flags
from tfdsl.ir.model import Mount, Role
from tfdsl_backends.hadoop.options import files
from tfdsl_backends.hadoop.when import in_docker
from tfdsl_backends.scripts import PARTS
from tfdsl_backends.scripts.commands import (
    commands,
    mount_call,
    mount_calls,
    preparations,
    role_values,
    script_steps,
    sets_variables,
    shown,
)
from tfdsl_backends.scripts.texts import archive_suffix, head, mentions_hdfs
from tfdsl_backends.yarn.assembly import program
from tfdsl_backends.yarn.needs import (
    PACKED_FILES,
    entries,
    has_rendezvous,
    sends_through_store,
    sent_archives,
    store_place,
)
from tfdsl_backends.yarn.options import features, is_yarn_tf
from tfdsl_backends.yarn.policies import restarts, task_plan

TEMPLATES = Path(__file__).with_name("templates")
PYTHONS = ("python3", "python", "python2")


def job_script(unit: Unit) -> Written:
    """``job.sh``, which every container runs."""
    job = unit.job
    by_client = is_yarn_tf(unit)  # the modified client makes the links and copies the outputs
    roles = [role_values(job, role, () if by_client else role.outputs) for role in job.roles]
    python = unit.text("python")
    values: dict[str, Data] = {
        "job": job.name,
        "roles": cast("Data", roles),
        "uses": uses(unit),
        "preparations": preparations(job, lambda role: prepare_steps(unit, role)),
        "steps": script_steps(unit.job),
        "commands": commands(job, Quoted('"$TFJOB_PYTHON"')),
        "docker": any(in_docker(unit, role) for role in job.roles),
        "flags": any(gets_flags(job, role) for role in job.roles),
        "pythons": [python] if python else list(PYTHONS),
        "webhdfs": unit.text("webhdfs"),
        "hadoop_home": unit.text("hadoop_home"),
        "hdfs_paths": mentions_hdfs(job),
        "in_store": sends_through_store(unit),
        "store_expression": Quoted(store_expression(unit)),
        "given": is_yarn_tf(unit),
        "meets": has_rendezvous(unit),
        "restarts": restarts(job),
        "way": "run" if has_rendezvous(unit) else "alone",
        "plan": Quoted(task_plan(unit)),
        "program": Quoted(program(entries(unit))),
    }
    return render(TEMPLATES, "job.sh.j2", values, parts=PARTS)


def uses(unit: Unit) -> dict[str, Data]:
    """Which functions of the template the script calls."""
    roles = unit.job.roles
    called = {shown(step).split(" ", 1)[0] for role in roles for step in prepare_steps(unit, role)}
    wanted = entries(unit)
    outputs = [] if is_yarn_tf(unit) else [output for role in roles for output in role.outputs]
    return {
        "environment": sets_variables(unit.job),
        "outputs": bool(outputs),
        "copies": any("://" not in head(output.destination) for output in outputs),
        "put": "COMMANDS.put" in wanted,
        "marks": "COMMANDS.mark" in wanted,
        "unzip": "COMMANDS.unzip" in wanted,
        "untar": bool(files(unit))
        or any(
            mount.kind == "archive" and archive_suffix(mount.source) != ".zip"
            for role in roles
            for mount in role.mounts
        ),
        "present": "there" in called,
        **{name: name in called for name in ("link", "memory", "scratch", "fetch", "unpack")},
    }


def prepare_steps(unit: Unit, role: Role) -> list[Data]:
    """One call for each mount that needs the script, in the order of the source, and one for the files sent along.

    The files replace what archives have. Links to what is the user's come last: nothing is fetched or unpacked through
    them.
    """

    def call(mount: Mount, number: int) -> list[str]:
        return mount_step(unit, role, mount, number)

    numbered = list(enumerate(role.mounts, 1))
    made = [(number, mount) for number, mount in numbered if mount.kind != "host"]
    linked = [(number, mount) for number, mount in numbered if mount.kind == "host"]
    sent = [Quoted(" ".join(("unpack", "files", sent_source(unit, PACKED_FILES), ".tar", ".")))] if files(unit) else []
    return [*mount_calls(made, call), *sent, *mount_calls(linked, call)]


def mount_step(unit: Unit, role: Role, mount: Mount, number: int) -> list[str]:
    """The call that makes ``mount``; empty if the runtime does."""
    if mount.kind == "host" and is_yarn_tf(unit):
        return []
    if mount.kind == "memory" and mount.at.startswith("/") and in_docker(unit, role):
        return []
    given = mount.source if mount.kind == "archive" and isinstance(mount.source, str) else ""
    sent = sent_archives(unit.job).get(given)
    return mount_call(role, mount, number, sent_source(unit, sent) if sent is not None else "")


def sent_source(unit: Unit, name: str) -> str:
    """Where a task finds a file that submit.sh has sent: in its work folder, or in the job's store."""
    return name if features(unit.version).localize else f'"$TFJOB_STORE"/{name}'


def store_expression(unit: Unit) -> str:
    """The store as an expression of the shell."""
    return shell.quote(store_place(unit))
