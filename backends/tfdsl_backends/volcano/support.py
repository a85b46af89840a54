"""What Volcano does with everything that a job can set. Codes of the rows: 110 to 199.

Read as the target's manual: each row names the field of ``batch.volcano.sh/v1alpha1 Job`` and how it differs.
"""

from __future__ import annotations

from typing import Final

from tfdsl.backend import UNUSED, Row, Support, approximated, chosen, conditions, kept, refused, translated
from tfdsl.vocabulary.statements import STEPS, WITH_SUB_PATH
from tfdsl_backends.podspec import when as shared
from tfdsl_backends.podspec.fields import kept_rows
from tfdsl_backends.podspec.support import ROWS, STEP, prepare_row, seconds_rounded_up, sidecar_rows
from tfdsl_backends.volcano import when
from tfdsl_backends.volcano.features import SIDECARS
from tfdsl_backends.volcano.fields import SPEC

_LATER = "compile for Volcano 1.11 or newer"


def _ignored_decider(event: str) -> Row:
    return approximated(
        f"policies[{event}].ignore",
        "",
        "Volcano completes a role only if all its replicas succeed: after an ignored failure the job runs until "
        "every pod of every role has ended",
        "VOL122",
        "ignored-decider",
        edit="let another role decide, e.g. on chief completed => complete job",
        when=when.decider_is_ignored,
    )


def _job_actions(event: str) -> tuple[Row, ...]:
    """The actions that Volcano names in the same way for every event."""
    key = f"policies[{event}]"
    abort = approximated(
        f"{key}.abort job",
        "action AbortJob",
        "a resumed job keeps its failed pod, so the gang may never be complete again",
        "VOL147",
        "abort-keeps-failed-pod",
        instead="submit the job again instead of resuming it",
    )
    return (
        kept(f"{key}.fail job", "action TerminateJob"),
        kept(f"{key}.abort job", "action AbortJob") if event == "evicted" else abort,
        *_restart(f"{key}.restart pod", "RestartPod", "VOL119"),
        *_restart(f"{key}.restart role", "RestartTask", "VOL148"),
        kept(f"{key}.restart job", "action RestartJob"),
    )


def _restart(key: str, action: str, code: str) -> tuple[Row, ...]:
    """A restart of less than the job: from 1.11 on, and with a fault before 1.14."""
    return (
        approximated(
            key,
            f"action {action}",
            "Volcano before 1.14 may count one restart twice and restart the whole job",
            "VOL149",
            "restart-counted-twice",
            instead="compile for Volcano 1.14 or newer, or raise retries",
            since="1.11",
            when=when.may_count_twice,
        ),
        kept(key, f"action {action}", since="1.11"),
        refused(
            key,
            f"Volcano before 1.11 ignores the action {action}",
            code,
            f"restart-{key.rpartition(' ')[2]}-version",
            instead=f"{_LATER}, or restart the job",
        ),
    )


def _index(event: str) -> tuple[Row, ...]:
    return (
        translated(
            f"policies[{event}].index", "spec.tasks[].policies", "the role has only this replica", when=when.one_replica
        ),
        refused(
            f"policies[{event}].index",
            "Volcano's policies apply to a whole role, not to {role}[{value}] alone",
            "VOL134",
            "replica-policy",
            instead="write the policy for the whole role, {role}; tfjob supports worker[0] completed",
        ),
    )


def _delay(event: str) -> tuple[Row, ...]:
    return (
        approximated(
            f"policies[{event}].delay",
            "policies[].timeout",
            "Volcano often loses a delayed action: it replaces the pods, but the job goes on and its retries are not "
            "counted",
            "VOL150",
            "delay-is-lost",
            edit="remove after {value}",
            since="1.11",
        ),
        refused(
            f"policies[{event}].delay",
            "Volcano before 1.11 accepts a timeout but acts at once",
            "VOL135",
            "delay-version",
            instead=f"{_LATER}, or remove after {{value}}",
        ),
    )


