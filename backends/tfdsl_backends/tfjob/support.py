"""What the tfjob target does with everything a job can set.

Sources: training-operator 1.3 to 1.9 (`pkg/apis/kubeflow.org/v1`, `pkg/controller.v1/{tensorflow,common}`,
`pkg/webhooks/tensorflow`); what version 1.8.1 was seen to do on a real node. The policies stand in
:mod:`tfdsl_backends.tfjob.policy_support`, what all pods share in :mod:`tfdsl_backends.podspec.support`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import conditions as asked
from tfdsl.backend import Support, approximated, chosen, kept, refused, translated
from tfdsl_backends.podspec import batch_support, support
from tfdsl_backends.podspec import when as shared
from tfdsl_backends.tfjob import conditions as when
from tfdsl_backends.tfjob.features import KEEPS_PODS, SUSPEND
from tfdsl_backends.tfjob.policy_support import POLICIES

if TYPE_CHECKING:
    from tfdsl.backend import Row

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
        "queue {value} is written to schedulingPolicy, but only an operator that was started with Volcano as its gang "
        "scheduler reads it",
        "KTF050",
        "queue-unread",
        instead='write gang_scheduler = "volcano" or kueue = true in target tfjob, whichever the cluster has',
    ),
)

PRIORITY_AND_SCHEDULER = (
    kept("job.priority", f"template.spec.priorityClassName and {SCHEDULING}.priorityClass"),
    approximated(
        "job.scheduler",
        "template.spec.schedulerName",
        "scheduler {value} places the pods, not the gang scheduler that the operator makes the PodGroup for, so the "
        "gang does not hold",
        "KTF052",
        "scheduler-against-gang",
        instead="leave scheduler out (the operator writes its own), or leave gang_scheduler out",
        when=when.other_scheduler,
    ),
    kept("job.scheduler", "template.spec.schedulerName"),
)

GANG = (
    translated("job.gang", "", "one replica starts alone", when=asked.single),
    translated(
        "job.gang",
        f"{SCHEDULING}.minAvailable",
        "1 with a gang scheduler, else the operator makes no PodGroup",
        when=asked.off,
    ),
    kept("job.gang", f"{SCHEDULING}.minAvailable", when=when.gang_scheduled),
    approximated(
        "job.gang",
        "",
        "Kueue admits all replicas together, by quota; the scheduler then places them one by one and part of them may "
        "wait for room",
        "KTF053",
        "gang-by-quota",
        instead="set gang_scheduler if the operator runs with one",
        when=when.with_kueue,
    ),
    approximated(
        "job.gang",
        "",
        "replicas are placed one by one, so some may hold their nodes while others wait for room",
        "KTF054",
        "no-gang",
        instead='write gang_scheduler = "volcano" (or the one your operator was started with), or gang = false',
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
        "a TFJob has one minimum for all roles together: any pods count, so it may start without the {value} of role "
        "{role}; without a gang scheduler there is no minimum at all",
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

CLEANUP = "Running, All or None; Running also takes pods that ended within about a second before the job did (seen)"

LIMITS = (
    refused(
        "job.retries",
        "backoffLimit is the only counter of a TFJob, and `restarted N` has taken it, so retries {value} has no place",
        "KTF057",
        "two-counters",
        instead="keep one of the two",
        when=when.counts_elsewhere,
    ),
    approximated(
        "job.retries",
        "spec.runPolicy.backoffLimit",
        "restarts under ExitCode are not counted (each is a new pod), so retries {value} does not bound them",
        "KTF058",
        "retries-unbounded",
        instead="write `on failed => restart container`, which is counted, or compile to volcano or kubernetes",
        when=when.restarts_by_status,
        default="silent",
    ),
    chosen(
        "job.retries",
        "spec.runPolicy.backoffLimit",
        "retries + 1: the job fails when the restarts of its running containers reach the number (seen); pods that are "
        "made again start from 0",
        "retries is not set: the job fails after {value} restarts; without backoffLimit the operator has no limit",
        "KTF110",
        "default-retries",
        instead="write retries = N to allow more or fewer",
        when=when.restarts_in_place,
    ),
    translated("job.retries", "", "nothing restarts, so nothing is counted"),
    translated(
        "job.deadline",
        "spec.runPolicy.activeDeadlineSeconds",
        "from the start of the job, anew after a suspension; looked at when the operator next sees the job",
    ),
    kept("job.ttl", "spec.runPolicy.ttlSecondsAfterFinished"),
    approximated(
        "job.cleanup",
        "spec.runPolicy.cleanPodPolicy",
        "when retries or the deadline end the job, operators up to 1.9.3 delete all pods all the same",
        "KTF061",
        "cleanup-over-limit",
        when=when.limited,
    ),
    chosen(
        "job.cleanup",
        "spec.runPolicy.cleanPodPolicy",
        CLEANUP,
        "pods that still run when the job finishes are deleted; left alone the operator lets them run",
        "KTF112",
        "default-cleanup",
        instead='write cleanup = "none" to keep them',
        since=KEEPS_PODS,
        when=when.several,
    ),
    translated("job.cleanup", "spec.runPolicy.cleanPodPolicy", CLEANUP),
    kept("job.suspend", "", when=asked.off),
    approximated(
        "job.suspend",
        "spec.runPolicy.suspend",
        "Kueue decides when the job starts, and starts it although suspend is true",
        "KTF113",
        "kueue-resumes",
        instead="leave suspend out, or stop the queue (stopPolicy of the LocalQueue) to hold the job",
        since=SUSPEND,
        when=when.in_kueue,
    ),
    kept("job.suspend", "spec.runPolicy.suspend", since=SUSPEND),
    refused(
        "job.suspend",
        "the operator can suspend a job from version 1.7 on",
        "KTF062",
        instead='write version = "1.7" or a newer one in target tfjob',
    ),
)

CLUSTER = (
    kept("cluster.discovery", "", when=when.none_for_one),
    approximated(
        "cluster.discovery",
        "",
        "the operator gives a job of one replica no TF_CONFIG",
        "KTF064",
        "single-without-config",
        instead='write tf_config = "static" in target tfjob to have it set',
        when=when.single_without_config,
    ),
    approximated(
        "cluster.discovery",
        "template.spec.containers[0].command",
        "each command is started by /bin/sh, which sets TF_CONFIG over the operator's: the image needs a shell",
        "KTF065",
        "static-needs-shell",
        when=when.wrapped,
        default="silent",
    ),
)

ROLES = (
    refused(
        "roles[].env",
        "the operator writes its own TF_CONFIG over the one in env of role {role}",
        "KTF115",
        "own-tf-config",
        instead="hand it over under another name and let the program read that, or compile to kubernetes or volcano",
        when=when.own_tf_config,
    ),
    translated("roles[].replicas", "Deployment spec.replicas", "outside the TFJob", when=shared.of_tensorboard),
    kept("roles[].replicas", "spec.tfReplicaSpecs.ROLE.replicas"),
    approximated(
        "roles[].labels",
        "template.metadata.labels",
        "the operator writes its own labels training.kubeflow.org/operator-name, job-name, replica-type, replica-index "
        "and job-role over those of role {role}",
        "KTF067",
        "label-overwritten",
        instead="use a key of your own",
        when=when.overwritten_labels,
    ),
)

OWN: tuple[Row, ...] = (*QUEUE, *PRIORITY_AND_SCHEDULER, *GANG, *LIMITS, *CLUSTER, *ROLES, *POLICIES)

SUPPORT = Support("tfjob", "KTF", *batch_support.ROWS, *OWN, *support.ROWS)
"""Special rows first: of the rows of one key the first that applies decides."""
