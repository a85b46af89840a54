"""A JobSet on its cluster: the JobSet, the Jobs in it, and their pods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfdsl.backend import Unit
from tfdsl.backend.cluster import Phase, Sign
from tfdsl_backends.jobset.policies import LABELS, job_name
from tfdsl_backends.jobset.reasons import ROWS
from tfdsl_backends.podspec.operating.family import Facts, Family, Kind, Labels
from tfdsl_backends.podspec.operating.flows import FlowFamily
from tfdsl_backends.podspec.operating.kubectl import STATE, Object, conditions, counts, items, number, text
from tfdsl_backends.podspec.options import QUEUE_LABEL

_COLUMNS: Final = STATE | {"jobs": ".spec.replicatedJobs"}
_PHASES: Final[dict[str, Phase]] = {"Completed": "succeeded", "Failed": "failed", "Suspended": "suspended"}


def _facts(tables: Sequence[Sequence[Object]]) -> Facts:
    job, (jobs, *_) = tables[0][0], (*tables[1:], ())
    held = conditions(job)
    ended = next((kind for kind in _PHASES if kind in held), "")
    signs = [
        Sign(source, text(condition, "reason"), text(condition, "message"), f"{source_kind}/{each['name']}",
             at=text(condition, "lastTransitionTime"))
        for source, source_kind, objects in (("child", "job", jobs), ("job", "jobset", [job]))
        for each in objects
        for kind, condition in conditions(each).items()
        if kind in ("Failed", "FailureTarget", "Suspended")
    ]  # fmt: skip
    return Facts(
        _PHASES.get(ended),
        "running" if any(number(item, "ready") for item in items(job["status"], "replicatedJobsStatus")) else "waiting",
        text(held.get(ended), "lastTransitionTime"),
        number(job["status"], "restarts") or 0,
        text(job["labels"], QUEUE_LABEL),
        counts(items(job, "jobs"), "template", "spec", "completions"),
        tuple(signs),
    )


def _parts(unit: Unit) -> dict[str, str]:
    return {role.name: job_name(unit, role) for role in unit.job.training_roles}


CLUSTER: Final = Family(
    "jobset",
    (
        Kind("jobsets.jobset.x-k8s.io", _COLUMNS),
        Kind("jobs.batch", STATE, ("-l", f"{LABELS}/jobset-name={{name}}")),
    ),
    Labels(f"{LABELS}/jobset-name", f"{LABELS}/replicatedjob-name", "batch.kubernetes.io/job-completion-index"),
    r"{name}-(?P<role>[a-z0-9-]+?)-\d+-(?P<index>\d+)-[a-z0-9]{5}",
    _facts,
    ROWS,
    _parts,
    ("spec", "suspend"),
)
FLOWS: Final = FlowFamily(CLUSTER)
