"""Events and actions of ``on … => …``: the words, their combinations and their meaning.

Source: language reference, "Statements", table of events.
"""

from __future__ import annotations

from tfdsl.record import Record


class Action(Record):
    """One action. ``aliases``: words of the targets with the same meaning; ``akin``: words for something similar."""

    name: str
    doc: str
    aliases: tuple[str, ...] = ()
    akin: tuple[str, ...] = ()


class Event(Record):
    """One event. ``needs_role``: a subject is required; ``takes_subject``: one is allowed.

    ``aliases``: words of the targets with the same meaning; ``akin``: words for something similar.
    """

    name: str
    syntax: str
    doc: str
    actions: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    needs_role: bool = False
    takes_subject: bool = True
    takes_delay: bool = False
    needs_delay: bool = False
    akin: tuple[str, ...] = ()


ACTIONS = (
    Action("complete job", "The job ends and counts as succeeded.", ("CompleteJob", "complete", "succeed", "success")),
    Action(
        "fail job",
        "The job ends and counts as failed.",
        ("TerminateJob", "fail", "FailJob"),
        ("terminate", "kill job", "kill", "Never"),
    ),
    Action(
        "abort job",
        "The job stops and can be resumed.",
        ("AbortJob", "abort"),
        ("stop job", "stop", "suspend", "pause job"),
    ),
    Action(
        "restart container", "The container starts again in place.", (), ("OnFailure", "restart", "Always", "retry")
    ),
    Action(
        "restart pod",
        "The replica gets a new pod.",
        ("RestartPod", "recreate pod"),
        ("ExitCode", "delete pod", "restart replica", "restart task"),
    ),
    Action("restart role", "All replicas of the role start again.", ("RestartTask",), ("restart all replicas",)),
    Action(
        "restart job",
        "All replicas of the job start again.",
        ("RestartJob",),
        ("RestartJobSet", "restart all", "requeue", "resume job"),
    ),
    Action(
        "ignore",
        "The replica counts as ended and the job goes on.",
        ("Ignore",),
        ("none", "continue", "skip", "nothing"),
    ),
)

_ALL = tuple(action.name for action in ACTIONS)
_BUT_COMPLETE = tuple(name for name in _ALL if name != "complete job")

EVENTS = (
    Event(
        "completed",
        "completed",
        "Every replica of the role, or the one named, has exited 0.",
        ("complete job", "restart job"),
        ("TaskCompleted", "succeeded", "success", "done", "complete", "finished"),
        needs_role=True,
    ),
    Event(
        "failed",
        "failed",
        "A replica exited with a status other than 0 or was lost.",
        _BUT_COMPLETE,
        ("PodFailed", "TaskFailed", "failure", "fail", "error"),
        takes_delay=True,
        akin=("restartPolicy", "crashed", "any", "AnyEvent"),
    ),
    Event(
        "exit",
        "exit N, exit N..M or exit [N, M]",
        "A replica exited with that status (1–255).",
        _BUT_COMPLETE,
        ("exitCode", "exit_code", "ExitCode", "code"),
    ),
    Event(
        "evicted",
        "evicted",
        "A replica was evicted or preempted, its node was lost, or the cluster's time limit came.",
        _BUT_COMPLETE,
        ("PodEvicted", "preempted", "evict"),
        takes_delay=True,
        akin=("deleted", "DisruptionTarget", "node_lost", "killed"),
    ),
    Event(
        "pending",
        "pending after DURATION",
        "A replica has not started within that time.",
        ("fail job", "abort job", "restart pod", "restart job"),
        ("PodPending",),
        takes_delay=True,
        needs_delay=True,
        akin=("unschedulable", "timeout", "not_started"),
    ),
    Event(
        "restarted",
        "restarted N",
        "The containers of the role were restarted N times in total; goes with `restart container`.",
        ("fail job", "abort job", "restart job"),
        ("restarts",),
        akin=("backoffLimit", "maxRetry"),
    ),
    Event(
        "unknown",
        "unknown",
        "Part of the gang runs and part cannot be placed.",
        ("fail job", "abort job", "restart job", "ignore"),
        ("Unknown",),
        takes_subject=False,
        akin=("partial",),
    ),
)

ACTIONS_OF: dict[str, tuple[str, ...]] = {event.name: event.actions for event in EVENTS}
"""Event → its possible actions."""
