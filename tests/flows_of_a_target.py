"""Flows of a target that has none of its own: one document with the names, and those of the jobs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfdsl.backend import Document, Support, approximated, kept, refused
from tfdsl.backend.flow import FlowUnit
from tfdsl.diagnostics import Diagnostic
from tfdsl.ir.flow import FLOW_KEYS
from tfdsl.record import replace

_REFUSED = refused("flow.deadline", "{job} cannot have a deadline of {value}", "9801", "no-deadline")
_NEAR = approximated("runs[].ended", "", "{value} is near", "9802", "near-ended", edit="remove it")
SUPPORT = Support(
    "volcano",
    "VOL",
    _REFUSED,
    _NEAR,
    *(kept(key, key) for key in FLOW_KEYS if key not in (_REFUSED.key, _NEAR.key)),
)
MARK = 8


class _Lowering:
    SUPPORT, MARK = SUPPORT, MARK

    def check(self, unit: FlowUnit, /) -> Iterable[Diagnostic]:
        """Nothing."""
        return ()

    def generate(self, unit: FlowUnit, /) -> Sequence[Document]:
        """``nightly.yaml``, and each job in a file of its own."""
        order = {job.run.job: list(job.run.after) for job in unit.jobs}
        jobs = (
            replace(one, file=f"{job.run.job}-{at}.yaml") for job in unit.jobs for at, one in enumerate(job.documents)
        )
        return [
            Document({"mark": unit.mark, "namespace": unit.flow.namespace, "order": order}, file="nightly.yaml"),
            *jobs,
        ]


LOWERING = _Lowering()
