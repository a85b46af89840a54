"""The Jobs of a job on plain Kubernetes, one for each role, or for each replica on its host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfdsl.backend.cluster import Phase, Sign
from tfdsl_backends.kubernetes.policies import JOB_LABEL, ROLE_LABEL
from tfdsl_backends.kubernetes.reasons import ROWS
from tfdsl_backends.podspec.operating.family import Facts, Family, Kind, Labels
from tfdsl_backends.podspec.operating.flows import FlowFamily
from tfdsl_backends.podspec.operating.kubectl import STATE, Object, conditions, number, text
from tfdsl_backends.podspec.options import QUEUE_LABEL

_COLUMNS: Final = STATE | {"completions": ".spec.completions", "suspend": ".spec.suspend"}
_AT_THE_SIDE: Final = ("ps", "evaluator")
"""Roles that end with the others, or never."""


def _facts(tables: Sequence[Sequence[Object]]) -> Facts:
    jobs = tables[0]
    held = {str(job["name"]): conditions(job) for job in jobs}
    roles = {str(job["name"]): text(job["labels"], ROLE_LABEL) for job in jobs}
    deciding = [name for name, role in roles.items() if role not in _AT_THE_SIDE] or list(roles)
    phase: Phase | None = None
    if all("Complete" in held[name] for name in deciding):
        phase = "succeeded"
    elif any("Failed" in states for states in held.values()):
        phase = "failed"
    elif all("Suspended" in states for states in held.values()):
        phase = "suspended"
    times = [text(condition, "lastTransitionTime") for each in held.values() for condition in each.values()]
    counts: dict[str, int] = {}
    for job in jobs:
        role = roles[str(job["name"])]
        counts[role] = counts.get(role, 0) + (number(job["completions"]) or 1)
    signs = [
        Sign(
            "job",
            text(condition, "reason"),
            text(condition, "message"),
            f"job/{name}",
            at=text(condition, "lastTransitionTime"),
        )
        for name, each in held.items()
        for kind, condition in each.items()
        if kind in ("Failed", "FailureTarget", "Suspended")
    ]
    since = max(times, default="") if phase is not None else ""
    hint: Phase = "running" if any(number(job["status"], "ready") for job in jobs) else "waiting"
    return Facts(phase, hint, since, None, text(jobs[0]["labels"], QUEUE_LABEL), counts, tuple(signs))


CLUSTER: Final = Family(
    "kubernetes",
    (Kind("jobs.batch", _COLUMNS, ("-l", f"{JOB_LABEL}={{name}}")),),
    Labels(JOB_LABEL, ROLE_LABEL, "batch.kubernetes.io/job-completion-index"),
    r"(?=(?:{jobs})-).*?-?(?P<role>chief|master|ps|worker|evaluator)-(?P<index>\d+)-[a-z0-9]{5}",
    _facts,
    ROWS,
    suspended=("spec", "suspend"),
    job_of=lambda row: text(row["labels"], JOB_LABEL),
)
FLOWS: Final = FlowFamily(CLUSTER)
