"""Nothing that is emitted can be refused: CRD structure, webhook, pod checks, and what hangs without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings, strategies as st

from tests.unit.backends.generated_jobs import has_sidecar, jobs
from tests.unit.backends.jobs import job, role, unit
from tests.unit.backends.pod_validation import pod_problems
from tests.unit.backends.structural import schema, violations
from tests.unit.backends.tfjob.operator import never_checked, webhook
from tests.unit.backends.verdicts import documents, report

if TYPE_CHECKING:
    from tfdsl.ir.model import Job

pytestmark = pytest.mark.slow

SCHEMA = schema("tfjob")


def problems(asked: object) -> list[str]:
    made = documents(asked)  # type: ignore[arg-type]  # a Unit
    tfjob = made[0]
    found = violations(tfjob, SCHEMA) + webhook(tfjob) + never_checked(tfjob)
    for spec in tfjob["spec"]["tfReplicaSpecs"].values():
        found += pod_problems(spec["template"])
    for other in made[1:]:
        if other["kind"] == "Deployment":
            found += pod_problems(other["spec"]["template"])
    return found


@settings(max_examples=150, deadline=None)
@given(
    jobs(),
    st.sampled_from(["1.5", "1.9"]),
    st.sampled_from(["operator", "static"]),
    st.sampled_from(["", "volcano"]),
    st.booleans(),
)
def test_whatever_compiles_is_admitted(made: Job, version: str, tf_config: str, gang: str, kueue: bool) -> None:
    asked = unit(made, "tfjob", version, tf_config=tf_config, gang_scheduler=gang, kueue=kueue)
    assume(asked.at_least("1.8") or not has_sidecar(made))
    errors = [d.message for d in report(asked) if d.level == "error"]
    assert errors == [], "the generator makes jobs that compile"
    assert problems(asked) == []


@pytest.mark.parametrize("name", ["1a", "7", "0-0"])
def test_a_name_that_the_webhook_refuses_is_an_error_before(name: str) -> None:
    made = job(role("worker")).but(name=name)
    assert any(d.level == "error" for d in report(unit(made, "tfjob")))
