"""What plain Jobs say of a job; their words repeat those of the pods (:mod:`tfdsl_backends.podspec.operating`)."""

from __future__ import annotations

from typing import Final

from tfdsl.backend.cluster import Row

ROWS: Final = (
    Row(
        "failed-indexes",
        ("job",),
        "FailedIndexes|MaxFailedIndexesExceeded",
        "",
        "replicas have failed more often than their Job allows: {said}",
        "raise retries",
        "retries",
        tier=3,
    ),
)
