"""Flows on YARN and Slider: a script that runs the jobs, and stays until they have ended. YARN itself has no order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tfdsl.backend import Row, approximated, translated
from tfdsl_backends.scripts.flows import documents, rows

if TYPE_CHECKING:
    from tfdsl.backend import Document
    from tfdsl.backend.flow import FlowUnit

ROWS: tuple[Row, ...] = (
    *rows("YARN", "crontab"),
    approximated(
        "runs[]", "flow.sh", "flow.sh starts the jobs itself, so it has to run until the last one has ended", "173",
        "flow-stays",
    ),
    translated("flow.overlap", "flock", "flow.sh and the clients of its jobs hold a lock beside it"),
    translated("flow.deadline", "flow.sh", "it ends the jobs that run, and starts no other"),
)  # fmt: skip
"""The rows that both have."""


def generate(unit: FlowUnit, *, stays: bool) -> Sequence[Document]:
    """``flow.sh``, and for each job a folder with its files. ``stays``: submit.sh ends with its job, and as it does."""
    return documents(unit, Path(__file__).with_name("templates"), {"stays": stays})
