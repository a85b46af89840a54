"""The JobSet of a job, and its Jobs as the controller makes them."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from tests.unit.backends.jobs import unit
from tests.unit.backends.kubernetes.job_controller import problems
from tests.unit.backends.structural import schema, violations
from tests.unit.backends.verdicts import documents

if TYPE_CHECKING:
    from tfdsl.backend import OptionValue, Unit
    from tfdsl.ir.model import Job

SCHEMA = schema("jobset")


def jobset(made: Job | Unit, version: str | None = None, **options: OptionValue) -> dict:
    """The JobSet, which the server and the Job controller take."""
    asked = made if hasattr(made, "target") else unit(made, "jobset", version, **options)
    found = documents(asked)[0]
    refused = violations(found, SCHEMA) + [text for one in jobs(found).values() for text in problems(one)]
    assert refused == []
    return found


def jobs(found: dict) -> dict[str, dict]:
    """Name of a replicated Job → the Job."""
    made: dict[str, dict] = {}
    for one in found["spec"]["replicatedJobs"]:
        job = deepcopy(one["template"])
        job["metadata"] = {"name": f"{found['metadata']['name']}-{one['name']}-0"}
        made[one["name"]] = job
    return made


def specs(found: dict) -> dict[str, dict]:
    """Name of a replicated Job → the ``spec`` of the Job."""
    return {one["name"]: one["template"]["spec"] for one in found["spec"]["replicatedJobs"]}
