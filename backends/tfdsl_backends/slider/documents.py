"""The three files that Slider itself reads: ``resources.json``, the metainfo and ``appConfig.json``.

In ``resources.json`` all values are texts; Slider decodes numbers as Java does. The keys of the metainfo (schema 2.1 in
JSON, 2.0 in XML) are those of Slider's own classes (``providers/agent/application/metadata``), which silently ignore
others; the XML reader (``MetainfoParser``) has the same ones, except component types. In ``appConfig.json`` Slider
replaces ``${…}`` marks and has no escape for them, so only our own marks and texts without marks are there; the job
itself is a file of the package.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tfdsl.backend import Unit
from tfdsl.emit.located import Data, Located, child
from tfdsl.ir.model import EnvVar, Job, Role, RunTimeText, TaskIndex, Text
from tfdsl.ir.policies import starts_for_ever
from tfdsl.vocabulary.quantities import Quantity
from tfdsl_backends.hadoop.when import in_docker
from tfdsl_backends.scripts.roles import MEBIBYTE
from tfdsl_backends.slider.config_files import config_files
from tfdsl_backends.slider.options import features
from tfdsl_backends.slider.policies import restarts_in_place

SCHEMA = "http://example.org/specification/v2.0.0"
"""The only schema that Slider accepts."""

MASTER = "slider-appmaster"
ANTI_AFFINITY = "4"
PLACEMENT = {"strict": "1", "anywhere": "2", "": None}
"""``PlacementPolicy``."""

INTEGER = 2**31 - 1
"""The largest number that Slider reads."""

DAY = 24 * 60
WINDOW_MINUTES = 365 * DAY
"""A failure counts for the whole life of a job without a deadline. In minutes, because Slider multiplies hours by 24
instead of 60 (``MapOperations.getTimeRange``)."""


def resources(unit: Unit) -> dict[str, Data]:
    """The document; priorities count the roles from 1."""
    job = unit.job
    components: dict[str, Data] = {MASTER: _master(unit)}
    for number, role in enumerate(job.roles, 1):
        components[role.name] = Located(_request(unit, role, number), role.path)
    return {"schema": SCHEMA, "metadata": {}, "global": _failure_window(job), "components": components}


def _failure_window(job: Job) -> Data:
    minutes = -(-job.deadline.ms // 60_000) if job.deadline is not None else WINDOW_MINUTES
    value = Located(str(minutes), "deadline") if job.deadline is not None else str(minutes)
    return {"yarn.container.failure.window.minutes": value}


def _master(unit: Unit) -> dict[str, Data]:
    memory = unit.options["am_memory"]
    return {"yarn.memory": str(memory)} if memory is not None else {}


def _policy(unit: Unit, role: Role) -> Located | str | None:
    """The placement policy. With anti-affinity Slider looks at nothing else (``OutstandingRequest.isAntiAffine``)."""
    if role.spread == "node":
        return Located(ANTI_AFFINITY, child(role.path, "spread"))
    return PLACEMENT[str(unit.entries("placement").get(role.name, ""))]


def _escalation(unit: Unit, role: Role) -> str | None:
    seconds = unit.entries("escalate_seconds").get(role.name)
    return None if seconds is None else str(seconds)


def _request(unit: Unit, role: Role, priority: int) -> dict[str, Data]:
    return {
        "yarn.role.priority": str(priority),
        "yarn.component.instances": Located(str(role.replicas), child(role.path, "replicas")),
        "yarn.memory": _amount(role, "memory", role.memory, MEBIBYTE),
        "yarn.vcores": _amount(role, "cpu", role.cpu, 1),
        "yarn.label.expression": _text(role, "node_label", role.node_label),
        "yarn.component.placement.policy": _policy(unit, role),
        "yarn.placement.escalate.seconds": _escalation(unit, role),
        "yarn.container.failure.threshold": _threshold(unit.job, role),
    }


def _threshold(job: Job, role: Role) -> Located | str:
    """How many containers of the role may fail. In some versions 0 means none, in others no limit."""
    return str(INTEGER) if starts_for_ever(job, role) else Located(str(max(1, job.retries)), "retries")


def _amount(role: Role, field: str, amount: Quantity | None, unit: int) -> Located | None:
    if amount is None:
        return None
    return Located(str(max(1, -(-amount.whole // unit))), child(role.path, field))


def _text(role: Role, field: str, value: str | None) -> Located | None:
    return Located(value, child(role.path, field)) if value else None


Many: TypeAlias = Callable[[str, str, Sequence[Data]], dict[str, Data]]

SCRIPT = "scripts/role.py"
START_TIMEOUT = "600"
"""Seconds after which the agent kills a command; START leaves a supervisor behind and returns at once."""

NOT_EXPORTED = ("evaluator",)
"""Roles that no task has to find; a component without an allocated port publishes nothing."""


def metainfo_json(unit: Unit) -> dict[str, Data]:
    """The document in schema 2.1."""
    return {"schemaVersion": "2.1", "application": _application(unit, _as_json)}


def metainfo_xml(unit: Unit) -> dict[str, Data]:
    """The document in schema 2.0, one root element."""
    return {"metainfo": {"schemaVersion": "2.0", "application": _application(unit, _as_xml)}}


def export_name(role: Role) -> str:
    """The name of the role's export in its group."""
    return "url" if role.is_board else "host_port"


def is_exported(role: Role) -> bool:
    """Whether the role has an allocated port, and an export with it."""
    return role.name not in NOT_EXPORTED


