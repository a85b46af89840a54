"""What the kubernetes target does with everything a job can set.

Sources: the batch/v1 API and Job controller of Kubernetes 1.27 to 1.34, seen on 1.34.4; Kueue's documentation. Rows
that all pods share are in :mod:`tfdsl_backends.podspec.support`. How a Job restarts its replicas is worked out in
:mod:`tfdsl_backends.kubernetes.policies`. Jobs do not know of each other, so a row about the end of one names the
command that removes the rest.
"""

from __future__ import annotations

from tfdsl.backend import UNUSED, Row, Support, approximated, chosen, conditions, kept, refused, translated
from tfdsl.vocabulary.statements import ACTIONS_OF
from tfdsl_backends.kubernetes import when
from tfdsl_backends.kubernetes.options import HOST_IPS, SIDECARS, SUCCESS_POLICY
from tfdsl_backends.podspec import batch, when as shared
from tfdsl_backends.podspec.fields import SUSPEND, kept_rows
from tfdsl_backends.podspec.support import ROWS, STEP, WHOLE_DEVICES, WITHOUT_OWNER, prepare_row, sidecar_rows

QUEUE_LABEL = "metadata.labels[kueue.x-k8s.io/queue-name]"

SCHEDULING = (
    translated("job.queue", QUEUE_LABEL, "the label that Kueue reads", when=when.one_job),
    approximated(
        "job.queue",
        QUEUE_LABEL,
        "Kueue admits each Job on its own: some may run while others wait in queue {value}",
        "K8S050",
        "queue-per-job",
        instead="compile to tfjob with kueue = true, or to volcano: both are admitted as a whole",
    ),
    kept("job.priority", "template.spec.priorityClassName"),
    approximated(
        "job.scheduler",
        "template.spec.schedulerName",
        "a pod with a fixed host is not scheduled, so {value} has no effect",
        "K8S051",
        "scheduler-unused",
        edit="remove scheduler or hosts",
        when=when.on_hosts,
    ),
    kept("job.scheduler", "template.spec.schedulerName"),
    translated("job.gang", "", "one replica starts alone", when=conditions.single),
    kept("job.gang", "", when=conditions.off),
    approximated(
        "job.gang",
        "",
        "pods are placed one by one: some may hold their nodes while others wait for room",
        "K8S052",
        "no-gang",
        edit="compile to volcano, or to tfjob with gang_scheduler; or write gang = false",
    ),
    translated("roles[].min_available", "", "all replicas are created", when=shared.all_replicas),
    translated("roles[].min_available", "", "a role begins with its first replica", when=shared.first_replica),
    approximated(
        "roles[].min_available",
        "",
        "Jobs have no minimum: role {role} starts with whatever can be placed, even fewer than {value}",
        "K8S053",
        edit=f"{UNUSED}; volcano has a minimum for each role",
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
        "each Job counts its own restarts: each of the {count} Jobs that restart may do so {value} times; when "
        "one has used them up, it fails and the others run on",
        "K8S055",
        "retries-per-job",
        instead="compile to tfjob or volcano, which count for the whole job",
        when=when.several_restart,
        fill=when.restarting_jobs,
    ),
    approximated(
        "job.retries",
        "spec.backoffLimit",
        "a Job counts the restarts of containers that run now: those of a replica that has completed or was evicted "
        "are forgotten, and evictions have a count of their own, which may reach {value} + 1",
        "K8S121",
        "retries-in-place",
        instead="write `restart pod`, which counts every restart",
        when=when.written_in_place,
    ),
    chosen(
        "job.retries",
        "spec.backoffLimit",
        "retries + 1 if containers restart in place (the Job fails when the count reaches it, seen), retries if "
        "pods do, 0 if nothing restarts",
        "retries is not set: the Job fails after {value} restarts; by default Kubernetes allows 6",
        "K8S108",
        "default-retries",
        instead="write retries = N to allow more or fewer",
    ),
    translated("job.deadline", "spec.activeDeadlineSeconds", "of each Job, from its start, again after a suspension"),
    translated("job.ttl", "spec.ttlSecondsAfterFinished", "of each Job; the Service stays"),
    translated(
        "job.cleanup",
        "",
        "a Job does the same: it stops its running pods and keeps those that have ended",
        when=when.one_job_running,
    ),
    approximated(
        "job.cleanup",
        "",
        "a Job that ends stops its own running pods, keeps those that have ended and leaves the other Jobs "
        "alone, whatever cleanup says; delete all with `kubectl delete jobs,services -l "
        "tfdsl/job={job}{namespace}`",
        "K8S056",
        edit=f"{UNUSED}; ttl removes finished Jobs, and the operator of tfjob cleans up",
        default="silent",
        fill=shared.namespace_flag,
    ),
    approximated(
        "job.suspend",
        "spec.suspend",
        "Kueue decides when a Job starts, even if suspend is true",
        "K8S110",
        "kueue-resumes",
        edit="remove suspend, or stop the queue (stopPolicy of the LocalQueue) to hold the Jobs",
        when=batch.in_kueue,
    ),
    *kept_rows("job", (SUSPEND,), "spec"),
)


