"""Flows on Slider."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl_backends.hadoop import flows
from tfdsl_backends.slider.support import FLOWS

if TYPE_CHECKING:
    from tfdsl.backend import Document
    from tfdsl.backend.flow import FlowUnit
    from tfdsl.diagnostics import Diagnostic

MARK: Final = 0
SUPPORT: Final = FLOWS


def check(unit: FlowUnit) -> Iterable[Diagnostic]:
    """Nothing beyond the table: neither a job that is suspended nor one that aborts is left waiting."""
    return ()


def generate(unit: FlowUnit) -> Sequence[Document]:
    """``flow.sh``, and for each job a folder with its files."""
    return flows.generate(unit, stays=False)
