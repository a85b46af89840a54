"""metainfo.json (schema 2.1) and metainfo.xml (schema 2.0): components, exports, start order.

The keys are those of Slider's own classes (``providers/agent/application/metadata``), which silently ignore others;
the XML reader (``MetainfoParser``) has the same ones, except component types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tfdsl.backend import Unit
from tfdsl.emit.located import Data, Located, child
from tfdsl_backends.slider.config_files import config_files
from tfdsl_backends.slider.features import features
from tfdsl_backends.slider.policies import restarts_in_place

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Role

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
    return "url" if role.name == "tensorboard" else "host_port"


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
        **many("components", "component", [_component(job, role) for role in job.roles]),
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
    value = f"http://{host_port}" if role.name == "tensorboard" else host_port
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


def _component(job: Job, role: Role) -> Data:
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
