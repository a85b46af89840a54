"""What the task program has to know about the job, as the JSON in job.sh."""

from __future__ import annotations

import json

from tfdsl.backend import Unit
from tfdsl.ir.cluster_spec import gets_flags, needs_tf_config
from tfdsl.ir.policies import completions
from tfdsl_backends.scripts.roles import stop_grace
from tfdsl_backends.yarn.needs import store_place
from tfdsl_backends.yarn.policies import actions, rendezvous_seconds, restarts, restarts_by_itself

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
        "optional": [role.name for role in job.roles if role.name == "tensorboard"],
        "complete": [[p.role, -1 if p.index is None else p.index] for p in completions(job)],
        "actions": {name: {str(k): v for k, v in by_status.items()} for name, by_status in actions(job).items()},
        "tf_config": [role.name for role in job.roles if needs_tf_config(job, role)],
        "flags": [role.name for role in job.roles if gets_flags(job, role) and not role.server],
        "again": [role.name for role in job.roles if restarts_by_itself(job, role)],
        "restarts": job.retries if restarts(job) else 0,
        "store": store_place(unit),
        "webhdfs": unit.text("webhdfs"),
        "ports": [int(first), int(last)],
        "reuse_port": unit.flag("reuse_port"),
        "limit": rendezvous_seconds(unit),
        "patience": PATIENCE,
        "grace": {role.name: stop_grace(role, STOP_GRACE) for role in job.roles},
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in plan.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
