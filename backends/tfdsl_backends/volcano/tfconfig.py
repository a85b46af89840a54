"""What each task sees of the cluster: the plugins of the job, and the three ways to deliver TF_CONFIG.

A replica's host is ``<job>-<task>-<index>.<job>``, the pod's name in the headless Service of the svc plugin. Unless an
option names the plugins, env gives the index, svc the names and tensorflow TF_CONFIG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from json import dumps
from typing import Final, Literal, TypeAlias, cast

from tfdsl.backend import TaskConfig, Unit
from tfdsl.emit.located import Data
from tfdsl.ir.cluster_spec import (
    IN_CLUSTER,
    cluster_spec,
    gets_flags,
    gets_tf_config,
    listed,
    needs_tf_config,
    tf_config,
)
from tfdsl.ir.model import Job, Role
from tfdsl.record import replace
from tfdsl_backends.podspec.plan import Index, PodPlan, Program, index_of
from tfdsl_backends.podspec.tfconfig import INDEX, RoleTasks, Tasks, role_tasks
from tfdsl_backends.volcano.features import features
from tfdsl_backends.volcano.names import file_name, host, reached, task_name

Mode: TypeAlias = Literal["plugin", "static", "shell"]

INDEX_FIELD = "metadata.annotations['volcano.sh/task-index']"
"""Set before a pod is created, so a fieldRef finds it (seen on a running cluster); from 1.9 on."""

PLUGIN_ROLES = ("ps", "worker", "chief", "evaluator")
"""The roles of the tensorflow plugin, in the order of its JSON (pkg/controllers/job/plugins/distributed-framework)."""


def mode(unit: Unit) -> Mode:
    """The delivery that the option names, else the plugin if its value is ours, else static.

    A static value needs a replica's index. Old releases do not write it on the pod; there a shell builds the value.
    """
    chosen = unit.text("tf_config")
    if chosen:
        return cast("Mode", chosen)
    if _plugin_obstacle(unit.job) is None:
        return "plugin"
    return "shell" if lacks_index(unit) else "static"


def lacks_index(unit: Unit) -> bool:
    """Whether a static TF_CONFIG would need an index that the release does not write on the pods."""
    readers = [role for role in unit.job.roles if gets_tf_config(unit.job, role)]
    return not features(unit).annotates_index and any(role.replicas > 1 for role in readers)


def static_reason(unit: Unit) -> str | None:
    """Why TF_CONFIG is static although nobody asked for it; ``None`` where it is not."""
    is_read = any(gets_tf_config(unit.job, role) for role in unit.job.roles)
    return _plugin_obstacle(unit.job) if is_read and not unit.text("tf_config") and mode(unit) == "static" else None


def plugin_arguments(unit: Unit) -> list[str] | None:
    """The arguments of the tensorflow plugin, or ``None`` where it is not used.

    A master takes the plugin's place of the chief.
    """
    if mode(unit) != "plugin" or not any(gets_tf_config(unit.job, role) for role in unit.job.roles):
        return None
    named = {role.name: role for role in unit.job.roles}
    if "master" in named:
        named["chief"] = named["master"]
    roles = [f"--{name}={task_name(unit, named[name])}" for name in PLUGIN_ROLES if name in named]
    return [*roles, f"--port={plugin_port(unit.job)}"]


def plugin_port(job: Job) -> int:
    """The port that the plugin writes for all roles."""
    return next(role.port for role in job.training_roles)


def plugin_differences(job: Job) -> list[str]:
    """How the plugin's value differs from ours, beyond ``environment``."""
    differences: list[str] = []
    if _is_single(job):
        differences.append("a job with one replica gets none")
    if job.role("evaluator") is not None:
        differences.append("the evaluator is listed in the cluster")
    if job.role("master") is not None:
        differences.append("the master is called chief")
    return differences


def deliver(unit: Unit, role: Role) -> PodPlan:
    """The part of the pod plan by which ``role`` knows the others."""
    job = unit.job
    index = index_of(role, INDEX_FIELD)
    return PodPlan(
        index,
        tf_config=_static_value(unit, role, index),
        hosts=hosts(unit) if gets_flags(job, role) and not role.server else {},
        wrapper=_shell_program(unit, role) if gets_tf_config(job, role) and mode(unit) == "shell" else None,
    )


def hosts(unit: Unit) -> dict[str, list[str]]:
    """Role → ``host:port`` of each replica, for the roles of the cluster."""
    return cluster_spec(unit.job, lambda role, index: f"{host(unit, role, index)}:{role.port}")


def plugin_cluster(unit: Unit) -> str | None:
    """The value of ``cluster`` as the tensorflow plugin writes it, byte for byte; ``None`` where it sets no TF_CONFIG.

    Compact JSON with the keys in the plugin's order. A job of one replica gets none.
    """
    job = unit.job
    if _is_single(job):
        return None
    port = plugin_port(job)
    members = [role for name in PLUGIN_ROLES for role in job.roles if _plugin_name(role) == name]
    cluster = {_plugin_name(role): [f"{host(unit, role, at)}:{port}" for at in listed(role)] for role in members}
    return dumps(cluster, separators=(",", ":"))


