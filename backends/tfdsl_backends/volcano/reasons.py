"""What Volcano says of a job, its pod group and its queue, beside what pods say."""

from __future__ import annotations

from typing import Final

from tfdsl.backend.cluster import Row

ROWS: Final = (
    Row(
        "queue-full",
        ("event", "podgroup"),
        "Unschedulable|NotEnoughResources",
        r"queue resource quota insufficient: insufficient (?P<resource>[A-Za-z0-9./-]+)",
        "the queue does not have enough {resource} for the whole job, so no pod is created",
        "ask for less, wait, or take another queue",
        "gpu|cpu|memory|queue",
    ),
    Row(
        "cluster-full",
        ("event", "podgroup"),
        "Unschedulable|NotEnoughResources",
        r"resource in cluster is overused",
        "the cluster does not have enough free resources for the whole job, so no pod is created",
        "ask for less, or wait",
    ),
    Row(
        "queue-closed",
        ("refusal",),
        "",
        r"can only submit job to queue with state `Open`, queue `(?P<name>[^`]+)` status is `(?P<state>[^`]+)`",
        "the queue {name} is {state}, so no job can be submitted to it",
        "take another queue, or ask who runs the cluster",
        "queue",
    ),
    Row(
        "queue-missing",
        ("refusal",),
        "",
        r'unable to find job queue: .*"(?P<name>[^"]+)" not found',
        "there is no queue {name}",
        "kubectl get queues lists them; correct queue",
        "queue",
    ),
    Row("aborted", ("job",), "Aborting|Aborted", "", "the job was aborted", "tfdsl resume lets it go on", tier=3),
    Row("retries", ("job",), "Failed", "", "no retry is left", "raise retries", "retries", tier=3),
    Row(
        "acted",
        ("event",),
        "ExecuteAction",
        r"action (?P<action>TerminateJob|AbortJob|RestartJob|RestartTask|CompleteJob)",
        "Volcano took the action {action}",
        "",
        tier=3,
    ),
)
