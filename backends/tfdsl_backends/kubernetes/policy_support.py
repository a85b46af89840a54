"""What the kubernetes target does with policies: the rows behind ``on … => …``.

How a Job restarts its replicas is worked out in :mod:`tfdsl_backends.kubernetes.restart`; the rows say what that means.
Jobs do not know of each other: what one does when it ends is told with the command that removes the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import approximated, chosen, kept, refused, translated
from tfdsl.vocabulary.policies import ACTIONS_OF
from tfdsl_backends.kubernetes import conditions as when
from tfdsl_backends.kubernetes.features import SUCCESS_POLICY
from tfdsl_backends.podspec import when as shared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Row

FAILURE_RULES = "spec.podFailurePolicy"
REMOVE = "`kubectl delete jobs,services -l tfdsl/job={job}{namespace}`"


def _completed() -> Iterator[Row]:
    yield kept("policies[completed]", "Job condition Complete")
    yield translated(
        "policies[completed].complete job", "Job condition Complete", "the Job completes", when=when.no_job_stays
    )
    yield approximated(
        "policies[completed].complete job",
        "Job condition Complete",
        f"when {{role}} has completed, the other Jobs run on ({{stay}}); remove all with {REMOVE}",
        "K8S060",
        "jobs-run-on",
        instead="compile to tfjob or volcano, which end as one",
        fill=when.jobs_that_stay,
    )
    yield refused(
        "policies[completed].restart job",
        "a Job that has completed does not start again",
        "K8S061",
        "restart-after-success",
        instead="compile to volcano",
    )
    yield kept("policies[completed].index", "Job", when=when.whole_or_pinned)
    yield kept("policies[completed].index", "spec.successPolicy", since=SUCCESS_POLICY)
    yield refused(
        "policies[completed].index",
        "an Indexed Job can be ended by one of its replicas from Kubernetes 1.31 on",
        "K8S062",
        "success-index",
        instead='write version = "1.31" or a newer one in target kubernetes, or name the whole role',
    )


def _fails(event: str) -> Iterator[Row]:
    """``fail job``: the Job of the replica fails, the others do not."""
    key = f"policies[{event}].fail job"
    to = "spec.backoffLimit" if event == "failed" else FAILURE_RULES
    if event == "failed":
        yield chosen(
            key,
            to,
            "the Job fails",
            "a failed replica fails the Job; left alone Kubernetes tries up to 6 more times",
            "K8S109",
            "fails-at-once",
            instead="write on failed => restart pod to try again",
            when=when.one_job,
        )
    else:
        yield translated(key, to, "the Job fails", when=when.one_job)
    yield approximated(
        key,
        to,
        f"only the Job of the replica fails, the others run on; remove all with {REMOVE}",
        "K8S063",
        "fails-alone",
        instead="compile to tfjob or volcano, which fail as one",
        fill=shared.namespace_flag,
    )


def _restarts(event: str) -> Iterator[Row]:
    """``restart container`` and ``restart pod`` on a failure."""
    key = f"policies[{event}]"
    yield approximated(
        f"{key}.restart container",
        "template.spec.restartPolicy",
        "exit statuses or evictions are told apart, which a Job does with new pods only: the replica starts again in a "
        "new pod",
        "K8S064",
        "restart-in-new-pod",
        instead="write `restart pod` to say so",
        when=when.in_new_pod,
    )
    yield translated(f"{key}.restart container", "template.spec.restartPolicy", "OnFailure")
    yield translated(f"{key}.restart pod", "template.spec.restartPolicy", "Never: the Job makes a new pod")


def _failed() -> Iterator[Row]:
    yield from _of_tensorboard("failed")
    yield kept("policies[failed]", "template.spec.restartPolicy")
    yield translated(
        "policies[failed].restart container",
        "Deployment",
        "a Deployment always restarts its container",
        when=shared.of_tensorboard,
    )
    yield from _fails("failed")
    yield from _restarts("failed")


def _of_tensorboard(event: str) -> Iterator[Row]:
    yield refused(
        f"policies[{event}]",
        "TensorBoard runs outside the Jobs, in a Deployment that restarts it in place whatever happens",
        "K8S065",
        "tensorboard-policy",
        instead="leave the policy out",
        when=when.not_tensorboards_own,
    )


def _exit() -> Iterator[Row]:
    yield from _of_tensorboard("exit")
    yield kept("policies[exit]", FAILURE_RULES)
    yield from _fails("exit")
    yield from _restarts("exit")


def _evicted() -> Iterator[Row]:
    yield from _of_tensorboard("evicted")
    yield kept("policies[evicted]", FAILURE_RULES)
    yield from _fails("evicted")
    for action in ("restart container", "restart pod"):
        key = f"policies[evicted].{action}"
        yield translated(key, "Deployment", "a new pod", when=shared.of_tensorboard)
        yield approximated(
            key,
            FAILURE_RULES,
            "evictions are ignored by the Job (condition DisruptionTarget): the pod is made again each time, and "
            "retries does not count it",
            "K8S066",
            "evictions-uncounted",
            instead="without the policy an eviction is a failure and is counted",
            when=when.restarts_pods,
        )
        yield translated(key, "spec.backoffLimit", "a new pod, counted like a failure")


def _refused() -> Iterator[Row]:
    """What plain Jobs do not have."""
    for event in ("failed", "exit", "evicted"):
        yield refused(
            f"policies[{event}].ignore",
            "Kubernetes 1.33 can let the other replicas run on (backoffLimitPerIndex), but a Job with a failed replica "
            "ends as failed all the same",
            "K8S111",
            instead="let the program exit 0, or compile to volcano"
            + (", slider or yarn, which can ignore a failed replica" if event != "evicted" else ""),
        )
        for action in ("abort job", "restart role", "restart job"):
            yield refused(
                f"policies[{event}].{action}",
                "Jobs have no such action: {value} would need a controller over all of them",
                "K8S067",
                "action",
                instead="compile to volcano, which has this action",
            )
        yield refused(
            f"policies[{event}].index",
            "replica {value} of {role} cannot have a policy of its own",
            "K8S068",
            "replica-policy",
            instead="write the policy for the whole role",
        )
    for event in ("failed", "evicted"):
        yield refused(
            f"policies[{event}].delay",
            "a Job acts at once; it cannot wait {value}",
            "K8S069",
            instead="leave `after` out, or compile to volcano 1.11 or newer",
        )
    yield refused(
        "policies[pending]",
        "a Job has no time limit for pods that wait to be placed",
        "K8S070",
        instead="set deadline, which counts waiting too, or compile to volcano 1.11 or newer",
    )
    yield refused(
        "policies[restarted]",
        "a Job counts restarts by backoffLimit, which retries sets; it has no other counter",
        "K8S071",
        instead="write retries, or compile to tfjob or volcano",
    )
    yield refused(
        "policies[unknown]",
        "Jobs are not placed as a gang, so nothing acts when only part of one can be placed",
        "K8S072",
        instead="compile to volcano",
    )


def _overridden() -> Iterator[Row]:
    """A policy that decides nothing costs nothing."""
    for event in ("failed", "exit", "evicted"):
        for action in ACTIONS_OF[event]:
            key = f"policies[{event}].{action}"
            yield kept(key, "", when=when.overridden)


POLICIES: tuple[Row, ...] = (*_overridden(), *_completed(), *_failed(), *_exit(), *_evicted(), *_refused())
