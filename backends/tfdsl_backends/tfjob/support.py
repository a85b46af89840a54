"""What the tfjob target does with everything a job can set.

Sources: training-operator 1.3 to 1.9 (`pkg/apis/kubeflow.org/v1`, `pkg/controller.v1/{tensorflow,common}`,
`pkg/webhooks/tensorflow`); what version 1.8.1 was seen to do on a real node. Rows that all
pods share are in :mod:`tfdsl_backends.podspec.support`. Which restart policy a role gets is worked out in
:mod:`tfdsl_backends.tfjob.policies`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.backend import Row, Support, approximated, chosen, conditions, kept, refused, translated
from tfdsl.vocabulary.statements import ACTIONS_OF
from tfdsl_backends.podspec import when as shared
from tfdsl_backends.podspec.fields import TTL, kept_rows
from tfdsl_backends.podspec.support import ROWS, STEP, WHOLE_DEVICES, WITHOUT_OWNER, prepare_row, sidecar_rows
from tfdsl_backends.tfjob import when
from tfdsl_backends.tfjob.options import KEEPS_PODS, REMAKES_LOST_PODS, SIDECARS, SUSPEND

SCHEDULING = "spec.runPolicy.schedulingPolicy"

QUEUE = (
    translated(
        "job.queue",
        "metadata.labels[kueue.x-k8s.io/queue-name]",
        "the label that Kueue reads; Kueue suspends the job until it is admitted",
        when=when.with_kueue,
    ),
    kept("job.queue", f"{SCHEDULING}.queue", when=when.volcano_scheduled),
    approximated(
        "job.queue",
        f"{SCHEDULING}.queue",
        "queue {value} is written to schedulingPolicy, but only an operator started with Volcano as its gang "
        "scheduler reads it",
        "KTF050",
        "queue-unread",
        edit='write gang_scheduler = "volcano" or kueue = true in target tfjob, whichever the cluster has',
    ),
)

PRIORITY_AND_SCHEDULER = (
    kept("job.priority", f"template.spec.priorityClassName and {SCHEDULING}.priorityClass"),
    approximated(
        "job.scheduler",
        "template.spec.schedulerName",
        "the operator makes the PodGroup for its gang scheduler, but scheduler {value} places the pods: the gang "
        "has no effect",
        "KTF052",
        "scheduler-against-gang",
        edit="remove scheduler (the operator sets its own), or remove gang_scheduler",
        when=when.other_scheduler,
    ),
    kept("job.scheduler", "template.spec.schedulerName"),
)

GANG = (
    translated("job.gang", "", "one replica starts alone", when=conditions.single),
    translated(
        "job.gang",
        f"{SCHEDULING}.minAvailable",
        "1 with a gang scheduler; without one the operator makes no PodGroup",
        when=conditions.off,
    ),
    kept("job.gang", f"{SCHEDULING}.minAvailable", when=when.gang_scheduled),
    approximated(
        "job.gang",
        "",
        "Kueue admits all replicas together, by quota; the scheduler then places them one by one, and some may "
        "wait for room",
        "KTF053",
        "gang-by-quota",
        edit="set gang_scheduler if the operator runs with one",
        when=when.with_kueue,
    ),
    approximated(
        "job.gang",
        "",
        "pods are placed one by one: some may hold their nodes while others wait for room",
        "KTF054",
        "no-gang",
        edit='write gang_scheduler = "volcano" (or the one your operator was started with), or gang = false',
    ),
    translated(
        "roles[].min_available",
        f"{SCHEDULING}.minAvailable",
        "their sum, with a gang scheduler",
        when=shared.all_replicas,
    ),
    approximated(
        "roles[].min_available",
        f"{SCHEDULING}.minAvailable",
        "a TFJob has one minimum for all roles: any pods count, so it may start without {value} of role {role}; "
        "without a gang scheduler there is no minimum",
        "KTF055",
        "min-available-total",
        instead="compile to volcano, which has a minimum per role",
    ),
    refused(
        "roles[].after",
        "a TFJob starts all replicas at once; role {role} cannot wait for others",
        "KTF056",
        instead="let the program wait for its peers (TensorFlow does), or compile to volcano",
    ),
)

CLEANUP = "Running, All or None; Running also deletes pods that ended up to about a second before the job did "
"(seen)"

LIMITS = (
    refused(
        "job.retries",
        "a TFJob has one counter, backoffLimit, and `restarted N` uses it: retries {value} cannot be kept",
        "KTF057",
        "two-counters",
        instead="remove retries or the `restarted N` policy",
        when=when.counts_elsewhere,
    ),
    approximated(
        "job.retries",
        "spec.runPolicy.backoffLimit",
        "a TFJob does not count restarts under ExitCode (each is a new pod), so retries {value} does not limit them",
        "KTF058",
        "retries-unbounded",
        edit="write `on failed => restart container`, which is counted, or compile to volcano or kubernetes",
        when=when.restarts_by_status,
        default="silent",
    ),
    approximated(
        "job.retries",
        "",
        "limit_restarts = false leaves out backoffLimit: retries {value} does not limit restarts",
        "KTF122",
        "retries-left-out",
        edit="remove retries, or limit_restarts = false",
        when=when.unlimited,
        default="silent",
    ),
    approximated(
        "job.retries",
        "spec.runPolicy.backoffLimit",
        "the operator counts the restarts of containers that run now: those of a replica that has completed, or has "
        "a new pod because it was evicted, are forgotten; when {value} are used up, versions up to 1.9.3 delete all "
        "pods, also those that have ended",
        "KTF123",
        "retries-forgotten",
        instead="compile to kubernetes with `on failed => restart pod`, which counts every restart",
        when=when.written_in_place,
    ),
    chosen(
        "job.retries",
        "spec.runPolicy.backoffLimit",
        "retries + 1: the job fails when the restarts of its running containers reach that number (seen); "
        "recreated pods start from 0",
        "retries is not set: the job fails after {value} restarts of containers that run, and all its pods are "
        "deleted; without backoffLimit the operator has no limit",
        "KTF110",
        "default-retries",
        instead="write retries = N to allow more or fewer",
        when=when.restarts_in_place,
    ),
    translated("job.retries", "", "nothing restarts, so nothing is counted"),
    approximated(
        "job.deadline",
        "spec.runPolicy.activeDeadlineSeconds",
        "the operator looks at the deadline only when something happens to the job or its pods (seen with 1.8.1): one "
        "that hangs runs on; after {value} versions up to 1.9.3 delete all pods, also those that have ended",
        "KTF124",
        "deadline-looked-at-late",
        instead="let the program give up by itself, or compile to kubernetes, whose Jobs end on time",
    ),
    approximated(
        "job.ttl",
        "spec.runPolicy.ttlSecondsAfterFinished",
        "operator 1.3 looks at the time only when something happens to the job: it may go hours after {value}",
        "KTF129",
        "ttl-looked-at-late",
        instead="compile for version 1.5 or newer, or delete the job yourself",
        when=when.looks_late,
    ),
    *kept_rows("job", (TTL,), "spec.runPolicy"),
    approximated(
        "job.cleanup",
        "spec.runPolicy.cleanPodPolicy",
        "operators up to 1.9.3 delete all pods when retries or the deadline end the job",
        "KTF061",
        "cleanup-over-limit",
        when=when.limited,
    ),
    chosen(
        "job.cleanup",
        "spec.runPolicy.cleanPodPolicy",
        CLEANUP,
        "pods that still run when the job finishes are deleted; by default the operator lets them run",
        "KTF112",
        "default-cleanup",
        instead='write cleanup = "none" to keep them',
        since=KEEPS_PODS,
        when=when.several,
    ),
    translated("job.cleanup", "spec.runPolicy.cleanPodPolicy", CLEANUP),
    kept("job.suspend", "", when=conditions.off),
    approximated(
        "job.suspend",
        "spec.runPolicy.suspend",
        "Kueue decides when the job starts, even if suspend is true",
        "KTF113",
        "kueue-resumes",
        edit="remove suspend, or stop the queue (stopPolicy of the LocalQueue) to hold the job",
        since=SUSPEND,
        when=when.in_kueue,
    ),
    kept("job.suspend", "spec.runPolicy.suspend", since=SUSPEND),
    refused(
        "job.suspend",
        "the operator can suspend jobs from version 1.7 on",
        "KTF062",
        instead='write version = "1.7" or a newer one in target tfjob',
    ),
)

CLUSTER = (
    kept("cluster.discovery", "", when=when.none_for_one),
    approximated(
        "cluster.discovery",
        "",
        "the operator sets no TF_CONFIG for a job with one replica",
        "KTF064",
        "single-without-config",
        edit='write tf_config = "static" in target tfjob to set it',
        when=when.single_without_config,
    ),
    approximated(
        "cluster.discovery",
        "template.spec.containers[0].command",
        "every command is started by /bin/sh, which replaces the operator's TF_CONFIG: the image needs a shell",
        "KTF065",
        "static-needs-shell",
        when=when.wrapped,
        default="silent",
    ),
)

ROLES = (
    refused(
        "roles[].env",
        "the operator appends its own TF_CONFIG; only a text can replace it again, and that of role {role} is not one",
        "KTF115",
        "own-tf-config",
        instead="write the value as a text, or compile to kubernetes or volcano",
        when=when.own_reference,
    ),
    approximated(
        "roles[].env",
        "template.spec.containers[0].command",
        "commands are started by /bin/sh, which replaces the operator's TF_CONFIG with the job's own: the image needs "
        "a shell",
        "KTF118",
        "own-config-needs-shell",
        when=when.own_tf_config,
    ),
    translated("roles[].replicas", "Deployment spec.replicas", "outside the TFJob", when=shared.of_tensorboard),
    kept("roles[].replicas", "spec.tfReplicaSpecs.ROLE.replicas"),
    *(
        approximated(
            labels,
            "template.metadata.labels",
            "the operator overwrites the labels training.kubeflow.org/operator-name, job-name, replica-type, "
            "replica-index and job-role of pods with its own",
            "KTF067",
            "label-overwritten",
            edit="use a key of your own",
            when=when.overwritten_labels,
        )
        for labels in ("roles[].labels", "job.common_labels")
    ),
)


STEPS = (
    approximated(
        "steps[prepare]",
        STEP,
        "the operator reads the exit status of the command's container only: if {value} of role {role} fails, it "
        "starts again in a new pod, whatever the status, at once and without limit",
        "KTF120",
        "prepare-status-unread",
        edit="write on failed => restart container, or let the command do it",
        when=when.step_restarts_by_status,
    ),
    approximated(
        "steps[prepare]",
        STEP,
        "the operator counts the restarts of running pods only: if {value} of role {role} fails, it starts again "
        "without limit, whatever retries says",
        "KTF121",
        "prepare-uncounted",
        instead="let the step give up with status 0 and the command check what is missing",
        when=when.step_restarts_in_place,
    ),
    prepare_row(),
    *sidecar_rows("the operator", SIDECARS, when.step_restarts_in_place),
)

# --- policies: the rows behind `on … => …` ---------------------------------------------------------------------


RESTART_POLICY = "spec.tfReplicaSpecs.ROLE.restartPolicy"

NEAR = "compile to volcano, which has this action"


def _restarts(event: str, action: str) -> Iterator[Row]:
    """``failed`` or ``exit``, restarting one replica; an ``exit`` policy that cannot be is refused by its own row."""
    key = f"policies[{event}].{action}"
    yield approximated(
        key,
        RESTART_POLICY,
        "ExitCode restarts a replica that ended with 128 or more, or was lost or evicted, in a new pod, at once "
        "and without limit: retries does not count it; a deleted pod fails the job (seen with 1.8.1)",
        "KTF075",
        "exit-code-unlimited",
        edit="without the fail job policy, retries limits `on failed => restart container`; on kubernetes and "
        "volcano it also limits restarts by status",
        when=when.by_status,
    )
    if action == "restart pod":
        yield approximated(
            key,
            RESTART_POLICY,
            "OnFailure restarts the container in place, not in a new pod; a deleted pod (drain, preemption) fails "
            "the job (seen with 1.8.1)",
            "KTF076",
            "restart-in-place",
            edit="write `restart container` if that is enough, or compile to kubernetes or volcano for a new pod",
            when=when.in_place,
        )
        yield kept(key, "")  # beside an `exit` policy that is refused
        return
    if event == "failed":
        yield approximated(
            key,
            RESTART_POLICY,
            "a deleted pod (kubectl delete, drain, preemption) fails the job and is not recreated (seen with 1.8.1)",
            "KTF114",
            "deleted-pod-fails",
            instead="compile to kubernetes or volcano, which can replace a deleted pod",
            since=REMAKES_LOST_PODS,
            when=when.eviction_is_failure,
        )
        yield translated(
            key,
            RESTART_POLICY,
            "OnFailure; the policy for evicted says what happens to evicted pods",
            since=REMAKES_LOST_PODS,
        )
        yield approximated(
            key,
            RESTART_POLICY,
            "OnFailure restarts only containers before 1.6: a replica that is evicted or lost with its node fails "
            "the job",
            "KTF077",
            "lost-pod-fails",
            instead='write version = "1.6" or a newer one in target tfjob',
        )
        return
    yield translated(key, RESTART_POLICY, "OnFailure")


def _evicted_restarts(action: str) -> tuple[Row, ...]:
    key = f"policies[evicted].{action}"
    return (
        translated(key, "Deployment", "a new pod", when=shared.of_tensorboard),
        approximated(
            key,
            RESTART_POLICY,
            "OnFailure recreates a pod that was evicted by node pressure; a deleted pod (eviction API, drain, "
            "preemption) fails the job (seen with 1.8.1); retries counts neither",
            "KTF082",
            "evicted-on-failure",
            instead="compile to kubernetes or volcano, which restart after every eviction",
            since=REMAKES_LOST_PODS,
            when=when.beside_restart_in_place,
        ),
        approximated(
            key,
            RESTART_POLICY,
            "ExitCode recreates a pod that was evicted by node pressure, and one that ended with 128 or more (out of "
            "memory, killed), both without limit; a deleted pod fails the job (seen with 1.8.1)",
            "KTF083",
            "evicted-exit-code",
            instead="compile to kubernetes or volcano, which tell evictions apart",
            when=when.beside_fail_job,
        ),
        kept(key, "", when=when.refused_beside),
        refused(
            key,
            "this version of the operator does not recreate evicted pods",
            "KTF084",
            "evicted-version",
            instead='write version = "1.6" or a newer one in target tfjob, or compile to kubernetes or volcano',
        ),
    )


def _refused_on(event: str) -> tuple[Row, ...]:
    return (
        *(
            refused(
                f"policies[{event}].{action}",
                "a TFJob cannot {value}: that would need a controller that stops and starts other replicas",
                "KTF085",
                "action",
                instead=NEAR,
            )
            for action in ("abort job", "restart role", "restart job")
        ),
        refused(
            f"policies[{event}].ignore",
            "a TFJob fails with the first replica that fails and is not restarted; the operator cannot ignore a "
            "failure",
            "KTF116",
            instead="let the program exit 0, or compile to volcano"
            + (", slider or yarn, which can ignore a failed replica" if event != "evicted" else ""),
        ),
        refused(
            f"policies[{event}].index",
            "all replicas of a role share one restart policy; replica {value} of {role} cannot have its own",
            "KTF086",
            "replica-policy",
            instead="write the policy for the whole role",
        ),
    )


COMPLETED: tuple[Row, ...] = (
    kept("policies[completed]", "spec.successPolicy"),
    chosen(
        "policies[completed].complete job",
        "spec.successPolicy",
        "AllWorkers",
        "the job completes when all workers have; by default the operator completes it with worker 0",
        "KTF111",
        "all-workers",
        instead="write on worker[0] completed => complete job for the operator's own rule",
        when=when.all_workers,
    ),
    translated(
        "policies[completed].complete job",
        "spec.successPolicy",
        "the chief (master) if there is one, otherwise worker 0: the operator's default",
        when=when.decides_success,
    ),
    refused(
        "policies[completed].complete job",
        "a TFJob ends with its chief (master) or, without one, with its workers; {role} cannot decide",
        "KTF070",
        "success-role",
        instead="remove the policy, or compile to volcano, where any role can complete the job",
    ),
    refused(
        "policies[completed].restart job",
        "a TFJob does not start again after success",
        "KTF071",
        "restart-after-success",
        instead="compile to volcano",
    ),
    translated(
        "policies[completed].index",
        "spec.successPolicy",
        "the operator's default: worker 0 has ended, or all workers have",
        when=when.first_replica,
    ),
    refused(
        "policies[completed].index",
        "the operator looks at worker 0 or at all workers, not at replica {value} of {role}",
        "KTF072",
        "success-index",
        instead="write worker[0], or the whole role",
    ),
)


FAILED: tuple[Row, ...] = (
    kept("policies[failed]", RESTART_POLICY),
    refused(
        "policies[failed].fail job",
        "TensorBoard runs outside the TFJob and cannot fail it",
        "KTF073",
        "tensorboard-fails",
        instead="remove the policy: TensorBoard restarts in place",
        when=shared.of_tensorboard,
    ),
    approximated(
        "policies[failed].fail job",
        RESTART_POLICY,
        "while the operator makes a new pod for another role, it does not see a failure: of two replicas that fail at "
        "the same moment, as with their node, the second may be missing for good (seen with 1.8.1)",
        "KTF125",
        "failure-unseen",
        edit="write a deadline, or give all roles the same policies",
        when=when.beside_new_pods,
    ),
    translated("policies[failed].fail job", RESTART_POLICY, "Never"),
    translated(
        "policies[failed].restart container",
        "Deployment",
        "a Deployment always restarts its container",
        when=shared.of_tensorboard,
    ),
    *_restarts("failed", "restart container"),
    approximated(
        "policies[failed].restart pod",
        "Deployment",
        "TensorBoard's Deployment restarts the container in place",
        "KTF074",
        "tensorboard-in-place",
        when=shared.of_tensorboard,
    ),
    *_restarts("failed", "restart pod"),
)


EXIT: tuple[Row, ...] = (
    refused(
        "policies[exit]",
        "TensorBoard runs outside the TFJob, in a Deployment that restarts it whatever its exit status",
        "KTF078",
        "tensorboard-exit",
        instead="remove the policy",
        when=shared.of_tensorboard,
    ),
    kept("policies[exit]", RESTART_POLICY, when=when.has_restart_policy),
    refused(
        "policies[exit]",
        "ExitCode, which separates exit statuses at 128, restarted only on four statuses before version 1.5",
        "KTF094",
        "exit-code-version",
        instead='write version = "1.5" or a newer one in target tfjob, or compile to volcano or kubernetes',
        when=when.separated_too_early,
    ),
    refused(
        "policies[exit]",
        "a TFJob separates exit statuses only at 128, with restartPolicy ExitCode (version 1.5 and newer): 1–127 "
        "fail the job, 128 and above restart the replica",
        "KTF079",
        "exit-status",
        instead="write `on exit 1..127 => fail job` with `on failed => restart pod`, or compile to volcano or "
        "kubernetes, which accept any status",
    ),
    translated("policies[exit].fail job", RESTART_POLICY, "Never, or ExitCode for 1–127"),
    *_restarts("exit", "restart container"),
    *_restarts("exit", "restart pod"),
)


EVICTED: tuple[Row, ...] = (
    translated(
        "policies[evicted]",
        "Deployment",
        "a Deployment always recreates an evicted pod",
        when=when.as_deployment_does,
    ),
    refused(
        "policies[evicted]",
        "TensorBoard runs in a Deployment, which always recreates an evicted pod",
        "KTF080",
        "tensorboard-evicted",
        instead="remove the policy",
        when=shared.of_tensorboard,
    ),
    kept("policies[evicted]", RESTART_POLICY),
    translated(
        "policies[evicted].fail job",
        RESTART_POLICY,
        "Never; before 1.6 also OnFailure, which does not recreate lost pods",
        when=when.evicted_pods_stay,
    ),
    refused(
        "policies[evicted].fail job",
        "a role that restarts on failure also gets a new pod after an eviction by node pressure; a TFJob cannot "
        "tell the two apart",
        "KTF081",
        "evicted-fails",
        instead="compile to volcano, or to kubernetes with `on failed => restart pod`",
    ),
    *(row for action in ("restart container", "restart pod") for row in _evicted_restarts(action)),
)


# What no version of the operator has.
REFUSED: tuple[Row, ...] = (
    *(row for event in ("failed", "exit", "evicted") for row in _refused_on(event)),
    *(
        refused(
            f"policies[{event}].delay",
            "the operator acts at once; it cannot wait {value}",
            "KTF087",
            instead="remove `after`, or compile to volcano 1.11 or newer",
        )
        for event in ("failed", "evicted")
    ),
    refused(
        "policies[pending]",
        "the operator has no time limit for pods that wait to be placed",
        "KTF088",
        instead="write deadline, which also counts waiting, or compile to volcano 1.11 or newer",
    ),
    refused(
        "policies[unknown]",
        "the operator does not act when only part of a gang can be placed",
        "KTF089",
        instead="compile to volcano",
    ),
)


RESTARTED: tuple[Row, ...] = (
    refused(
        "policies[restarted]",
        "restarts by status are new pods, which the operator does not count, and no role restarts in place",
        "KTF095",
        "nothing-counted",
        instead="compile to volcano or kubernetes, where retries limits restarts by status",
        when=when.counts_nothing,
    ),
    kept("policies[restarted]", "spec.runPolicy.backoffLimit"),
    kept("policies[restarted].fail job", "", when=when.counts_nothing),
    translated("policies[restarted].fail job", "spec.runPolicy.backoffLimit", "N", when=when.counts_one_role),
    approximated(
        "policies[restarted].fail job",
        "spec.runPolicy.backoffLimit",
        "backoffLimit counts the restarts of all roles together, not of each role",
        "KTF090",
        "restarts-counted-together",
        instead="compile to volcano, which counts per role",
        when=when.counts_all_roles,
    ),
    refused(
        "policies[restarted].fail job",
        "backoffLimit counts the restarts of all roles that restart in place; a TFJob cannot count only some of them",
        "KTF091",
        "restarts-of-role",
        instead="write one `on restarted N => fail job` for the job, or compile to volcano",
    ),
    *(
        refused(
            f"policies[restarted].{action}",
            "a TFJob fails when its restarts are used up; it cannot {value}",
            "KTF092",
            "restarted-action",
            instead="write `=> fail job`, or compile to volcano",
        )
        for action in ("abort job", "restart job")
    ),
    refused(
        "policies[restarted].index",
        "backoffLimit counts all replicas together, not replica {value} of {role} alone",
        "KTF093",
        "restarts-of-replica",
        instead="write the policy without an index",
    ),
)


# A policy that decides nothing costs nothing.
OVERRIDDEN: tuple[Row, ...] = (
    kept("policies[exit]", "", when=when.overridden),
    *(
        kept(f"policies[{event}].{action}", "", when=when.overridden)
        for event in ("failed", "exit", "evicted")
        for action in ACTIONS_OF[event]
    ),
)

POLICIES: tuple[Row, ...] = (
    *OVERRIDDEN,
    *COMPLETED,
    *FAILED,
    *EXIT,
    *EVICTED,
    *RESTARTED,
    *REFUSED,
)

OWN: tuple[Row, ...] = (*QUEUE, *PRIORITY_AND_SCHEDULER, *GANG, *LIMITS, *CLUSTER, *ROLES, *STEPS, *POLICIES)

SUPPORT = Support("tfjob", "KTF", *WITHOUT_OWNER, *OWN, WHOLE_DEVICES, *ROWS)
"""Special rows first: of the rows of one key the first that applies decides."""
