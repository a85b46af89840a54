"""What the API server refuses in a Job is told at its line (pkg/apis/batch/validation; tried on a real server)."""

from __future__ import annotations

import pytest

from tests.unit.backends.kubernetes.jobs_read import job, told

RULE = "podFailurePolicy: {rules: [{action: %s, onExitCodes: {operator: %s, values: %s}}]}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (job(restart="Always"), "restartPolicy Always: a Job needs OnFailure or Never"),
        (job().replace("restartPolicy: Never, ", ""), "pods without a restartPolicy: it is Always unless it is"),
        (job("selector: {matchLabels: {a: b}}"), "a selector: the server makes the selector of a Job"),
        (job("completionMode: Indexed, parallelism: 2"), "completionMode Indexed with parallelism alone"),
        (job("completionMode: Sorted"), "completionMode"),
        (job("backoffLimitPerIndex: 1"), "backoffLimitPerIndex: it needs completionMode Indexed"),
        (job("maxFailedIndexes: 1, completionMode: Indexed, completions: 2"), "it needs backoffLimitPerIndex"),
        (job(RULE % ("FailJob", "In", [0])), "the value 0: status 0 is a success; only NotIn can name it"),
        (job(RULE % ("FailJob", "In", [2, 1])), "these values: they must ascend, each once"),
        (job(RULE % ("FailJob", "In", [])), "0 values: there must be 1 to 255"),
        (job(RULE % ("FailIndex", "In", [1])), "action FailIndex: it needs backoffLimitPerIndex"),
        (job(RULE % ("FailJob", "In", [1]), restart="OnFailure"), "podFailurePolicy: it needs restartPolicy Never"),
        (job("podFailurePolicy: {rules: [{action: FailJob}]}"), "this rule: it needs onExitCodes or onPodConditions"),
        (job("successPolicy: {rules: [{}]}, completionMode: Indexed, completions: 2"), "it needs succeededIndexes"),
        (
            job('successPolicy: {rules: [{succeededIndexes: "0-2"}]}, completionMode: Indexed, completions: 2'),
            "succeededIndexes 0-2: the last index is 1",
        ),
        (job("podReplacementPolicy: Now"), "podReplacementPolicy"),
        (job("completionMode: Indexed, completions: 2", name="a.b"), "the name a.b: with the index it is the hostname"),
        (job("backoffLimit: many"), "spec.backoffLimit: it must be a whole number"),
        (job("backoffLimit: -1"), "spec.backoffLimit: backoffLimit must be between 0 and 2147483647"),
        (job(pod="initContainers: [{name: a, image: a, lifecycle: {}}]"), "lifecycle: an init container has none"),
    ],
)
def test_refused(text: str, said: str) -> None:
    messages = told(text)
    assert any("TFJ4202 the server refuses" in one and said in one for one in messages), messages


def test_what_the_server_takes_is_not_refused() -> None:
    taken = [
        job("completionMode: Indexed"),
        job("manualSelector: true, selector: {matchLabels: {a: b}}"),
        job("selector: {matchLabels: {batch.kubernetes.io/controller-uid: x}}"),
        job(container="resources: {limits: {cpu: 0.5}}"),
        job("backoffLimit: 2147483647"),
    ]
    assert [one for text in taken for one in told(text) if "TFJ4202" in one] == []


def test_a_field_that_the_server_drops_is_told() -> None:
    wanted = "TFJ4203 spec.retries becomes an unchecked patch: Kubernetes has no such field"
    assert any(wanted in one for one in told(job("retries: 3")))
    assert not any("status" in one for one in told(job() + "status: {active: 1}\n"))
