"""What JobSet does with everything a job can set. Read as the target's manual.

Sources: the API, webhooks and controller of JobSet 0.8 to 0.12; runs of its controller on Kubernetes 1.34, which the
tests have as data (``tests/lifecycle``). Rows that all pods share are in :mod:`tfdsl_backends.podspec.support`. What
the policies become is worked out in :mod:`tfdsl_backends.jobset.policies`.
"""

from __future__ import annotations

from tfdsl.backend import UNUSED, Row, Support, approximated, chosen, conditions, kept, refused, translated
from tfdsl.vocabulary.statements import ACTIONS_OF
from tfdsl_backends.jobset import when
from tfdsl_backends.jobset.options import SEVERAL_DEPENDENCIES
from tfdsl_backends.podspec import batch, when as shared
from tfdsl_backends.podspec.fields import SUSPEND, TTL, kept_rows
from tfdsl_backends.podspec.support import ROWS, STEP, WHOLE_DEVICES, WITHOUT_OWNER, prepare_row

JOB = "replicatedJobs[].template.spec"
QUEUE = "metadata.labels[kueue.x-k8s.io/queue-name]"

SCHEDULING: tuple[Row, ...] = (
    translated(
        "job.queue",
        QUEUE,
        "the label that Kueue reads; it admits the JobSet as a whole. Where its integration for JobSets is off, the "
        "job starts at once, outside of any quota",
    ),
    kept("job.priority", f"{JOB}.template.spec.priorityClassName"),
    kept("job.scheduler", f"{JOB}.template.spec.schedulerName"),
    translated("job.gang", "", "one replica starts alone", when=conditions.single),
    kept("job.gang", "", when=conditions.off),
    translated("job.gang", QUEUE, "Kueue admits all pods of the JobSet together", when=batch.queued),
    approximated(
        "job.gang",
        "",
        "pods are placed one by one: some may hold their nodes while others wait for room",
        "050",
        "no-gang",
        edit="write queue for Kueue, or compile to volcano; or write gang = false",
    ),
    translated("roles[].min_available", "", "all replicas are created", when=shared.all_replicas),
    translated("roles[].min_available", "", "a role begins with its first replica", when=shared.first_replica),
    approximated(
        "roles[].min_available",
        "",
        "JobSet has no minimum: role {role} starts with whatever can be placed, even fewer than {value}",
        "051",
        edit=f"{UNUSED}; volcano has a minimum for each role",
    ),
    kept("roles[].after", "replicatedJobs[].dependsOn, status Ready", since=SEVERAL_DEPENDENCIES),
    refused(
        "roles[].after",
        "JobSet before 0.9 lets a role wait for one other, and role {role} waits for several",
        "052",
        "after-several",
        instead="compile for JobSet 0.10 or newer",
        when=when.after_several,
    ),
    kept("roles[].after", "replicatedJobs[].dependsOn, status Ready"),
)

LIMITS: tuple[Row, ...] = (
    approximated(
        "job.retries",
        f"failurePolicy.maxRestarts, {JOB}.backoffLimit",
        "restarts are counted apart ({counters}), each up to {value}; a restart of the job lets its roles begin anew",
        "053",
        "retries-counted-apart",
        instead="compile to volcano, or restart the job on every failure: on failed => restart job",
        when=when.counted_apart,
        fill=when.restarting_roles,
    ),
    chosen(
        "job.retries",
        f"failurePolicy.maxRestarts, {JOB}.backoffLimit",
        "maxRestarts if the job restarts, backoffLimit if pods do, one more if containers do (the Job fails when the "
        "count reaches it, seen); 0 if nothing restarts",
        "retries is not set: {value} restarts are allowed, then the job fails",
        "111",
        "default-retries",
        instead="write retries = N to allow more or fewer",
    ),
    approximated(
        "job.deadline",
        f"{JOB}.activeDeadlineSeconds",
        "each restart of the job has {value} anew",
        "054",
        "deadline-anew",
        instead="write a shorter deadline, or fewer retries",
        when=when.restarts_job,
        fill=shared.whole_seconds,
    ),
    translated(
        "job.deadline",
        f"{JOB}.activeDeadlineSeconds",
        "of each Job, from its start, waiting for room included, again after a suspension",
    ),
    *kept_rows("job", (TTL,)),
    refused(
        "job.cleanup",
        "JobSet deletes the Jobs that still run when the job ends, with their pods; nothing can run on",
        "055",
        "cleanup-none",
        instead='write cleanup = "running", or compile to tfjob',
        when=when.keeps_running,
    ),
    approximated(
        "job.cleanup",
        "",
        "JobSet deletes each Job of which a replica still runs when the job ends, with its pods that have ended too",
        "056",
        "cleanup-of-running-jobs",
        instead="keep what you need of the logs elsewhere",
        when=when.keeps_less,
    ),
    kept("job.cleanup", "", when=conditions.running),
    approximated(
        "job.cleanup",
        "",
        "JobSet keeps Jobs that have ended, with their pods, until it is deleted",
        "057",
        "cleanup-all",
        edit=f"{UNUSED}; ttl removes the finished job with all its pods",
    ),
    approximated(
        "job.suspend",
        "suspend",
        "Kueue decides when the job starts, even if suspend is true",
        "058",
        "kueue-resumes",
        edit="remove suspend, or stop the queue (stopPolicy of the LocalQueue) to hold the job",
        when=batch.in_kueue,
    ),
    *kept_rows("job", (SUSPEND,)),
)

