"""What Volcano does when something happens to a pod, from the manifest: pkg/controllers/job ``applyPolicies``."""

from __future__ import annotations

from typing import Any


def task_of(job: dict[str, Any], name: str) -> dict[str, Any]:
    """The task called ``name``."""
    found: dict[str, Any] = next(task for task in job["spec"]["tasks"] if task["name"] == name)
    return found


def reaction(job: dict[str, Any], task: str, event: str, status: int = 0) -> str | None:
    """The action on ``event`` of a pod of ``task``; ``None``: nothing but a plain sync.

    Task policies in order, the first that matches acts; then the job's. In one policy the event is asked before the
    exit status. PodFailed and exit statuses are only seen of pods that are not restarted in place; PodPending only by
    a policy with a timeout.
    """
    for policy in (*task_of(job, task).get("policies", ()), *job["spec"].get("policies", ())):
        matches = policy.get("event") in (event, "*") and (event != "PodPending" or "timeout" in policy)
        if matches or (status and policy.get("exitCode") == status):
            action: str = policy["action"]
            return action
    return None


def on_exit(job: dict[str, Any], task: str, status: int) -> str | None:
    """What happens when the process of a pod of ``task`` ends with ``status`` (not 0); ResumeJob does nothing."""
    restart = task_of(job, task)["template"]["spec"].get("restartPolicy", "Always")
    if restart != "Never":
        return "restart in place"
    action = reaction(job, task, "PodFailed", status)
    return None if action == "ResumeJob" else action


def on_deletion(job: dict[str, Any], task: str, status: int, *, fails_deleted: bool) -> str | None:
    """What happens when a pod of ``task`` is deleted and its process ends with ``status`` on SIGTERM.

    Releases that ``fails_deleted`` look at that end first; the others, and all in the end, see that the pod is gone.
    """
    action = reaction(job, task, "PodFailed", status) if fails_deleted and status else None
    return reaction(job, task, "PodEvicted") if action in (None, "ResumeJob") else action


def on_restarts(job: dict[str, Any], task: str, count: int) -> str | None:
    """What happens when the containers of ``task`` were restarted ``count`` times in all."""
    return reaction(job, task, "TaskFailed") if count >= task_of(job, task).get("maxRetry", 3) else None


def starts(job: dict[str, Any]) -> int:
    """How often a job starts that fails every time and has a restarting policy (seen: N = 1, 2, 3 → N starts)."""
    return int(job["spec"].get("maxRetry", 3))
