"""What the training operator says of a TFJob; its words repeat those of the pods, and name only how many failed."""

from __future__ import annotations

from typing import Final

from tfdsl.backend.cluster import Row

ROWS: Final = (
    Row(
        "invalid",
        ("job", "event"),
        "TFJobFailedValidation|FailedValidation",
        "",
        "the operator refuses the job: {said}",
        "tfdsl check finds this before; was the object edited?",
    ),
    Row(
        "not-placed",
        ("event",),
        "Unschedulable",
        r"^Error pod (?P<pod>\S+) condition message: (?P<why>.*)",
        "the pod {pod} cannot be placed: {why}",
        "ask for less, or wait for room: tfdsl status --watch",
        tier=2,
    ),
    Row(
        "retries",
        ("job",),
        "TFJobFailed",
        "reached the specified backoff limit",
        "no retry is left",
        "raise retries",
        "retries",
        tier=3,
    ),
    Row(
        "deadline",
        ("job",),
        "TFJobFailed",
        "active longer than specified deadline",
        "the time limit of the job has passed",
        "raise deadline",
        "deadline",
    ),
    Row(
        "replicas-failed",
        ("job",),
        "TFJobFailed",
        r"because (?P<count>\d+) (?P<part>\w+) replica",
        "the operator says: {said}",
        tier=3,
    ),
)