_JOB: Final = (
    refused(
        "job.priority",
        "Volcano takes the name of a PriorityClass, not the number {value}",
        "VOL110",
        "priority-number",
        instead='write the name of a PriorityClass, e.g. priority = "high"',
        when=conditions.number,
    ),
    approximated(
        "job.scheduler",
        "spec.schedulerName",
        "Kubernetes' default scheduler starts pods one by one and has no queues: gang and queue have no effect",
        "VOL136",
        "default-scheduler",
        edit="remove scheduler to use Volcano's, or write gang = false",
        when=when.knows_no_gangs,
    ),
    translated("job.gang", "spec.minAvailable", "false: 1 for the job and 0 for its tasks"),
    chosen(
        "job.retries",
        "spec.maxRetry, spec.tasks[].maxRetry",
        "retries + 1, because Volcano also counts the first start; not written if nothing restarts. Failures at one "
        "moment may count as one, and a restart of a role may count for each of its pods",
        "retries is not set: {value} restarts are allowed, then the job fails",
        "VOL163",
        "default-retries",
        instead="write retries = N to allow more or fewer",
    ),
    approximated(
        "job.deadline",
        "spec.tasks[].template.spec.activeDeadlineSeconds",
        "Volcano gives every pod {value} from its own start; a pod that reaches the limit may count as evicted, "
        "and the policy for evicted may start it again",
        "VOL137",
        "deadline-is-eviction",
        edit="remove the policy for evicted, or compile to kubernetes, whose Jobs end on time, restarts included",
        when=when.deadline_restarts,
        fill=shared.whole_seconds,
    ),
    approximated(
        "job.deadline",
        "spec.tasks[].template.spec.activeDeadlineSeconds",
        "Volcano gives every pod {value} from its own start, and again after a restart, instead of limiting the "
        "whole job; a pod that reaches the limit counts as failed",
        "VOL111",
        instead="compile to kubernetes, whose Jobs end on time, restarts included",
        fill=shared.whole_seconds,
    ),
    approximated(
        "job.ttl",
        "spec.ttlSecondsAfterFinished",
        "Volcano does not count an aborted job as finished, so it stays after {value}",
        "VOL138",
        "ttl-of-aborted-job",
        edit="write fail job instead of abort job, or delete the job yourself",
        when=when.aborts,
    ),
    seconds_rounded_up("job.ttl", "spec.ttlSecondsAfterFinished", "034"),
    translated(
        "job.queue",
        "spec.queue",
        "a gang that asks for more devices than the capability of its queue, or than a ResourceQuota, waits forever: "
        "the events of its PodGroup say so",
        when=when.asks_for_devices,
    ),
    *kept_rows("job", SPEC, "spec"),
    translated(
        "job.cleanup",
        "CompleteJob and TerminateJob stop the running pods",
        "with them go the Service and the NetworkPolicy of the svc plugin; where every pod ends by itself, these may "
        "stay until the job is deleted, as by ttl",
        when=conditions.running,
    ),
    approximated(
        "job.cleanup",
        "",
        "Volcano always stops the running pods when the job ends and keeps the others, whatever cleanup says",
        "VOL112",
        edit=f"{UNUSED}; ttl removes the finished job with all its pods",
    ),
    refused(
        "job.suspend",
        "Volcano cannot create a suspended job",
        "VOL113",
        instead="submit it when it may start, or compile to tfjob or kubernetes",
    ),
)

_CLUSTER: Final = (
    refused(
        "cluster.discovery",
        "Volcano before 1.9 does not write a replica's index on its pod, so discovery {value} cannot set --task_index",
        "VOL139",
        "flags-version",
        instead="compile for Volcano 1.9 or newer",
        when=when.flags_have_no_index,
    ),
    approximated(
        "cluster.discovery",
        "spec.tasks[].template.spec.containers[0].command",
        "a shell script builds TF_CONFIG from /etc/volcano when a container starts: the image needs a shell",
        "VOL114",
        "shell-tf-config",
        when=when.builds_in_shell,
    ),
)

# Where ``${task.index}`` may be; other places are refused in every release.
_INDEX_KEYS: Final = (
    *(
        refused(
            f"{key}{{task.index}}",
            "Volcano before 1.9 does not write a replica's index on its pod, so {value} of role {role} would be empty",
            "VOL140",
            "index-version",
            instead="compile for Volcano 1.9 or newer, or read VC_TASK_INDEX in the program",
            when=when.has_no_index,
        )
        for key in (
            "roles[].env",
            "roles[].command",
            "roles[].args",
            *(f"mounts[{kind}].sub_path" for kind in WITH_SUB_PATH),
            "outputs[].source",
            "outputs[].destination",
            *(f"steps[{kind}].{field}" for kind in STEPS for field in ("env", "command", "args")),
        )
    ),
)

