"""What the releases of Volcano do, as data.

Sources: the job controllers of 1.9.1, 1.13.3 and 1.15.1, which were run, and the code at the tags of the other points
(``pkg/controllers/job``). A release that is not in the list does what the newest one before it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.backend import Unit

VERSIONS = ("1.5.0", "1.6", "1.9", "1.11", "1.12.0", "1.12.4", "1.13.0", "1.13.2", "1.14", "1.15")
"""Releases from which something is different, oldest first."""


SIDECARS = "1.9"
"""From here the CRD keeps ``restartPolicy`` of an init container; before, a sidecar would keep the command waiting."""


class Features(Record):
    """What one release does.

    ``reaches_count``: TaskFailed fires when the restarts reach ``maxRetry``; before 1.6 when they are above it.
    ``annotates_index``: pods carry ``volcano.sh/task-index`` as an annotation, which a fieldRef can read.
    ``counts_once``: a restart of a pod or task is counted once; before 1.14 at times twice.
    ``fails_deleted``: a pod that is being deleted is still watched, so its end counts first (PodFailed, an exit
    status, or TaskCompleted) and PodEvicted comes after it. Commit c1c35de8a, which 1.12 and 1.13 got late.
    """

    reaches_count: bool
    annotates_index: bool
    counts_once: bool
    fails_deleted: bool


def features(unit: Unit) -> Features:
    """What the release that ``unit`` is for does."""
    without = not unit.at_least("1.12.4") or (unit.at_least("1.13") and not unit.at_least("1.13.2"))
    return Features(
        reaches_count=unit.at_least("1.6"),
        annotates_index=unit.at_least("1.9"),
        counts_once=unit.at_least("1.14"),
        fails_deleted=not without,
    )
