"""What the kubernetes target does with everything a job can set.

Sources: the batch/v1 API and Job controller of Kubernetes 1.27 to 1.34, seen on 1.34.4; Kueue's documentation. The
policies stand in :mod:`tfdsl_backends.kubernetes.policy_support`, what all pods share in
:mod:`tfdsl_backends.podspec.support`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import conditions as asked
from tfdsl.backend import Support, approximated, chosen, kept, refused, translated
from tfdsl_backends.kubernetes import conditions as when
from tfdsl_backends.kubernetes.policy_support import POLICIES
from tfdsl_backends.podspec import batch_support, support
from tfdsl_backends.podspec import when as shared

if TYPE_CHECKING:
    from tfdsl.backend import Row

QUEUE_LABEL = "metadata.labels[kueue.x-k8s.io/queue-name]"

SCHEDULING = (
    translated("job.queue", QUEUE_LABEL, "the label that Kueue reads", when=when.one_job),
    approximated(
        "job.queue",
        QUEUE_LABEL,
        "Kueue admits each of the Jobs on its own, so some may run while others wait in queue {value}",
        "K8S050",
        "queue-per-job",
        instead="compile to tfjob with kueue = true, or to volcano: both are admitted as one",
    ),
    kept("job.priority", "template.spec.priorityClassName"),
    approximated(
        "job.scheduler",
        "template.spec.schedulerName",
        "a pod that names its host is bound by no scheduler, so {value} has no say",
        "K8S051",
        "scheduler-unused",
        instead="leave scheduler or hosts out",
        when=when.on_hosts,
    ),
    kept("job.scheduler", "template.spec.schedulerName"),
    translated("job.gang", "", "one replica starts alone", when=asked.single),
    kept("job.gang", "", when=asked.off),
    approximated(
        "job.gang",
        "",
        "pods are placed one by one, so some may hold their nodes while others wait for room",
        "K8S052",
        "no-gang",
        instead="compile to volcano, or to tfjob with gang_scheduler; or write gang = false",
    ),
    translated("roles[].min_available", "", "all replicas are made", when=shared.all_replicas),
    approximated(
        "roles[].min_available",
        "",
        "Jobs have no minimum: role {role} starts with whatever can be placed, less than {value} too",
        "K8S053",
        instead="compile to volcano",
    ),
    refused(
        "roles[].after",
        "Jobs start at once; role {role} cannot wait for other Jobs",
        "K8S054",
        instead="let the program wait for its peers (TensorFlow does), or compile to volcano",
    ),
)

LIMITS = (
    approximated(
        "job.retries",
        "spec.backoffLimit",
        "each Job counts its own restarts, so each of the {count} Jobs that restart may do so {value} times; when one "
        "has used them up, that Job fails and the others run on",
        "K8S055",
        "retries-per-job",
        instead="compile to tfjob or volcano, which count for the whole job",
        when=when.several_restart,
        fill=when.restarting_jobs,
    ),
    chosen(
        "job.retries",
        "spec.backoffLimit",
        "retries + 1 where containers restart in place (the Job fails when the count reaches it, seen), retries where "
        "pods do, 0 where nothing restarts",
        "retries is not set: the Job fails after {value} restarts; left alone Kubernetes allows 6",
        "K8S108",
        "default-retries",
        instead="write retries = N to allow more or fewer",
    ),
    translated("job.deadline", "spec.activeDeadlineSeconds", "of each Job, from its start, anew after a suspension"),
    translated("job.ttl", "spec.ttlSecondsAfterFinished", "of each Job; the Service stays"),
    translated(
        "job.cleanup",
        "",
        "what a Job does: it stops the pods that still run and leaves those that have ended",
        when=when.one_job_running,
    ),
    approximated(
        "job.cleanup",
        "",
        "a Job that ends stops its own running pods and leaves those that have ended, whatever cleanup says; the "
        "other Jobs are left alone. Remove all with `kubectl delete jobs,services -l tfdsl/job={job}{namespace}`",
        "K8S056",
        instead="set ttl to have finished Jobs removed, or compile to tfjob, whose operator cleans up",
        default="silent",
        fill=shared.namespace_flag,
    ),
    approximated(
        "job.suspend",
        "spec.suspend",
        "Kueue decides when a Job starts, and starts it although suspend is true",
        "K8S110",
        "kueue-resumes",
        instead="leave suspend out, or stop the queue (stopPolicy of the LocalQueue) to hold the Jobs",
        when=when.in_kueue,
    ),
    kept("job.suspend", "spec.suspend"),
)

CLUSTER_AND_ROLES = (
    translated(
        "cluster.discovery",
        "template.spec.containers[0].env and args",
        "the nodes' names and ports; each Job knows its index",
        when=when.on_hosts,
    ),
    translated("roles[].replicas", "Deployment spec.replicas", "outside the Jobs", when=shared.of_tensorboard),
    translated("roles[].replicas", "Job", "one Job for each replica", when=when.on_hosts),
    kept("roles[].replicas", "spec.completions and parallelism"),
    approximated(
        "roles[].host_network",
        "template.spec.hostNetwork",
        "with hosts the tasks listen on their nodes, so host_network = {value} cannot be",
        "K8S057",
        "hosts-need-network",
        instead="leave hosts out",
        when=when.not_on_node,
    ),
    translated("roles[].spread", "template.spec.nodeName", "every replica has a host of its own", when=when.on_hosts),
)

OWN: tuple[Row, ...] = (*SCHEDULING, *LIMITS, *CLUSTER_AND_ROLES, *POLICIES)

SUPPORT = Support("kubernetes", "K8S", *batch_support.ROWS, *OWN, *support.ROWS)
"""Special rows first: of the rows of one key the first that applies decides."""
