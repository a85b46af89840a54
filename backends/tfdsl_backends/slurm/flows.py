"""Flows on Slurm: a script that submits all jobs, which wait for each other by ``--dependency``.

Seen on 22.05.8: a job that is queued again satisfies no dependency until it ends for good, one that is held after that
never. All components of a heterogeneous job have the comment, hold and dependency that are given for it, and all end
before a dependency on it is satisfied. ``afternotok`` is satisfied by a job that was cancelled, also before it ran.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tfdsl_backends.scripts.flows import documents
from tfdsl_backends.slurm import messages, sbatch_options
from tfdsl_backends.slurm.support import FLOWS

if TYPE_CHECKING:
    from tfdsl.backend import Document
    from tfdsl.backend.flow import FlowUnit
    from tfdsl.diagnostics import Diagnostic

_OWN: Final = {
    "dependency": "write after in the flow",
    "kill-on-invalid-dep": "flow.sh sets it",
    "comment": "flow.sh finds the jobs of a run by their comment",
    "clusters": "a job cannot wait for one of another cluster",
}
"""Options of sbatch that flow.sh sets for each job, or that break what it does, with what to do instead."""


class _Script:
    MARK: Final = 0
    SUPPORT: Final = FLOWS

    def check(self, unit: FlowUnit) -> Iterator[Diagnostic]:
        """Jobs that would wait for ever, and options that the flow sets."""
        for job in unit.jobs:
            made, origins = job.unit.job, job.unit.origins
            if made.suspend:
                yield messages.FLOW_WAITS(origins.span("suspend"), job=job.run.job, what="is held").help(
                    "remove suspend"
                )
            for policy in made.policies:
                if policy.action == "abort job":
                    yield messages.FLOW_WAITS(
                        origins.span(policy.path), job=job.run.job, what="is held once it is aborted"
                    ).help("write => fail job")
            for at, given in enumerate(sbatch_options.given(job.unit)):
                if given.name in _OWN:
                    place = job.unit.option_place(f"sbatch[{at}]")
                    yield messages.OWN_OPTION(place, option=f"--{given.name}").help(_OWN[given.name])

    def generate(self, unit: FlowUnit) -> Sequence[Document]:
        """``flow.sh``, and for each job a folder with its scripts."""
        first = unit.jobs[0].unit
        return documents(unit, Path(__file__).with_name("templates"), {"run_dir": first.text("run_dir")})


LOWERING: Final = _Script()