_ROLES: Final = (
    kept("roles[].replicas", "spec.tasks[].replicas"),
    approximated(
        "roles[].min_available",
        "spec.tasks[].minAvailable",
        "if a role starts later (after), Volcano counts any pods of the gang, not {value} of {role}",
        "VOL115",
        "minimum-with-after",
        edit="remove min_available, so that all replicas have to be placed",
        when=when.gang_loses_minimum,
    ),
    kept("roles[].min_available", "spec.tasks[].minAvailable; their sum is spec.minAvailable"),
    translated(
        "roles[].after",
        "spec.tasks[].dependsOn",
        "pods are created when min_available pods of those tasks are running and ready",
    ),
    translated(
        "roles[].logdir",
        "spec.tasks[].template.spec.containers[0].command",
        "--logdir of the tensorboard command; restart job starts it again, too, and nothing does when the kubelet "
        "stops it under pressure",
    ),
    translated(
        "roles[].gpu_memory",
        "resources volcano.sh/vgpu-number and volcano.sh/vgpu-memory",
        "gpu (or 1) shares of that many MiB; the cluster needs the vGPU device plugin and deviceshare.VGPUEnable",
        since="1.9",
    ),
    refused(
        "roles[].gpu_memory",
        "Volcano supports vGPU from version 1.9 on",
        "VOL116",
        "vgpu-version",
        instead="compile for Volcano 1.9 or newer, or ask for whole devices with gpu",
    ),
    refused(
        "roles[].gpu_resource",
        "gpu_memory uses Volcano's own resource names, so gpu_resource cannot be {value} as well",
        "VOL117",
        "vgpu-resource",
        instead="remove gpu_resource or gpu_memory",
        when=when.uses_vgpu,
    ),
)

_CLAIMS: Final = (
    approximated(
        "mounts[claim]",
        "a PersistentVolumeClaim beside the job",
        "the claim at {value} outlives the job: Volcano mounts a job's own claims in no init container, and steps are "
        "init containers",
        "VOL171",
        "claim-in-steps",
        edit="write keep = true and delete it yourself",
        when=when.claim_is_in_steps,
    ),
    approximated(
        "mounts[claim]",
        "a PersistentVolumeClaim beside the job",
        "the claim at {value} outlives the job: Volcano mounts a job's own claims whole and writable, in every "
        "container and at one path",
        "VOL118",
        "claim-outlives-job",
        edit="mount it in the job block without readonly and sub_path; or write keep = true and delete it yourself",
        when=when.claim_outlives,
    ),
    kept("mounts[claim]", "spec.volumes[].volumeClaim; with keep a PersistentVolumeClaim beside the job"),
    kept("mounts[claim].keep", "a PersistentVolumeClaim beside the job, which outlives it"),
)

_STEPS: Final = (
    approximated(
        "steps[prepare]",
        STEP,
        "Volcano reads the exit status of the command's container only: if {value} of role {role} fails, the policy "
        "for failed decides, none for an exit status",
        "VOL170",
        "prepare-status-unread",
        instead="give failed the action that a failure of the step is to have",
        when=when.reads_statuses,
    ),
    prepare_row(),
    *sidecar_rows("Volcano", SIDECARS, when.counts_restarts),
)

_COMPLETED: Final = (
    translated(
        "policies[completed]",
        "spec.tasks[].policies[].event TaskCompleted",
        "a deleted pod whose program exits with 0 on SIGTERM counts as completed",
        when=when.sees_the_end,
    ),
    kept("policies[completed]", "spec.tasks[].policies[].event TaskCompleted"),
    kept("policies[completed].complete job", "action CompleteJob"),
    kept("policies[completed].restart job", "action RestartJob"),
    *_index("completed"),
)