def _host_ips(key: str, to: str) -> tuple[Row, ...]:
    return (
        kept(key, to, since=HOST_IPS),
        refused(
            key,
            "Kubernetes has {value} from version 1.29 on",
            "K8S120",
            "pod-field",
            instead='write pod_field("status.hostIP")',
            when=when.host_ips,
        ),
    )


CLUSTER_AND_ROLES = (
    *_host_ips("roles[].env{pod_field}", "template.spec.containers[0].env[].valueFrom.fieldRef"),
    translated(
        "cluster.discovery",
        "template.spec.containers[0].env and args",
        "the nodes' names and ports; each Job knows its index",
        when=when.on_hosts,
    ),
    translated("roles[].replicas", "Deployment spec.replicas", "outside the Jobs", when=shared.of_tensorboard),
    translated("roles[].replicas", "Job", "one Job per replica", when=when.on_hosts),
    translated(
        "roles[].replicas",
        "spec.completions and parallelism",
        'a headless Service gives it an address, which no other task needs: service = false and discovery = "none" '
        "leave it out",
        when=conditions.single,
    ),
    kept("roles[].replicas", "spec.completions and parallelism"),
    approximated(
        "roles[].host_network",
        "template.spec.hostNetwork",
        "with hosts, the tasks use the network of their nodes: host_network cannot be {value}",
        "K8S057",
        "hosts-need-network",
        edit="remove hosts",
        when=when.not_on_node,
    ),
    translated("roles[].spread", "template.spec.nodeName", "every replica has its own host", when=when.on_hosts),
)


# --- policies: the rows behind `on … => …` ---------------------------------------------------------------------


FAILURE_RULES = "spec.podFailurePolicy"
REMOVE = "`kubectl delete jobs,services -l tfdsl/job={job}{namespace}`"


def _fails(event: str) -> tuple[Row, ...]:
    """``fail job``: the Job of the replica fails, the others do not."""
    key = f"policies[{event}].fail job"
    to = "spec.backoffLimit" if event == "failed" else FAILURE_RULES
    return (
        chosen(
            key,
            to,
            "the Job fails",
            "a failed replica fails the Job; by default Kubernetes tries up to 6 more times",
            "K8S109",
            "fails-at-once",
            instead="write on failed => restart pod to try again",
            when=when.one_job,
        )
        if event == "failed"
        else translated(key, to, "the Job fails", when=when.one_job),
        approximated(
            key,
            to,
            f"only the Job of the replica fails, the others run on; delete all with {REMOVE}",
            "K8S063",
            "fails-alone",
            instead="compile to tfjob or volcano, which fail as one",
            fill=shared.namespace_flag,
        ),
    )


def _restarts(event: str) -> tuple[Row, ...]:
    """``restart container`` and ``restart pod`` on a failure."""
    key = f"policies[{event}]"
    return (
        approximated(
            f"{key}.restart container",
            "template.spec.restartPolicy",
            "a Job distinguishes exit statuses or evictions only with new pods: the replica restarts in a new pod",
            "K8S064",
            "restart-in-new-pod",
            edit="write `restart pod` if that is what you want",
            when=when.in_new_pod,
        ),
        batch.last_log_row(event, "template.spec.restartPolicy", "124"),
        translated(f"{key}.restart pod", "template.spec.restartPolicy", "Never: the Job creates a new pod"),
    )


def _of_tensorboard(event: str) -> tuple[Row, ...]:
    return (
        refused(
            f"policies[{event}]",
            "TensorBoard runs outside the Jobs, in a Deployment that always restarts it in place",
            "K8S065",
            "tensorboard-policy",
            instead="remove the policy",
            when=batch.not_tensorboards_own,
        ),
    )


def _evicted_restarts(action: str) -> tuple[Row, ...]:
    key = f"policies[evicted].{action}"
    return (
        translated(key, "Deployment", "a new pod", when=shared.of_tensorboard),
        approximated(
            key,
            FAILURE_RULES,
            "the Job ignores evictions (condition DisruptionTarget): it recreates the pod each time, and retries "
            "does not count that",
            "K8S066",
            "evictions-uncounted",
            instead="without the policy an eviction counts as a failure",
            when=when.restarts_pods,
        ),
        translated(key, "spec.backoffLimit", "a new pod, counted like a failure"),
    )