def _as_json(group: str, item: str, items: Sequence[Data]) -> dict[str, Data]:
    return {group: items}


def _as_xml(group: str, item: str, items: Sequence[Data]) -> dict[str, Data]:
    return {group: {item: items} if items else None}


def _application(unit: Unit, many: Many) -> dict[str, Data]:
    job = unit.job
    exported = [role for role in job.roles if is_exported(role)]
    return {
        "name": Located(job.name, "name"),
        "version": unit.text("app_version"),
        **many("exportGroups", "exportGroup", [_export_group(role, many) for role in exported]),
        **_command_orders(job, many),
        **many("components", "component", [_metainfo_component(job, role) for role in job.roles]),
        **_packages(unit),
        **_config_files(unit, many),
    }


def _config_files(unit: Unit, many: Many) -> dict[str, Data]:
    """The files that every component gets."""
    asked: list[Data] = [
        {"type": file.format, "fileName": file.name, "dictionaryName": file.dictionary} for file in config_files(unit)
    ]
    return many("configFiles", "configFile", asked) if asked else {}


def _export_group(role: Role, many: Many) -> Data:
    host_port = f"${{{role.name}_HOST}}:${{site.global.{role.name}.port}}"
    value = f"http://{host_port}" if role.is_board else host_port
    export: Data = {"name": export_name(role), "value": value}
    return Located({"name": role.name, **many("exports", "export", [export])}, role.path)


def _command_orders(job: Job, many: Many) -> dict[str, Data]:
    orders: list[Data] = [
        Located(
            {"command": f"{role.name}-START", "requires": ",".join(f"{name}-STARTED" for name in role.after)},
            child(role.path, "after"),
        )
        for role in job.roles
        if role.after
    ]
    return many("commandOrders", "commandOrder", orders) if orders else {}


def _metainfo_component(job: Job, role: Role) -> Data:
    replicas = Located(str(role.replicas), child(role.path, "replicas"))
    return Located(
        {
            "name": role.name,
            "compExports": f"{role.name}-{export_name(role)}" if is_exported(role) else None,
            "autoStartOnFailure": "true" if restarts_in_place(job, role) else "false",
            "minInstanceCount": replicas,
            "maxInstanceCount": replicas,
            "commandScript": {"script": SCRIPT, "scriptType": "PYTHON", "timeout": START_TIMEOUT},
        },
        role.path,
    )


def _packages(unit: Unit) -> dict[str, Data]:
    """``package/files`` for the agents that copy such a folder to the install folder."""
    if not features(unit.version).agent_packages:
        return {}
    package: Data = {"type": "folder", "name": "files"}
    if unit.text("metainfo") == "json":
        return {"packages": [package]}
    return {"osSpecifics": {"osSpecific": {"osType": "any", "packages": {"package": package}}}}


SUBMITTER = "USER"
"""The variable under which the IR names ``job.user``."""


def app_config(unit: Unit) -> dict[str, Data]:
    """The content of ``appConfig.json``."""
    heap = am_heap(unit)
    components: dict[str, Data] = {MASTER: {"jvm.heapsize": f"{heap}M"}} if heap is not None else {}
    if config_files(unit):
        components |= {role.name: {"am.config.generation": "true"} for role in unit.job.roles}
    document: dict[str, Data] = {"schema": SCHEMA, "metadata": {}, "global": _global(unit)}
    return {**document, "components": components} if components else document


def am_heap(unit: Unit) -> int | None:
    """MB of the application master's Java heap, ``None`` for Slider's own."""
    heap, memory = unit.options["am_heap"], unit.options["am_memory"]
    if isinstance(heap, int):
        return heap
    return memory * 3 // 4 if isinstance(memory, int) else None


def _global(unit: Unit) -> dict[str, Data]:
    job = unit.job
    ports: dict[str, Data] = {
        f"site.global.{role.name}.port": Located(f"${{{role.name}.ALLOCATED_PORT}}{{PER_CONTAINER}}", role.path)
        for role in job.roles
        if is_exported(role)
    }
    return {
        "site.global.hadoop.conf": unit.text("hadoop_conf"),
        "site.global.user.name": "${USER_NAME}",
        "site.global.zookeeper.quorum": "${ZK_HOST}",
        "site.global.user.checkpoint.dir": unmarked(job.checkpoint, "checkpoint"),
        "site.global.docker.image": common_image(unit),
        "site.global.slider.allowed.ports": unit.text("allowed_ports") or None,
        **ports,
        **{f"site.{file.dictionary}.{key}": text for file in config_files(unit) for key, text in file.entries.items()},
    }


def unmarked(text: Text | None, path: str) -> Located | None:
    """``text`` if Slider would pass it on unchanged, with the submitter as Slider's own mark; else ``None``."""
    parts = text.parts if isinstance(text, RunTimeText) else (text or "",)
    words = [word for part in parts if (word := _word(part)) is not None]
    whole = "".join(words)
    return Located(whole, path) if whole and len(words) == len(parts) and whole.strip() == whole else None


def _word(part: str | TaskIndex | EnvVar) -> str | None:
    if isinstance(part, EnvVar):
        return "${USER_NAME}" if part.name == SUBMITTER else None
    return part if isinstance(part, str) and "$" not in part else None


def common_image(unit: Unit) -> Located | None:
    """The image that all docker roles share, if Slider would pass it on unchanged."""
    roles = [role for role in unit.job.roles if in_docker(unit, role)]
    if not roles or len({role.image for role in roles}) != 1:
        return None
    return unmarked(roles[0].image, child(roles[0].path, "image"))
