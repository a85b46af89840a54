"""JobSets as jobs of the language (JobSet v1alpha2): which, with which roles and policies, and that they come back."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings

from tests.unit.backends.jobs import job, role, unit
from tests.unit.backends.jobset.test_policies import policy_sets
from tests.unit.backends.verdicts import report
from tfdsl import targets
from tfdsl.backend.draft import Policy
from tfdsl.backend.reading import Asked
from tfdsl.emit.yaml import write
from tfdsl.importing.manifests import import_manifests
from tfdsl.manifest import yaml as manifests
from tfdsl.text import Source
from tfdsl_backends.jobset import reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend.draft import Block, Draft
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.ir import model

CASES = Path(__file__).parents[3] / "importing" / "jobset"
JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: digits}
spec:
  replicatedJobs:
  - {name: ps, template: {spec: &spec {backoffLimit: 0, completions: 2, parallelism: 2, template: {spec:
      {restartPolicy: Never, containers: [{name: a, image: a}]}}}}}
  - {name: worker, template: {spec: *spec}}
"""


def read(text: str, **roles: str) -> tuple[Draft | None, list[str]]:
    """The draft of the one JobSet in ``text``, and what is said."""
    messages: list[Diagnostic] = []
    found = manifests.read(Source("jobset.yaml", text), messages.append)
    [group] = reading.groups(found)
    draft = reading.read(group, Asked(roles, messages.append))
    return draft, [one.message.partition(":")[0] for one in messages]


def policies(block: Block) -> list[str]:
    return [f"on {one.event} => {one.action}" for one in block.statements if isinstance(one, Policy)]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("successPolicy: {operator: All, targetReplicatedJobs: [worker]}", []),
        ("successPolicy: {operator: All, targetReplicatedJobs: [ps]}", ["on ps completed => complete job"]),
        (
            "successPolicy: {operator: Any, targetReplicatedJobs: [ps, worker]}",
            ["on ps completed => complete job", "on worker completed => complete job"],
        ),
        ("failurePolicy: {maxRestarts: 2}", ["on failed => restart job"]),
        ("failurePolicy: {maxRestarts: 0}", []),
        ("failurePolicy: {maxRestarts: 2, rules: [{action: FailJobSet}]}", []),
        (
            "failurePolicy: {rules: [{action: RestartJobSetAndIgnoreMaxRestarts, onJobFailureReasons: "
            "[BackoffLimitExceeded]}]}",
            ["on failed => restart job"],
        ),
        ("failurePolicy: {maxRestarts: 2, rules: [{action: RestartJobSet, onJobFailureMessagePatterns: ['(']}]}",
         ["on failed => restart job"]),  # a pattern that is none matches nothing, and without a rule it is a restart
    ],
)  # fmt: skip
def test_ends_and_failures(spec: str, said: list[str]) -> None:
    draft, messages = read(f"{JOBSET}  {spec}\n")
    assert draft is not None
    assert (policies(draft.job), messages) == (said, [])
    assert draft.law


def test_roles_that_restart_otherwise() -> None:
    rules = "failurePolicy: {maxRestarts: 2, rules: [{action: FailJobSet, targetReplicatedJobs: [ps]}]}"
    draft, _ = read(f"{JOBSET}  {rules}\n")
    assert draft is not None
    assert [policies(draft.job), policies(draft.role("ps")), policies(draft.role("worker"))] == [
        [],
        [],
        ["on failed => restart job"],
    ]


def test_names_of_replicated_jobs() -> None:
    other = JOBSET.replace("name: worker", "name: trainers").replace("name: ps", "name: head")
    draft, messages = read(other, head="ps")
    assert draft is not None
    assert draft.renamed == {"head": "ps", "trainers": "worker"}
    assert messages == []
    alone, _ = read(JOBSET.replace("name: worker", "name: x").replace("name: ps", "name: y"))
    assert alone is None


def test_a_single_job_is_the_worker() -> None:
    lines = JOBSET.splitlines()
    draft, _ = read("\n".join(lines[:-1]).replace("name: ps", "name: train"))
    assert draft is not None
    assert draft.renamed == {"train": "worker"}


def test_replicas_that_a_role_cannot_have_are_those_of_workers() -> None:
    draft, messages = read(JOBSET.replace("name: worker", "name: chief"))
    assert draft is not None
    assert draft.renamed == {"chief": "worker"}
    assert len(messages) == 1


def test_a_job_without_replicas_is_left_out() -> None:
    draft, messages = read(JOBSET.replace("{name: ps,", "{name: ps, replicas: 0,"))
    assert draft is not None
    assert list(draft.roles) == ["worker"]
    assert messages == ["replicated Job ps is left out"]


# --- what is made comes back ---------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(policy_sets())
def test_policies_come_back(asked: tuple[model.Policy, ...]) -> None:
    made = job(role("ps"), role("worker", 2), role("evaluator"), policies=asked, retries=2)
    of = unit(made, "jobset")
    if any(one.level == "error" for one in report(of)):
        return
    backend = targets.find("jobset")
    assert backend is not None
    text = write([document.data for document in backend.load().generate(of)]).text
    [result] = import_manifests([Source("made.yaml", text)])
    assert [one.kept for one in result.jobs] == [True], text


ODD: tuple[Any, ...] = (None, [], {}, "", 0, -1, 10**30, 1.5, True, [None], [[]], {"a": None}, "(", "0-1,")


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every map and list in ``data`` with each of its keys."""
    members = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in list(members):
        yield data, key
        yield from places(value)


@pytest.mark.parametrize("seed", range(6))
def test_anything_is_read(seed: int) -> None:
    random = Random(seed)
    texts = [path.read_text("utf-8") for path in sorted(CASES.glob("*.yaml"))]
    for _ in range(25):
        data = deepcopy(list(yaml.safe_load_all(random.choice(texts))))
        for _ in range(random.randint(1, 4)):
            holder, key = random.choice(list(places(data)))
            holder[key] = deepcopy(random.choice(ODD))
        text = yaml.safe_dump_all(data, allow_unicode=True)
        found = manifests.read(Source("odd.yaml", text), lambda diagnostic: None)
        for group in reading.groups(found):
            reading.read(group, Asked({}, lambda diagnostic: None))
        normal = reading.normal([document.node for document in found], "0.12")
        assert len(reading.aligned(normal, list(reversed(normal)))) == len(found)
