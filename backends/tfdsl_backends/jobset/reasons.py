"""What JobSet says of a job; its words repeat those of the Jobs in it, which repeat those of the pods."""

from __future__ import annotations

from typing import Final

from tfdsl.backend.cluster import Row

ROWS: Final = (
    Row(
        "failure-rule",
        ("job",),
        "FailJobSetFailurePolicyAction",
        "",
        "a rule on how a replica ended has ended the job: {said}",
        tier=3,
    ),
)