ROLES: tuple[Row, ...] = (
    kept("roles[].replicas", f"{JOB}.completions and parallelism, times replicatedJobs[].replicas"),
    approximated(
        "roles[].logdir",
        f"{JOB}.template.spec.containers[0].command",
        "TensorBoard starts again with each restart of the job",
        "059",
        "tensorboard-restarts",
        when=when.restarts_job,
    ),
    translated(
        "roles[].logdir",
        f"{JOB}.template.spec.containers[0].command",
        "--logdir of the tensorboard command; a Service JOB-tensorboard, which outlives the job, leads to it",
    ),
    translated("mounts[claim]", "volumeClaimPolicies", "a claim CLAIM-JOB", when=when.goes_with_job),
    kept("mounts[claim].keep", "PersistentVolumeClaim"),
)

STEPS: tuple[Row, ...] = (
    prepare_row(),
    approximated(
        "steps[sidecar]",
        STEP,
        "if sidecar {value} of role {role} ends, it is started again, and that counts as a restart of the role",
        "025",
        "sidecar-counted",
        when=when.restarts_in_place,
    ),
    translated("steps[sidecar]", STEP, "an init container with restartPolicy Always"),
)


# --- policies: the rows behind `on … => …` -----------------------------------------------------------------------

SUCCESS = "successPolicy"
JOB_RULES = f"{JOB}.podFailurePolicy"
SET_RULES = "failurePolicy"


def _failure(event: str) -> tuple[Row, ...]:
    key = f"policies[{event}]"
    return (
        refused(
            key,
            "the Job of tensorboard always restarts its container in place, and never ends the job",
            "061",
            "tensorboard-policy",
            instead="remove the policy",
            when=batch.not_tensorboards_own,
        ),
        *(
            (batch.statuses_row(JOB_RULES),)
            if event == "exit"
            else (batch.drained_row(event, JOB_RULES if event == "evicted" else SET_RULES), kept(key, SET_RULES))
        ),
        *_fails(event),
        translated(f"{key}.restart job", SET_RULES, "the Job fails, and the JobSet makes all Jobs anew"),
        refused(
            f"{key}.restart role",
            "JobSet restarts all Jobs or none; to restart one is an alpha feature (gate RestartJob)",
            "062",
            "restart-role",
            instead="write restart job, or compile to volcano",
        ),
        refused(
            f"{key}.abort job",
            "nothing suspends a JobSet from inside",
            "063",
            "abort-job",
            instead="write fail job, or compile to volcano",
        ),
        refused(
            f"{key}.ignore",
            "any failed Job fails the JobSet, whichever role it is of",
            "064",
            "ignore",
            instead="let the program exit 0, or compile to volcano"
            + (", slider or yarn, which can ignore a failed replica" if event != "evicted" else ""),
        ),
        refused(
            f"{key}.index",
            "the Job of a role restarts the pods of all its replicas alike: {value} of {role} cannot differ in that",
            "065",
            "replica-policy",
            instead="write the policy for the whole role, or fail or restart the job",
            when=when.replica_restarts_alone,
        ),
        translated(f"{key}.index", SET_RULES, "a rule that finds the pod's name in the message of the Job"),
    )


def _fails(event: str) -> tuple[Row, ...]:
    key, text = f"policies[{event}].fail job", "the Job fails, and the JobSet with it"
    return (
        chosen(
            key,
            SET_RULES,
            text,
            "a failed replica fails the job; by default a Job tries up to 6 more times",
            "112",
            "fails-at-once",
            instead="write on failed => restart job to try again",
        )
        if event == "failed"
        else translated(key, SET_RULES, text),
    )


def _restarts_on(event: str) -> tuple[Row, ...]:
    key, place = f"policies[{event}]", f"{JOB}.template.spec.restartPolicy"
    return (
        approximated(
            f"{key}.restart container",
            place,
            "a Job distinguishes failures only with new pods: the replica restarts in a new pod",
            "067",
            "restart-in-new-pod",
            edit="write `restart pod` if that is what you want",
            when=when.in_new_pod,
        ),
        translated(f"{key}.restart container", place, "OnFailure", when=shared.of_tensorboard),
        batch.last_log_row(event, place, "069"),
        translated(f"{key}.restart pod", f"{JOB}.backoffLimit", "Never: the Job creates a new pod"),
    )


