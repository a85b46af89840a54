"""How many pods of a job and of its tasks have to be placeable, as the webhook fills it in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.manifest.view import View


class Minimums(Record):
    """``job``: ``spec.minAvailable``; ``tasks``: the same of each task, by its name."""

    job: int
    tasks: Mapping[str, int]


def minimums(spec: View) -> Minimums:
    """The minimums of a job: of a task its replicas, of the job the sum (pkg/webhooks/admission/jobs/mutate)."""
    tasks: dict[str, int] = {}
    for position, task in enumerate(spec["tasks"].items()):
        tasks.setdefault(task["name"].words or f"default{position}", of_task(task))
    return Minimums(spec["minAvailable"].number or sum(tasks.values()) or 1, tasks)


def of_task(task: View) -> int:
    """The minimum of a task: what it says, that of its partitions, or all replicas."""
    own = task["minAvailable"].number
    if own is not None:
        return own
    parts, size = task["partitionPolicy"]["minPartitions"].number, task["partitionPolicy"]["partitionSize"].number
    return parts * size if parts and size else task["replicas"].number or 0
