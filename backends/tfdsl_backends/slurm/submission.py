"""``submit.sh``."""

from __future__ import annotations

from tfdsl.backend import Unit
from tfdsl.emit.located import Data, Located, Written
from tfdsl.emit.script import render
from tfdsl_backends.slurm.job_script import TEMPLATES, minutes
from tfdsl_backends.slurm.options import in_containers


def submit_script(unit: Unit) -> Written:
    """The script that submits the job of ``unit``."""
    values: dict[str, Data] = {
        "job": Located(unit.job.name, "name"),
        "options": pending(unit),
        "run_dir": unit.text("run_dir"),
        "containers": in_containers(unit),
    }
    return render(TEMPLATES, "submit.sh.j2", values)


def pending(unit: Unit) -> list[Data]:
    """``--deadline``: Slurm removes a job that cannot end by then, so the time that it needs is added."""
    waits = [(p, p.delay) for p in unit.job.policies if p.event == "pending" and p.delay is not None]
    if not waits:
        return []
    policy, delay = min(waits, key=lambda one: one[1].ms)
    limit = -(-delay.ms // 1000) + minutes(unit) * 60
    return [Located(f"--deadline=now+{limit}", f"{policy.path}.delay")]