def _evicted_restarts(action: str) -> tuple[Row, ...]:
    key = f"policies[evicted].{action}"
    return (
        translated(key, f"{JOB}.backoffLimit", "a new pod", when=shared.of_tensorboard),
        approximated(
            key,
            JOB_RULES,
            "the Job ignores evictions (condition DisruptionTarget): it recreates the pod each time, and retries does "
            "not count that",
            "068",
            "evictions-uncounted",
            instead="without the policy an eviction counts as a failure",
            when=when.restarts_pods,
        ),
        translated(key, f"{JOB}.backoffLimit", "a new pod, counted apart from restarts in place"),
    )


COMPLETED: tuple[Row, ...] = (
    refused(
        "policies[completed].complete job",
        "the Jobs of role {role} are alike: the first of them that completes would end the job",
        "074",
        "completed-of-several-jobs",
        instead="remove jobs, or let the whole role complete the job",
        when=when.by_several_jobs,
    ),
    kept("policies[completed]", SUCCESS),
    kept("policies[completed].complete job", SUCCESS),
    refused(
        "policies[completed].restart job",
        "a JobSet whose role has completed does not start again",
        "060",
        "restart-after-success",
        instead="compile to volcano",
    ),
    kept("policies[completed].index", SUCCESS, when=batch.whole),
    translated("policies[completed].index", f"{JOB}.successPolicy", "the Job ends with that replica"),
)


# A policy that decides nothing costs nothing.
OVERRIDDEN: tuple[Row, ...] = (
    *(
        kept(f"policies[{event}].{action}", "", when=when.overridden)
        for event in ("failed", "exit", "evicted")
        for action in ACTIONS_OF[event]
    ),
)


# What is alike in failures, exit statuses and evictions.
FAILURES: tuple[Row, ...] = (
    *(row for event in ("failed", "exit", "evicted") for row in _failure(event)),
    *(
        refused(
            f"policies[{event}].delay",
            "a JobSet acts at once; it cannot wait {value}",
            "066",
            "delay",
            instead="remove `after`, or compile to volcano 1.11 or newer",
        )
        for event in ("failed", "evicted")
    ),
)


# ``restart container`` and ``restart pod``.
RESTARTS: tuple[Row, ...] = (
    *(row for event in ("failed", "exit") for row in _restarts_on(event)),
    *(row for action in ("restart container", "restart pod") for row in _evicted_restarts(action)),
)


# What JobSet does not have, and restarts in place that are used up.
OTHERS: tuple[Row, ...] = (
    refused(
        "policies[pending]",
        "a JobSet has no time limit for pods that wait to be placed",
        "070",
        "pending",
        instead="write deadline, which also counts waiting, or compile to volcano 1.11 or newer",
    ),
    refused(
        "policies[restarted]",
        "pods of this role restart, not containers, so no restart in place is counted",
        "071",
        "restarted-in-new-pod",
        instead="remove the policy; retries limits the restarts",
        when=when.restarts_new_pods,
    ),
    translated(
        "policies[restarted]", f"{JOB}.backoffLimit", "retries, which are used up before", when=when.beyond_retries
    ),
    kept("policies[restarted]", f"{JOB}.backoffLimit"),
    refused(
        "policies[restarted].index",
        "a Job adds up the restarts of all its pods, so replica {value} of {role} cannot be counted alone",
        "073",
        "restarted-replica",
        instead="write the policy for the whole role",
    ),
    kept("policies[restarted].fail job", SET_RULES),
    kept("policies[restarted].restart job", SET_RULES),
    refused(
        "policies[restarted].abort job",
        "nothing suspends a JobSet from inside",
        "063",
        "abort-job",
        instead="write fail job, or compile to volcano",
    ),
    refused(
        "policies[unknown]",
        "a JobSet is not placed as a gang, so nothing acts when only part of the job can be placed",
        "072",
        "unknown",
        instead="compile to volcano",
    ),
)


POLICIES: tuple[Row, ...] = (*OVERRIDDEN, *COMPLETED, *FAILURES, *RESTARTS, *OTHERS)

OWN: tuple[Row, ...] = (*SCHEDULING, *LIMITS, *STEPS, *POLICIES)

SECONDS_AND_CLAIMS: tuple[Row, ...] = tuple(row for row in WITHOUT_OWNER if row.key != "roles[].logdir")

SUPPORT = Support("jobset", "JBS", *ROLES, *SECONDS_AND_CLAIMS, *OWN, WHOLE_DEVICES, *ROWS)
"""Special rows first: of the rows of one key the first that applies decides."""
