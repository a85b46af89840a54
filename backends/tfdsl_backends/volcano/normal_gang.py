"""The minimums of a job and of its tasks in one form.

The scheduler looks at the minimums of tasks only where their sum is not above the job's (``checkTaskValid`` in
pkg/scheduler/api/job_info.go), the controller only then, too, when it decides whether a job that has ended has failed
(pkg/controllers/job/state/running.go). A task that waits for others always counts the minimums of those.
"""

from __future__ import annotations

from tfdsl.manifest.edits import child, items, scalar, with_value, without
from tfdsl.manifest.nodes import Mapping, Node, Scalar, Sequence
from tfdsl.manifest.view import view
from tfdsl_backends.volcano.minimums import Minimums, minimums, of_task


def gang(spec: Mapping) -> Mapping:
    """``spec`` without minimums that nothing looks at, and without those that the webhook fills in."""
    tasks = items(spec.get("tasks"))
    if not all(isinstance(task, Mapping) for task in tasks):
        return spec
    found = minimums(view(spec))
    alone = len(tasks) == 1
    kept = _looked_at(spec, found)
    changed: list[Node] = []
    for task in tasks:
        assert isinstance(task, Mapping)
        usual = of_task(view(without(task, ("minAvailable",))))
        own = of_task(view(task))
        is_kept = not alone and own != usual and (kept is None or str(scalar(task.get("name"))) in kept)
        changed.append(task if is_kept else without(task, ("minAvailable",)))
    old = spec.get("tasks")
    new = with_value(spec, "tasks", Sequence(tuple(changed), old.span)) if old is not None and changed else spec
    usual = sum(minimums(view(new)).tasks.values())
    if found.job == usual:
        return without(new, ("minAvailable",))
    place = spec.get("minAvailable")
    return with_value(new, "minAvailable", Scalar(found.job, place.span if place is not None else spec.span))


def _looked_at(spec: Mapping, found: Minimums) -> frozenset[str] | None:
    """The tasks whose minimums something looks at; ``None`` for all."""
    waited_for = frozenset(
        str(scalar(name)) for task in items(spec.get("tasks")) for name in items(child(task, "dependsOn", "name"))
    )
    total = sum(found.tasks.values())
    if total > found.job or total == 0:
        return waited_for
    return None
