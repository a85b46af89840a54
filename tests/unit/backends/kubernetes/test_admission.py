"""Nothing that is emitted can be refused: schema of batch/v1, the API's validation, pod checks, Services."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings, strategies as st

from tests.unit.backends.generated_jobs import has_sidecar, jobs
from tests.unit.backends.jobs import unit
from tests.unit.backends.kubernetes.job_controller import problems as job_problems
from tests.unit.backends.pod_validation import pod_problems
from tests.unit.backends.structural import schema, violations
from tests.unit.backends.verdicts import documents, report

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Job

pytestmark = pytest.mark.slow

SCHEMA = schema("batch-job")
SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?\Z")


def problems(asked: Unit) -> list[str]:
    found = []
    for document in documents(asked):
        match document["kind"]:
            case "Job":
                found += violations(document, SCHEMA) + job_problems(document)
                found += pod_problems(document["spec"]["template"])
            case "Deployment":
                found += pod_problems(document["spec"]["template"])
            case "Service":
                found += [] if SERVICE_NAME.match(document["metadata"]["name"]) else ["Service name"]
                found += (
                    [] if document["spec"].get("ports") or document["spec"]["clusterIP"] == "None" else ["no ports"]
                )
    return found


@settings(max_examples=150, deadline=None)
@given(jobs(), st.sampled_from(["1.27", "1.34"]), st.booleans())
def test_whatever_compiles_is_admitted(made: Job, version: str, pinned: bool) -> None:
    hosts = tuple(f"node-{index}" for index in range(30)) if pinned else ()
    asked = unit(made, "kubernetes", version, hosts=hosts) if pinned else unit(made, "kubernetes", version)
    assume(asked.at_least("1.29") or not has_sidecar(made))
    errors = [d.message for d in report(asked) if d.level == "error"]
    assert errors == [], "the generator makes jobs that compile"
    assert problems(asked) == []


@settings(max_examples=50, deadline=None)
@given(jobs())
def test_no_two_documents_have_one_name(made: Job) -> None:
    names = [(d["kind"], d["metadata"]["name"]) for d in documents(unit(made, "kubernetes"))]
    assert len(names) == len(set(names))
