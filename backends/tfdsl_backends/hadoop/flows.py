"""Flows on YARN and Slider: a script that runs the jobs, and stays until they have ended. YARN itself has no order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tfdsl.backend import Row, approximated, translated
from tfdsl_backends.scripts.flows import documents
from tfdsl_backends.scripts.support import flow_rows

if TYPE_CHECKING:
    from tfdsl.backend import Document, Support
    from tfdsl.backend.flow import FlowUnit
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.emit.located import Data

ROWS: tuple[Row, ...] = (
    *flow_rows("YARN", "crontab"),
    approximated(
        "runs[]", "flow.sh", "flow.sh starts the jobs itself, so it has to run until the last one has ended", "173",
        "flow-stays",
    ),
    translated("flow.overlap", "flock", "flow.sh and the clients of its jobs hold a lock beside it"),
    translated("flow.deadline", "flow.sh", "it ends the jobs that run, and starts no other"),
)  # fmt: skip
"""The rows that both have."""


class Script:
    """Flows as ``flow.sh``. ``stays``: submit.sh ends with its job, and as it does. ``tags``: see :func:`flow_tag`."""

    MARK: Final = 0

    def __init__(self, support: Support, *, stays: bool, tags: Callable[[str], bool] = lambda version: False) -> None:
        self.SUPPORT: Final = support
        self._stays = stays
        self._tags = tags

    def check(self, unit: FlowUnit) -> Iterable[Diagnostic]:
        """Nothing beyond the table: neither a job that is suspended nor one that aborts is left waiting."""
        return ()

    def generate(self, unit: FlowUnit) -> Sequence[Document]:
        """``flow.sh``, and for each job a folder with its files."""
        values: dict[str, Data] = {"stays": self._stays, "tags": self._tags(unit.version), "tag": flow_tag(unit.name)}
        return documents(unit, Path(__file__).with_name("templates"), values)


def flow_tag(flow: str, run: str = "") -> str:
    """The tag of the applications of all runs of a flow, or of one, where the target's applications have tags.

    YARN takes at most 100 characters (``YarnConfiguration.APPLICATION_MAX_TAG_LENGTH``): the longest name fits.
    """
    return f"tfdsl-flow:{flow}{f':{run}' if run else ''}"