_FAILED: Final = (
    approximated(
        "policies[failed]",
        "event PodFailed",
        "a lost pod (deleted, evicted, node gone) cannot restart in place: it ends the job",
        "VOL120",
        "lost-pod",
        edit="add a policy for it, e.g. on evicted => restart job",
        when=when.lost_pod_ends_job,
    ),
    kept("policies[failed]", "event PodFailed; with restart container TaskFailed"),
    *_job_actions("failed"),
    approximated(
        "policies[failed].restart container",
        "restartPolicy OnFailure",
        'with policies = "written", nothing counts the restarts in place: a program that always fails is started again '
        "for ever",
        "VOL133",
        "restarts-without-end",
        edit="add on restarted N => fail job",
        when=when.restarts_without_end,
    ),
    approximated(
        "policies[failed].restart container",
        "restartPolicy OnFailure, event TaskFailed, spec.tasks[].maxRetry",
        "Volcano counts in-place restarts per role, from 0 in every new pod, and separately from other restarts, "
        "so there can be more than retries in total",
        "VOL121",
        "restarts-counted-apart",
        when=when.counted_apart,
    ),
    translated(
        "policies[failed].restart container",
        "restartPolicy OnFailure, event TaskFailed, spec.tasks[].maxRetry",
        "TaskFailed ends the job when the task's containers have restarted retries + 1 times",
    ),
    _ignored_decider("failed"),
    translated(
        "policies[failed].ignore",
        "",
        "no policy, and a deleted pod is made anew; policies without ROLE are written on the other tasks",
    ),
    *_index("failed"),
    refused(
        "policies[failed].delay",
        "the kubelet restarts a container by itself and cannot wait {value}",
        "VOL123",
        "delayed-container",
        instead="remove the delay, or restart the pod",
        when=when.restarts_container,
    ),
    *_delay("failed"),
)

_EXIT: Final = (
    refused(
        "policies[exit]",
        "Volcano never sees the exit status of a container that restarts in place, so this policy never fires",
        "VOL124",
        "exit-in-place",
        instead="restart pods instead: on failed => restart pod",
        when=when.beside_restart_in_place,
    ),
    translated(
        "policies[exit]",
        "policies[].exitCode",
        "one policy per status, before the one for PodFailed; it also decides on a pod that the kubelet stops under "
        "pressure, unless Volcano misses its status, and, from 1.12.4, 1.13.2 and 1.14 on, on a deleted one, if it "
        "ends with that status",
        when=when.can_end_evicted,
    ),
    translated("policies[exit]", "policies[].exitCode", "one policy per status, before the one for PodFailed"),
    *_job_actions("exit"),
    translated(
        "policies[exit].restart container",
        "restartPolicy OnFailure",
        "covered by the restart of every failure",
        when=when.restarts_on_any_failure,
    ),
    refused(
        "policies[exit].restart container",
        "the kubelet restarts a container after every failure or after none, not after some exit statuses",
        "VOL125",
        "exit-restart-container",
        instead="write restart pod, or restart the container on every failure: on failed => restart container",
    ),
    translated("policies[exit].ignore", "", "no policy, as for every failure", when=when.ignores_any_failure),
    refused(
        "policies[exit].ignore",
        "Volcano can ignore an exit status only in a job without abort job, restart pod, restart role and restart job",
        "VOL126",
        "exit-ignore",
        instead="let the program exit with 0, or ignore every failure of the role: on ROLE failed => ignore",
        when=when.replaces_or_aborts,
    ),
    _ignored_decider("exit"),
    translated(
        "policies[exit].ignore", "action ResumeJob", "has no effect on a running job, and keeps PodFailed from acting"
    ),
    *_index("exit"),
)

