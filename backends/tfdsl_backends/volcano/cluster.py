"""A Volcano job on its cluster: the Job, its PodGroup, and what the controller notes of it.

The phases are those of ``pkg/controllers/job/state`` of volcano-sh/volcano. Terminated is what a failure, a deadline
and an eviction all lead to, so the reason is never the Job's own word.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from tfdsl.backend import Unit
from tfdsl.backend.cluster import Answer, Call, Live, Phase, Place, Sign
from tfdsl_backends.podspec.operating.family import Facts, Family, Kind, Labels
from tfdsl_backends.podspec.operating.flows import FlowFamily
from tfdsl_backends.podspec.operating.kubectl import STATE, Object, counts, items, kubectl, number, text
from tfdsl_backends.volcano.names import JOB, TASK, task_name
from tfdsl_backends.volcano.reasons import ROWS

_COLUMNS: Final = STATE | {"spec": ".spec"}
_PHASES: Final[dict[str, Phase]] = {
    "Restarting": "restarting",
    "Completing": "running",
    "Completed": "succeeded",
    "Terminating": "failed",
    "Terminated": "failed",
    "Failed": "failed",
    "Aborting": "aborted",
    "Aborted": "aborted",
}


def _facts(tables: Sequence[Sequence[Object]]) -> Facts:
    job, (groups, *_) = tables[0][0], (*tables[1:], ())
    status = job["status"]
    phase = text(status, "state", "phase")
    signs = [Sign("job", phase, text(status, "state", "message"), f"job/{job['name']}")] if phase else []
    for group in groups if phase in ("", "Pending", "Restarting") else ():
        if any(text(owner, "uid") == job["uid"] for owner in items(group, "owners")):
            signs += [
                Sign("podgroup", text(item, "reason"), text(item, "message"), f"podgroup/{group['name']}")
                for item in items(group["status"], "conditions")
                if text(item, "type") == "Unschedulable"
            ]
    return Facts(
        _PHASES.get(phase),
        "running" if phase == "Running" else "waiting",
        text(status, "state", "lastTransitionTime"),
        number(status, "retryCount") or 0,
        text(job, "spec", "queue"),
        counts(items(job, "spec", "tasks"), "replicas"),
        tuple(signs),
    )


class _Volcano(Family):
    def resumes(self, place: Place, live: Live, answers: Sequence[Answer]) -> Call | str:
        """A Command of Volcano, as ``vcctl job resume`` makes it."""
        if live.phase != "aborted":
            return f"job {live.name} is {live.phase}, not aborted"
        owner = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": live.name, "uid": live.id}
        command = {
            "apiVersion": "bus.volcano.sh/v1alpha1",
            "kind": "Command",
            "metadata": {"generateName": f"{live.name}-resume-", "ownerReferences": [{**owner, "controller": True}]},
            "target": owner,
            "action": "ResumeJob",
        }
        return Call(kubectl(place, "create", "-f", "-"), "the job", json.dumps(command))


def _parts(unit: Unit) -> dict[str, str]:
    return {role.name: task_name(unit, role) for role in unit.job.roles}


CLUSTER: Final = _Volcano(
    "volcano",
    (
        Kind("jobs.batch.volcano.sh", _COLUMNS),
        Kind("podgroups.scheduling.volcano.sh", STATE, ()),
    ),
    Labels(JOB, TASK, "volcano.sh/task-index"),
    r"{name}-(?P<role>[a-z0-9-]+?)-(?P<index>\d+)",
    _facts,
    ROWS,
    _parts,
)
FLOWS: Final = FlowFamily(CLUSTER)