def plugin_value(cluster: str, role: Role, index: str) -> str:
    """TF_CONFIG of a replica as the plugin writes it, byte for byte: there is no ``environment``.

    ``index`` is decimal, or a placeholder.
    """
    return f'{{"cluster":{cluster},"task":{{"type":"{_plugin_name(role)}","index":{index}}}}}'


def _plugin_obstacle(job: Job) -> str | None:
    if _is_single(job):
        return "sets none for a job with one replica"
    if job.role("evaluator") is not None:
        return "lists the evaluator in the cluster"
    if job.role("master") is not None:
        return "calls the master chief"
    if len({role.port for role in job.training_roles}) > 1:
        return "uses one port for all roles"
    return None


def _plugin_name(role: Role) -> str:
    return "chief" if role.name == "master" else role.name


def _static_value(unit: Unit, role: Role, index: Index) -> str | None:
    """The env entry, if we write it; a ``server`` role always needs one."""
    ours = mode(unit) == "static" if gets_tf_config(unit.job, role) else needs_tf_config(unit.job, role)
    return tf_config(hosts(unit), role.name, index.reference) if ours else None


def _is_single(job: Job) -> bool:
    return len(job.roles) == 1 and job.roles[0].replicas == 1


def _shell_program(unit: Unit, role: Role) -> Program:
    """Builds TF_CONFIG from the host files of the svc plugin, as the published examples do, and runs the command.

    The files have no final newline, so the last line is read with a failing ``read``. VC_TASK_INDEX comes from the env
    plugin, which called it VK_TASK_INDEX at first.
    """
    members = (other for other in unit.job.roles if other.name in IN_CLUSTER)
    return Program(shell_text({other.name: (file_name(unit, other), other.port) for other in members}, role.name))


def shell_text(members: Mapping[str, tuple[str, int]], role: str) -> str:
    """The text of that program. ``members``: role of the cluster → its file of hosts, without ``.host``, and port."""
    lists = [f"hosts /etc/volcano/{file}.host {port}; {name}=$list" for name, (file, port) in sorted(members.items())]
    cluster = ",".join(f'\\"{name}\\":[${name}]' for name in sorted(members))
    task = f'\\"type\\":\\"{role}\\",\\"index\\":${{VC_TASK_INDEX:-$VK_TASK_INDEX}}'
    lines = [
        "hosts() {",
        "  list=",
        '  while IFS= read -r host || [ -n "$host" ]; do list="$list${list:+,}\\"$host:$2\\""; done <"$1"',
        "}",
        *lists,
        f'export TF_CONFIG="{{\\"cluster\\":{{{cluster}}},\\"task\\":{{{task}}},\\"environment\\":\\"cloud\\"}}"',
        'exec "$@"',
    ]
    return "\n".join(lines) + "\n"


# --- what each task sees, for `tfdsl tfconfig` -------------------------------------------------------------------


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """What each task sees, roles in order, indexes ascending."""
    job = unit.job
    addresses = hosts(unit)
    if plugin_arguments(unit) is None:
        specs = [addresses if needs_tf_config(job, role) else None for role in job.roles]
        return Tasks([role_tasks(job, role, addresses, spec) for role, spec in zip(job.roles, specs, strict=True)])
    cluster = plugin_cluster(unit)
    return Tasks([_by_plugin(role_tasks(job, role, addresses, None), job, role, cluster) for role in job.roles])


def _by_plugin(seen: RoleTasks, job: Job, role: Role, cluster: str | None) -> RoleTasks:
    """The tasks of ``role`` with the plugin's own TF_CONFIG (``cluster`` ``None``: it sets none)."""
    config = None if cluster is None else plugin_value(cluster, role, INDEX)
    return replace(seen, config=config, differences=_differences(job, role, cluster))


def _differences(job: Job, role: Role, cluster: str | None) -> tuple[str, ...]:
    if role.is_board:
        return ("the plugin also sets TF_CONFIG for tensorboard, which does not read it",)
    missing = ("the key environment is missing",) if cluster is not None else ()
    return *missing, *plugin_differences(job)


ADDRESSABLE: Final = "--publish-not-ready-addresses=true"
"""Names resolve before their pods are ready."""

REACHABLE: Final = "--disable-network-policy=true"
"""Others than the job's own pods may connect to them."""


def chosen(unit: Unit) -> Mapping[str, Sequence[str]] | None:
    """The plugins that the option names; ``None`` where the compiler decides."""
    value = unit.options["plugins"]
    return None if value is None else cast("Mapping[str, Sequence[str]]", value)


def uses(unit: Unit, plugin: str) -> bool:
    """Whether env or svc is one of the plugins."""
    given = chosen(unit)
    return given is None or plugin in given


def plugins(unit: Unit) -> dict[str, Data]:
    """``spec.plugins``.

    The names must resolve before the pods are ready because the tasks wait for each other. svc's NetworkPolicy admits
    only the job's own pods, so TensorBoard and named ports could not be reached.
    """
    given = chosen(unit)
    if given is not None:
        named: dict[str, Data] = {name: list(arguments) for name, arguments in given.items()}
        own = plugin_arguments(unit)
        return named if own is None or "tensorflow" in named else {**named, "tensorflow": own}
    svc = [ADDRESSABLE]
    if reached(unit.job) is not None:
        svc.append(REACHABLE)
    return {"env": [], "svc": svc, "tensorflow": plugin_arguments(unit)}
