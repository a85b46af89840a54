"""Policies as the task program takes them: what follows from each exit status, and when the tasks stop waiting."""

from __future__ import annotations

import json

from tfdsl.backend import Unit
from tfdsl.ir.cluster_spec import gets_flags, needs_tf_config
from tfdsl.ir.model import Job, Role
from tfdsl.ir.policies import completions, exit_policies, on_failure, starts_for_ever
from tfdsl_backends.scripts.roles import seconds_to_stop
from tfdsl_backends.yarn.needs import store_place

ACTIONS = {"restart container": "restart", "restart job": "restart", "ignore": "ignore"}
"""Action of a policy → what the program does; every other action is a failure of the job."""


def rendezvous_seconds(unit: Unit) -> float:
    """How long the tasks wait for each other: the shortest ``pending`` policy, else the option."""
    delays = [p.delay.ms / 1000 for p in unit.job.policies if p.event == "pending" and p.delay is not None]
    option = unit.options["rendezvous_seconds"]
    assert isinstance(option, int)
    return min(delays) if delays else option


def actions(job: Job) -> dict[str, dict[int, str]]:
    """Role, or role[index] where a policy names one → status (0: any other, or lost) → action."""
    by_task: dict[str, dict[int, str]] = {}
    for role in job.roles:
        by_task[role.name] = _actions(job, role, None)
        for index in sorted({p.index for p in job.policies if p.role == role.name and p.index is not None}):
            by_task[f"{role.name}[{index}]"] = _actions(job, role, index)
    return by_task


def _actions(job: Job, role: Role, index: int | None) -> dict[int, str]:
    if starts_for_ever(job, role):
        return {0: "ignore"}
    failed = on_failure(job, role, index)
    by_status = {0: ACTIONS.get(failed.action, "fail") if failed is not None else "fail"}
    for statuses, policy in exit_policies(job, role, index):
        action = ACTIONS.get(policy.action, "fail")
        by_status.update({status: action for status in statuses if action != by_status[0]})
    return by_status


def restarts(job: Job) -> bool:
    """Whether any failure restarts the gang."""
    gang = (by_status for name, by_status in actions(job).items() if not name.startswith("tensorboard"))
    return any("restart" in by_status.values() for by_status in gang)


RESTART_STATUS = 75
"""Every task exits with it when the gang is to restart, and the NodeManager relaunches only on it.

137 and 143 are never relaunched, whatever the client asks for (ContainerImpl.shouldRetry).
"""

PATIENCE = 60
"""Seconds for YARN to replace a container that was lost before the start."""


STOP_GRACE = 10
"""Seconds that a command has to stop, unless its role says otherwise."""


def task_plan(unit: Unit) -> str:
    """The plan as JSON, a key per line, in ASCII."""
    job = unit.job
    first, last = unit.text("port_range").split("-")
    plan: dict[str, object] = {
        "job": job.name,
        "roles": [[role.name, role.replicas] for role in job.roles],
        "after": {role.name: list(role.after) for role in job.roles if role.after},
        "optional": [role.name for role in job.roles if role.is_board],
        "complete": [[p.role, -1 if p.index is None else p.index] for p in completions(job)],
        "actions": {name: {str(k): v for k, v in by_status.items()} for name, by_status in actions(job).items()},
        "tf_config": [role.name for role in job.roles if needs_tf_config(job, role)],
        "flags": [role.name for role in job.roles if gets_flags(job, role) and not role.server],
        "again": [role.name for role in job.roles if starts_for_ever(job, role)],
        "restarts": job.retries if restarts(job) else 0,
        "store": store_place(unit),
        "webhdfs": unit.text("webhdfs"),
        "ports": [int(first), int(last)],
        "reuse_port": unit.flag("reuse_port"),
        "limit": rendezvous_seconds(unit),
        "patience": PATIENCE,
        "grace": {role.name: seconds_to_stop(role, STOP_GRACE) for role in job.roles},
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in plan.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