_EVICTED: Final = (
    approximated(
        "policies[evicted]",
        "event PodEvicted",
        "Volcano sees a deleted pod fail before it is gone, so the policies for its exit status and for failures "
        "decide first",
        "VOL141",
        "eviction-fails-first",
        edit="give exit statuses 137 and 143 the same action as evicted, or compile for Volcano 1.12.0 or 1.13.0",
        when=when.failure_comes_first,
    ),
    approximated(
        "policies[evicted]",
        "events PodEvicted, exitCode 137 and 143",
        "Volcano counts exit status {statuses} as an eviction and any other as a failure; of a pod that its node "
        "stops, it often misses the status, and the policy for failures acts",
        "VOL142",
        "eviction-by-status",
        instead="give failed the same action as evicted; or let the program exit with 143 on SIGTERM (in a shell text "
        "start it with exec, so that it gets the signal), which is enough for pods that are deleted",
        when=when.acts_by_status,
        fill=when.statuses_of,
    ),
    approximated(
        "policies[evicted]",
        "event PodEvicted",
        "a deleted pod whose program exits with 0 on SIGTERM counts as completed",
        "VOL143",
        "eviction-completes",
        instead="let the program exit with 143 on SIGTERM",
        when=when.deletion_completes,
    ),
    approximated(
        "policies[evicted]",
        "event PodEvicted",
        "Volcano fires PodEvicted for a deleted pod (drain, API eviction, preemption); a pod that the kubelet "
        "stops under pressure counts as failed, and the policy for failures decides",
        "VOL127",
        "pressure-eviction",
        when=when.pressure_is_failure,
    ),
    translated(
        "policies[evicted]",
        "event PodEvicted, PodFailed",
        "a pod stopped under pressure fires PodFailed, with the same action",
    ),
    *_job_actions("evicted"),
    refused(
        "policies[evicted].restart container",
        "an evicted pod is gone, and its container with it",
        "VOL128",
        "evicted-restart-container",
        instead="write restart pod or restart job",
    ),
    approximated(
        "policies[evicted].ignore",
        "",
        "Volcano recreates a deleted pod when there is no policy",
        "VOL129",
        "evicted-ignore",
    ),
    *_index("evicted"),
    *_delay("evicted"),
)

_PENDING: Final = (
    approximated(
        "policies[pending]",
        "event PodPending",
        "Volcano often loses the action: it replaces the pods without counting that and waits again; while the "
        "gang waits in its queue it has no pods, and nothing happens",
        "VOL144",
        "pending-loops",
        edit="watch the job from outside and delete it, or remove the policy",
        since="1.11",
    ),
    refused(
        "policies[pending]",
        "Volcano supports the event PodPending from version 1.11 on",
        "VOL130",
        "pending-version",
        instead=_LATER,
    ),
    kept("policies[pending].fail job", "action TerminateJob"),
    kept("policies[pending].abort job", "action AbortJob"),
    kept("policies[pending].restart job", "action RestartJob"),
    kept("policies[pending].restart pod", "action RestartPod"),
    *_index("pending"),
    kept("policies[pending].delay", "policies[].timeout"),
)

_RESTARTED: Final = (
    refused(
        "policies[restarted]",
        "Volcano 1.5 acts when the restarts exceed a number of at least 1, so it cannot act at {count}",
        "VOL145",
        "restarted-once-version",
        instead="write restarted 2, or compile for Volcano 1.6 or newer",
        when=when.is_above_count,
        fill=when.count_of,
    ),
    approximated(
        "policies[restarted]",
        "event TaskFailed, spec.tasks[].maxRetry",
        "Volcano counts from 0 again in every new pod, so there can be more restarts than the policy says",
        "VOL146",
        "restarted-begins-anew",
        when=when.begins_anew,
    ),
    approximated(
        "policies[restarted]",
        "event TaskFailed, spec.tasks[].maxRetry",
        "the count replaces retries for in-place restarts, so there can be more restarts than retries allows",
        "VOL132",
        "restarted-above-retries",
        edit="raise retries, or lower the count",
        when=when.above_retries,
    ),
    kept("policies[restarted]", "event TaskFailed, spec.tasks[].maxRetry"),
    kept("policies[restarted].fail job", "action TerminateJob"),
    kept("policies[restarted].abort job", "action AbortJob"),
    kept("policies[restarted].restart job", "action RestartJob"),
    *_index("restarted"),
)

_UNKNOWN: Final = (
    translated("policies[unknown]", "", "no policy", when=when.is_ignored),
    kept("policies[unknown]", "spec.policies[].event Unknown"),
    kept("policies[unknown].fail job", "action TerminateJob"),
    kept("policies[unknown].abort job", "action AbortJob"),
    kept("policies[unknown].restart job", "action RestartJob"),
    translated("policies[unknown].ignore", "", "no policy"),
)

SUPPORT = Support(
    "volcano",
    "VOL",
    *_JOB,
    *_CLUSTER,
    *_INDEX_KEYS,
    *_ROLES,
    *_CLAIMS,
    *_STEPS,
    *_COMPLETED,
    *_FAILED,
    *_EXIT,
    *_EVICTED,
    *_PENDING,
    *_RESTARTED,
    *_UNKNOWN,
    *ROWS,
)
