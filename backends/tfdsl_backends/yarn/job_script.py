"""The script that each container runs: the steps of every role, and the task program with its plan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from tfdsl.backend import Unit
from tfdsl.emit import shell
from tfdsl.emit.located import Data, Located, unwrap
from tfdsl.emit.script import Quoted, render
from tfdsl.emit.written import Written
from tfdsl.ir.cluster_spec import gets_flags
from tfdsl.ir.model import HostMount, Mount, Role
from tfdsl_backends.hadoop.files import files
from tfdsl_backends.hadoop.options import in_docker
from tfdsl_backends.scripts import PARTS
from tfdsl_backends.scripts.commands import (
    command,
    output_values,
    role_word,
    script_steps,
    sets_variables,
    variable_word,
    workdir,
)
from tfdsl_backends.scripts.roles import hides_gpus
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
    """``job.sh``."""
    job = unit.job
    roles = [role_values(unit, role) for role in job.roles]
    python = unit.text("python")
    values: dict[str, Data] = {
        "job": job.name,
        "roles": cast("Data", roles),
        "uses": uses(unit),
        "preparations": preparations(unit),
        "steps": script_steps(unit.job),
        "commands": commands(unit),
        "docker": any(in_docker(unit, role) for role in job.roles),
        "flags": any(gets_flags(job, role) for role in job.roles),
        "protocol": Located(job.cluster.protocol, "cluster.protocol"),
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


def role_values(unit: Unit, role: Role) -> dict[str, Data]:
    """What the template needs for one role."""
    by_client = is_yarn_tf(unit)  # the modified client makes the links and copies the outputs
    outputs = [] if by_client else [output_values(role, output) for output in role.outputs]
    return {
        "name": role.name,
        "hide_gpus": hides_gpus(unit.job, role),
        "env": [(name, Located(variable_word(role, name), f"{role.path}.env[{name}]")) for name in role.env],
        "workdir": workdir(role),
        "outputs": cast("Data", outputs),
    }


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
        "link": "link" in called,
        "present": "there" in called,
        "memory": "memory" in called,
        "scratch": "scratch" in called,
        "fetch": "fetch" in called,
        "unpack": "unpack" in called,
    }


def preparations(unit: Unit) -> list[Data]:
    """The steps before the command; roles with the same steps share them."""
    groups: dict[tuple[str, ...], tuple[list[str], list[Data]]] = {}
    for role in unit.job.roles:
        steps = prepare_steps(unit, role)
        if steps:
            groups.setdefault(tuple(map(shown, steps)), ([], steps))[0].append(role.name)
    return [{"names": Quoted(" | ".join(names)), "steps": steps} for names, steps in groups.values()]


def commands(unit: Unit) -> list[Data]:
    """The commands; roles with the same command share it."""
    groups: dict[tuple[str, ...], tuple[list[str], Role]] = {}
    for role in unit.job.roles:
        words = [] if role.server else command(unit.job, role)
        key = (str(role.server), shown(workdir(role)), *map(shown, words))
        groups.setdefault(key, ([], role))[0].append(role.name)
    return [
        {
            "names": Quoted(" | ".join(names)),
            "server": role.server,
            "workdir": workdir(role),
            "words": command(unit.job, role),
        }
        for names, role in groups.values()
    ]


def shown(data: Data) -> str:
    """The text of a word."""
    return str(unwrap(data))


def prepare_steps(unit: Unit, role: Role) -> list[Data]:
    """One call for each mount that needs the script, in the order of the source, and one for the files sent along.

    The files replace what archives have. Links to what is the user's come last: nothing is fetched or unpacked through
    them.
    """
    numbered = list(enumerate(role.mounts, 1))
    made = [(number, mount) for number, mount in numbered if mount.kind != "host"]
    linked = [(number, mount) for number, mount in numbered if mount.kind == "host"]
    sent = [Quoted(" ".join(("unpack", "files", sent_source(unit, PACKED_FILES), ".tar", ".")))] if files(unit) else []
    return [*_mount_steps(unit, role, made), *sent, *_mount_steps(unit, role, linked)]


def _mount_steps(unit: Unit, role: Role, numbered: Sequence[tuple[int, Mount]]) -> list[Data]:
    calls = [(mount_step(unit, role, mount, number), mount) for number, mount in numbered]
    return [Located(Quoted(" ".join(words)), mount.path) for words, mount in calls if words]


def mount_step(unit: Unit, role: Role, mount: Mount, number: int) -> list[str]:
    """The call that makes ``mount``; empty if the runtime does."""
    at = shell.quote(mount.at)
    if mount.kind == "host":
        return [] if is_yarn_tf(unit) else host_step(role, mount)
    if mount.kind == "scratch":
        return ["scratch", at]
    if mount.kind == "memory":
        return [] if mount.at.startswith("/") and in_docker(unit, role) else ["memory", str(number), at]
    if mount.kind == "hdfs":
        return ["fetch", str(number), role_word(role, mount.uri), at]
    if mount.kind == "archive":
        sent = sent_archives(unit.job).get(mount.source) if isinstance(mount.source, str) else None
        source = role_word(role, mount.source) if sent is None else sent_source(unit, sent)
        return ["unpack", str(number), source, archive_suffix(mount.source), at]
    return []


def host_step(role: Role, mount: HostMount) -> list[str]:
    """A link for a relative path; an absolute path only has to exist."""
    kind = [mount.type] if mount.type in ("Directory", "File") else []
    if mount.at.startswith("/"):
        return ["there", shell.quote(mount.at), *kind]
    return ["link", role_word(role, mount.source), shell.quote(mount.at), *kind]


def sent_source(unit: Unit, name: str) -> str:
    """Where a task finds a file that submit.sh has sent: in its work folder, or in the job's store."""
    return name if features(unit.version).localize else f'"$TFJOB_STORE"/{name}'


def store_expression(unit: Unit) -> str:
    """The store as an expression of the shell."""
    return shell.quote(store_place(unit))