def _refused_on(event: str) -> tuple[Row, ...]:
    return (
        refused(
            f"policies[{event}].ignore",
            "Kubernetes 1.33 can let the other replicas run on (backoffLimitPerIndex), but a Job with a failed "
            "replica still ends as failed",
            "K8S111",
            instead="let the program exit 0, or compile to volcano"
            + (", slider or yarn, which can ignore a failed replica" if event != "evicted" else ""),
        ),
        *(
            refused(
                f"policies[{event}].{action}",
                "Jobs cannot {value}: that would need a controller over all of them",
                "K8S067",
                "action",
                instead="compile to volcano, which has this action",
            )
            for action in ("abort job", "restart role", "restart job")
        ),
        refused(
            f"policies[{event}].index",
            "replica {value} of {role} cannot have its own policy",
            "K8S068",
            "replica-policy",
            instead="write the policy for the whole role",
        ),
    )


COMPLETED: tuple[Row, ...] = (
    kept("policies[completed]", "Job condition Complete"),
    translated(
        "policies[completed].complete job", "Job condition Complete", "the Job completes", when=when.no_job_stays
    ),
    approximated(
        "policies[completed].complete job",
        "Job condition Complete",
        f"when {{role}} completes, the other Jobs run on ({{stay}}); delete all with {REMOVE}",
        "K8S060",
        "jobs-run-on",
        instead="compile to tfjob or volcano, which end as one",
        fill=when.jobs_that_stay,
    ),
    refused(
        "policies[completed].restart job",
        "a completed Job does not start again",
        "K8S061",
        "restart-after-success",
        instead="compile to volcano",
    ),
    kept("policies[completed].index", "Job", when=when.whole_or_pinned),
    kept("policies[completed].index", "spec.successPolicy", since=SUCCESS_POLICY),
    refused(
        "policies[completed].index",
        "one replica can end an Indexed Job only from Kubernetes 1.31 on",
        "K8S062",
        "success-index",
        instead='write version = "1.31" or a newer one in target kubernetes, or write the policy for the whole role',
    ),
)


FAILED: tuple[Row, ...] = (
    *_of_tensorboard("failed"),
    batch.drained_row("failed", "template.spec.restartPolicy"),
    kept("policies[failed]", "template.spec.restartPolicy"),
    translated(
        "policies[failed].restart container",
        "Deployment",
        "a Deployment always restarts its container",
        when=shared.of_tensorboard,
    ),
    *_fails("failed"),
    *_restarts("failed"),
)


EXIT: tuple[Row, ...] = (
    *_of_tensorboard("exit"),
    batch.statuses_row(FAILURE_RULES),
    *_fails("exit"),
    *_restarts("exit"),
)


EVICTED: tuple[Row, ...] = (
    *_of_tensorboard("evicted"),
    batch.drained_row("evicted", FAILURE_RULES),
    kept("policies[evicted]", FAILURE_RULES),
    *_fails("evicted"),
    *(row for action in ("restart container", "restart pod") for row in _evicted_restarts(action)),
)


# What plain Jobs do not have.
REFUSED: tuple[Row, ...] = (
    *(row for event in ("failed", "exit", "evicted") for row in _refused_on(event)),
    *(
        refused(
            f"policies[{event}].delay",
            "a Job acts at once; it cannot wait {value}",
            "K8S069",
            instead="remove `after`, or compile to volcano 1.11 or newer",
        )
        for event in ("failed", "evicted")
    ),
    refused(
        "policies[pending]",
        "a Job has no time limit for pods that wait to be placed",
        "K8S070",
        instead="write deadline, which also counts waiting, or compile to volcano 1.11 or newer",
    ),
    refused(
        "policies[restarted]",
        "a Job has one counter of restarts, backoffLimit, and retries sets it",
        "K8S071",
        instead="write retries, or compile to tfjob or volcano",
    ),
    refused(
        "policies[unknown]",
        "Jobs are not placed as a gang, so nothing acts when only part of the job can be placed",
        "K8S072",
        instead="compile to volcano",
    ),
)


# A policy that decides nothing costs nothing.
OVERRIDDEN: tuple[Row, ...] = (
    *(
        kept(f"policies[{event}].{action}", "", when=when.overridden)
        for event in ("failed", "exit", "evicted")
        for action in ACTIONS_OF[event]
    ),
)


STEPS: tuple[Row, ...] = (
    *_host_ips("steps[prepare].env{pod_field}", f"{STEP}.env[].valueFrom.fieldRef"),
    *_host_ips("steps[sidecar].env{pod_field}", f"{STEP}.env[].valueFrom.fieldRef"),
    prepare_row(),
    *sidecar_rows("Kubernetes", SIDECARS, when.restarts_in_place),
)

POLICIES: tuple[Row, ...] = (*OVERRIDDEN, *COMPLETED, *FAILED, *EXIT, *EVICTED, *REFUSED)

OWN: tuple[Row, ...] = (*SCHEDULING, *LIMITS, *CLUSTER_AND_ROLES, *STEPS, *POLICIES)

SUPPORT = Support("kubernetes", "K8S", *WITHOUT_OWNER, *OWN, WHOLE_DEVICES, *ROWS)
"""Special rows first: of the rows of one key the first that applies decides."""
