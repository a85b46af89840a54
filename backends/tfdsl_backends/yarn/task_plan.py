"""What the task program has to know of the job, as the JSON that job.sh holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tfdsl.ir.cluster_spec import gets_flags, gets_tf_config
from tfdsl.ir.policies import completions, exit_policies, on_failure
from tfdsl_backends.yarn.needs import store_place, uses_store
from tfdsl_backends.yarn.options import store_in_hdfs
from tfdsl_backends.yarn.words import head

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Job, Role

ACTIONS = {"restart container": "restart", "restart job": "restart", "ignore": "ignore"}
"""Action of a policy -> what the program does; every other action is a failure of the job."""

RESTART_STATUS = 75
"""Every task ends with it when the gang is to start again, and the NodeManager relaunches on it only.

137 and 143 are never relaunched, whatever the client asks for (ContainerImpl.shouldRetry).
"""

PATIENCE = 60
"""Seconds for YARN to replace a container that was lost before the start."""


def task_plan(unit: Unit) -> str:
    """The plan as JSON, a key per line, in ASCII."""
    job = unit.job
    first, last = unit.text("ports").split("-")
    plan: dict[str, object] = {
        "job": job.name,
        "roles": [[role.name, role.replicas] for role in job.roles],
        "after": {role.name: list(role.after) for role in job.roles if role.after},
        "optional": [role.name for role in job.roles if role.name == "tensorboard"],
        "complete": [[p.role, -1 if p.index is None else p.index] for p in completions(job)],
        "actions": {name: {str(k): v for k, v in rules.items()} for name, rules in actions(job).items()},
        "tf_config": [role.name for role in job.roles if gets_tf_config(job, role) or role.server],
        "flags": [role.name for role in job.roles if gets_flags(job, role) and not role.server],
        "again": [role.name for role in job.roles if starts_again(job, role)],
        "restarts": job.retries if restarts(job) else 0,
        "store": store_place(unit),
        "webhdfs": unit.text("webhdfs"),
        "ports": [int(first), int(last)],
        "reuse_port": unit.flag("reuse_port"),
        "limit": rendezvous_seconds(unit),
        "patience": PATIENCE,
        "grace": unit.options["stop_grace"],
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in plan.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def rendezvous_seconds(unit: Unit) -> float:
    """How long the tasks wait for each other: the shortest ``pending`` policy, else the option."""
    delays = [p.delay.ms / 1000 for p in unit.job.policies if p.event == "pending" and p.delay is not None]
    option = unit.options["rendezvous_seconds"]
    assert isinstance(option, int)
    return min(delays) if delays else option


def actions(job: Job) -> dict[str, dict[int, str]]:
    """Role, or role[index] where a policy names one -> status (0: any other, or lost) -> action."""
    found: dict[str, dict[int, str]] = {}
    for role in job.roles:
        found[role.name] = _rules(job, role, None)
        for index in sorted({p.index for p in job.policies if p.role == role.name and p.index is not None}):
            found[f"{role.name}[{index}]"] = _rules(job, role, index)
    return found


def _rules(job: Job, role: Role, index: int | None) -> dict[int, str]:
    if starts_again(job, role):
        return {0: "ignore"}
    failed = on_failure(job, role, index)
    rules = {0: ACTIONS.get(failed.action, "fail") if failed is not None else "fail"}
    for statuses, policy in exit_policies(job, role, index):
        action = ACTIONS.get(policy.action, "fail")
        rules.update({status: action for status in statuses if action != rules[0]})
    return rules


def starts_again(job: Job, role: Role) -> bool:
    """Whether a task starts its command again by itself, which only tensorboard does."""
    failed = on_failure(job, role)
    return role.name == "tensorboard" and failed is not None and failed.action == "restart container"


def restarts(job: Job) -> bool:
    """Whether any failure makes the gang start again."""
    rules = [found for name, found in actions(job).items() if not name.startswith("tensorboard")]
    return any("restart" in found.values() for found in rules)


def needs_hdfs(unit: Unit) -> list[str]:
    """What in the job uses HDFS, in words."""
    job = unit.job
    found = ["the meeting of the tasks"] if store_in_hdfs(unit) and uses_store(unit) else []
    mounts = [mount for role in job.roles for mount in role.mounts]
    found += ["mount hdfs"] if any(mount.kind == "hdfs" for mount in mounts) else []
    archives = [mount.source for mount in mounts if mount.kind == "archive"]
    found += ["mount archive"] if any(head(source).startswith("hdfs:") for source in archives) else []
    outputs = [output.destination for role in job.roles for output in role.outputs]
    found += ["output"] if any("://" in head(destination) for destination in outputs) else []
    return found
