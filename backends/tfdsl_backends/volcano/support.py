"""What Volcano does with everything that a job can set. Codes of the rows: 110 to 199.

Read as the target's manual: each row names the field of ``batch.volcano.sh/v1alpha1 Job`` and how it differs.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl import conditions as asked
from tfdsl.backend import Row, Support, approximated, chosen, kept, refused, translated
from tfdsl.vocabulary.statements import STEPS
from tfdsl_backends.podspec import when as shared
from tfdsl_backends.podspec.support import ROWS, STEP, prepare_row, seconds_rounded_up, sidecar_rows
from tfdsl_backends.volcano import when
from tfdsl_backends.volcano.features import SIDECARS

_LATER = "compile for Volcano 1.11 or newer"


def _job() -> Iterator[Row]:
    yield kept("job.queue", "spec.queue")
    yield refused(
        "job.priority",
        "Volcano takes the name of a PriorityClass, not the number {value}",
        "VOL110",
        "priority-number",
        instead='write the name of a PriorityClass, e.g. priority = "high"',
        when=shared.number,
    )
    yield kept("job.priority", "spec.priorityClassName")
    yield approximated(
        "job.scheduler",
        "spec.schedulerName",
        "Kubernetes' default scheduler starts pods one by one and has no queues: gang and queue have no effect",
        "VOL136",
        "default-scheduler",
        instead="remove scheduler to use Volcano's, or write gang = false",
        when=when.knows_no_gangs,
    )
    yield kept("job.scheduler", "spec.schedulerName")
    yield translated("job.gang", "spec.minAvailable", "false: 1 for the job and 0 for its tasks")
    yield chosen(
        "job.retries",
        "spec.maxRetry, spec.tasks[].maxRetry",
        "retries + 1, because Volcano also counts the first start; not written if nothing restarts",
        "retries is not set: {value} restarts are allowed, then the job fails",
        "VOL163",
        "default-retries",
        instead="write retries = N to allow more or fewer",
    )
    yield approximated(
        "job.deadline",
        "spec.tasks[].template.spec.activeDeadlineSeconds",
        "Volcano gives every pod {value} from its own start; a pod that reaches the limit may count as evicted, "
        "and the policy for evicted may start it again",
        "VOL137",
        "deadline-is-eviction",
        instead="remove the policy for evicted, or compile to kubernetes, whose Jobs end on time, restarts included",
        when=when.deadline_restarts,
        fill=shared.whole_seconds,
    )
    yield approximated(
        "job.deadline",
        "spec.tasks[].template.spec.activeDeadlineSeconds",
        "Volcano gives every pod {value} from its own start, and again after a restart, instead of limiting the "
        "whole job; a pod that reaches the limit counts as failed",
        "VOL111",
        instead="compile to kubernetes, whose Jobs end on time, restarts included",
        fill=shared.whole_seconds,
    )
    yield approximated(
        "job.ttl",
        "spec.ttlSecondsAfterFinished",
        "Volcano does not count an aborted job as finished, so it stays after {value}",
        "VOL138",
        "ttl-of-aborted-job",
        instead="write fail job instead of abort job, or delete the job yourself",
        when=when.aborts,
    )
    yield seconds_rounded_up("job.ttl", "spec.ttlSecondsAfterFinished", "034")
    yield kept("job.ttl", "spec.ttlSecondsAfterFinished")
    yield kept("job.cleanup", "CompleteJob and TerminateJob stop the running pods", when=asked.running)
    yield approximated(
        "job.cleanup",
        "",
        "Volcano always stops the running pods when the job ends and keeps the others, whatever cleanup says",
        "VOL112",
        instead="write ttl to have the finished job removed with all its pods",
    )
    yield refused(
        "job.suspend",
        "Volcano cannot create a suspended job",
        "VOL113",
        instead="submit it when it may start, or compile to tfjob or kubernetes",
    )


def _cluster() -> Iterator[Row]:
    yield refused(
        "cluster.discovery",
        "Volcano before 1.9 does not write a replica's index on its pod, so discovery {value} cannot set --task_index",
        "VOL139",
        "flags-version",
        instead="compile for Volcano 1.9 or newer",
        when=when.flags_have_no_index,
    )
    yield approximated(
        "cluster.discovery",
        "spec.tasks[].template.spec.containers[0].command",
        "a shell script builds TF_CONFIG from /etc/volcano when a container starts: the image needs a shell",
        "VOL114",
        "shell-tf-config",
        when=when.builds_in_shell,
    )


def _index_keys() -> Iterator[Row]:
    """Where ``${task.index}`` may be; other places are refused in every release."""
    for key in (
        "roles[].env",
        "roles[].command",
        "roles[].args",
        "mounts[pvc].sub_path",
        "mounts[claim].sub_path",
        "outputs[].source",
        "outputs[].destination",
        *(f"steps[{kind}].{field}" for kind in STEPS for field in ("env", "command", "args")),
    ):
        yield refused(
            f"{key}{{task.index}}",
            "Volcano before 1.9 does not write a replica's index on its pod, so {value} of role {role} would be empty",
            "VOL140",
            "index-version",
            instead="compile for Volcano 1.9 or newer, or read VC_TASK_INDEX in the program",
            when=when.has_no_index,
        )


def _roles() -> Iterator[Row]:
    yield kept("roles[].replicas", "spec.tasks[].replicas")
    yield approximated(
        "roles[].min_available",
        "spec.tasks[].minAvailable",
        "if a role starts later (after), Volcano counts any pods of the gang, not {value} of {role}",
        "VOL115",
        "minimum-with-after",
        instead="remove min_available, so that all replicas have to be placed",
        when=when.gang_loses_minimum,
    )
    yield kept("roles[].min_available", "spec.tasks[].minAvailable; their sum is spec.minAvailable")
    yield translated(
        "roles[].after",
        "spec.tasks[].dependsOn",
        "pods are created when min_available pods of those tasks are running and ready",
    )
    yield translated(
        "roles[].logdir",
        "spec.tasks[].template.spec.containers[0].command",
        "--logdir of the tensorboard command; restart job starts it again, too, and nothing does when the kubelet "
        "stops it under pressure",
    )
    yield translated(
        "roles[].gpu_memory",
        "resources volcano.sh/vgpu-number and volcano.sh/vgpu-memory",
        "gpu (or 1) shares of that many MiB; the cluster needs the vGPU device plugin and deviceshare.VGPUEnable",
        since="1.9",
    )
    yield refused(
        "roles[].gpu_memory",
        "Volcano supports vGPU from version 1.9 on",
        "VOL116",
        "vgpu-version",
        instead="compile for Volcano 1.9 or newer, or ask for whole devices with gpu",
    )
    yield refused(
        "roles[].gpu_resource",
        "gpu_memory uses Volcano's own resource names, so gpu_resource cannot be {value} as well",
        "VOL117",
        "vgpu-resource",
        instead="remove gpu_resource or gpu_memory",
        when=when.uses_vgpu,
    )


def _claims() -> Iterator[Row]:
    yield approximated(
        "mounts[claim]",
        "a PersistentVolumeClaim beside the job",
        "the claim at {value} outlives the job: Volcano mounts a job's own claims in no init container, and steps are "
        "init containers",
        "VOL171",
        "claim-in-steps",
        instead="write keep = true and delete it yourself",
        when=when.claim_is_in_steps,
    )
    yield approximated(
        "mounts[claim]",
        "a PersistentVolumeClaim beside the job",
        "the claim at {value} outlives the job: Volcano mounts a job's own claims whole and writable, in every "
        "container and at one path",
        "VOL118",
        "claim-outlives-job",
        instead="mount it in the job block without readonly and sub_path; or write keep = true and delete it yourself",
        when=when.claim_outlives,
    )
    yield kept("mounts[claim]", "spec.volumes[].volumeClaim; with keep a PersistentVolumeClaim beside the job")
    yield kept("mounts[claim].keep", "a PersistentVolumeClaim beside the job, which outlives it")


def _steps() -> Iterator[Row]:
    yield approximated(
        "steps[prepare]",
        STEP,
        "Volcano reads the exit status of the command's container only: if {value} of role {role} fails, the policy "
        "for failed decides, none for an exit status",
        "VOL170",
        "prepare-status-unread",
        instead="give failed the action that a failure of the step is to have",
        when=when.reads_statuses,
    )
    yield prepare_row()
    yield from sidecar_rows("Volcano", SIDECARS, when.counts_restarts)


def _completed() -> Iterator[Row]:
    yield translated(
        "policies[completed]",
        "spec.tasks[].policies[].event TaskCompleted",
        "a deleted pod whose program exits with 0 on SIGTERM counts as completed",
        when=when.sees_the_end,
    )
    yield kept("policies[completed]", "spec.tasks[].policies[].event TaskCompleted")
    yield kept("policies[completed].complete job", "action CompleteJob")
    yield kept("policies[completed].restart job", "action RestartJob")
    yield from _index("completed")


def _failed() -> Iterator[Row]:
    yield approximated(
        "policies[failed]",
        "event PodFailed",
        "a lost pod (deleted, evicted, node gone) cannot restart in place: it ends the job",
        "VOL120",
        "lost-pod",
        instead="add a policy for it, e.g. on evicted => restart job",
        when=when.lost_pod_ends_job,
    )
    yield kept("policies[failed]", "event PodFailed; with restart container TaskFailed")
    yield from _job_actions("failed")
    yield approximated(
        "policies[failed].restart container",
        "restartPolicy OnFailure",
        'with policies = "written", nothing counts the restarts in place: a program that always fails is started again '
        "for ever",
        "VOL133",
        "restarts-without-end",
        instead="add on restarted N => fail job",
        when=when.restarts_without_end,
    )
    yield approximated(
        "policies[failed].restart container",
        "restartPolicy OnFailure, event TaskFailed, spec.tasks[].maxRetry",
        "Volcano counts in-place restarts per role, from 0 in every new pod, and separately from other restarts, "
        "so there can be more than retries in total",
        "VOL121",
        "restarts-counted-apart",
        when=when.counted_apart,
    )
    yield translated(
        "policies[failed].restart container",
        "restartPolicy OnFailure, event TaskFailed, spec.tasks[].maxRetry",
        "TaskFailed ends the job when the task's containers have restarted retries + 1 times",
    )
    yield _ignored_decider("failed")
    yield translated(
        "policies[failed].ignore",
        "",
        "no policy, and a deleted pod is made anew; policies without ROLE are written on the other tasks",
    )
    yield from _index("failed")
    yield refused(
        "policies[failed].delay",
        "the kubelet restarts a container by itself and cannot wait {value}",
        "VOL123",
        "delayed-container",
        instead="remove the delay, or restart the pod",
        when=when.restarts_container,
    )
    yield from _delay("failed")


def _ignored_decider(event: str) -> Row:
    return approximated(
        f"policies[{event}].ignore",
        "",
        "Volcano completes a role only if all its replicas succeed: after an ignored failure the job runs until "
        "every pod of every role has ended",
        "VOL122",
        "ignored-decider",
        instead="let another role decide, e.g. on chief completed => complete job",
        when=when.decider_is_ignored,
    )


def _exit() -> Iterator[Row]:
    yield refused(
        "policies[exit]",
        "Volcano never sees the exit status of a container that restarts in place, so this policy never fires",
        "VOL124",
        "exit-in-place",
        instead="restart pods instead: on failed => restart pod",
        when=when.beside_restart_in_place,
    )
    yield translated(
        "policies[exit]",
        "policies[].exitCode",
        "one policy per status, before the one for PodFailed; it also decides on a pod that the kubelet stops under "
        "pressure and, from 1.12.4, 1.13.2 and 1.14 on, on a deleted one, if it ends with that status",
        when=when.can_end_evicted,
    )
    yield translated("policies[exit]", "policies[].exitCode", "one policy per status, before the one for PodFailed")
    yield from _job_actions("exit")
    yield translated(
        "policies[exit].restart container",
        "restartPolicy OnFailure",
        "covered by the restart of every failure",
        when=when.restarts_on_any_failure,
    )
    yield refused(
        "policies[exit].restart container",
        "the kubelet restarts a container after every failure or after none, not after some exit statuses",
        "VOL125",
        "exit-restart-container",
        instead="write restart pod, or restart the container on every failure: on failed => restart container",
    )
    yield translated("policies[exit].ignore", "", "no policy, as for every failure", when=when.ignores_any_failure)
    yield refused(
        "policies[exit].ignore",
        "Volcano can ignore an exit status only in a job without abort job, restart pod, restart role and restart job",
        "VOL126",
        "exit-ignore",
        instead="let the program exit with 0, or ignore every failure of the role: on ROLE failed => ignore",
        when=when.replaces_or_aborts,
    )
    yield _ignored_decider("exit")
    yield translated(
        "policies[exit].ignore", "action ResumeJob", "has no effect on a running job, and keeps PodFailed from acting"
    )
    yield from _index("exit")


def _evicted() -> Iterator[Row]:
    yield approximated(
        "policies[evicted]",
        "event PodEvicted",
        "Volcano sees a deleted pod fail before it is gone, so the policies for its exit status and for failures "
        "decide first",
        "VOL141",
        "eviction-fails-first",
        instead="give exit statuses 137 and 143 the same action as evicted, or compile for Volcano 1.12.0 or 1.13.0",
        when=when.failure_comes_first,
    )
    yield approximated(
        "policies[evicted]",
        "events PodEvicted, exitCode 137 and 143",
        "Volcano sees a deleted pod fail before it is gone: exit status {statuses} counts as evicted, any other "
        "as the program's own",
        "VOL142",
        "eviction-by-status",
        instead="let the program exit with 143 on SIGTERM; in a shell text start it with exec, so that it gets the "
        "signal",
        when=when.acts_by_status,
        fill=when.statuses_of,
    )
    yield approximated(
        "policies[evicted]",
        "event PodEvicted",
        "a deleted pod whose program exits with 0 on SIGTERM counts as completed",
        "VOL143",
        "eviction-completes",
        instead="let the program exit with 143 on SIGTERM",
        when=when.deletion_completes,
    )
    yield approximated(
        "policies[evicted]",
        "event PodEvicted",
        "Volcano fires PodEvicted for a deleted pod (drain, API eviction, preemption); a pod that the kubelet "
        "stops under pressure counts as failed, and the policy for failures decides",
        "VOL127",
        "pressure-eviction",
        when=when.pressure_is_failure,
    )
    yield translated(
        "policies[evicted]",
        "event PodEvicted, PodFailed",
        "a pod stopped under pressure fires PodFailed, with the same action",
    )
    yield from _job_actions("evicted")
    yield refused(
        "policies[evicted].restart container",
        "an evicted pod is gone, and its container with it",
        "VOL128",
        "evicted-restart-container",
        instead="write restart pod or restart job",
    )
    yield approximated(
        "policies[evicted].ignore",
        "",
        "Volcano recreates a deleted pod when there is no policy",
        "VOL129",
        "evicted-ignore",
    )
    yield from _index("evicted")
    yield from _delay("evicted")


def _pending() -> Iterator[Row]:
    yield approximated(
        "policies[pending]",
        "event PodPending",
        "Volcano often loses the action: it replaces the pods without counting that and waits again; while the "
        "gang waits in its queue it has no pods, and nothing happens",
        "VOL144",
        "pending-loops",
        instead="watch the job from outside and delete it, or remove the policy",
        since="1.11",
    )
    yield refused(
        "policies[pending]",
        "Volcano supports the event PodPending from version 1.11 on",
        "VOL130",
        "pending-version",
        instead=_LATER,
    )
    yield kept("policies[pending].fail job", "action TerminateJob")
    yield kept("policies[pending].abort job", "action AbortJob")
    yield kept("policies[pending].restart job", "action RestartJob")
    yield kept("policies[pending].restart pod", "action RestartPod")
    yield from _index("pending")
    yield kept("policies[pending].delay", "policies[].timeout")


def _restarted() -> Iterator[Row]:
    yield refused(
        "policies[restarted]",
        "Volcano 1.5 acts when the restarts exceed a number of at least 1, so it cannot act at {count}",
        "VOL145",
        "restarted-once-version",
        instead="write restarted 2, or compile for Volcano 1.6 or newer",
        when=when.is_above_count,
        fill=when.count_of,
    )
    yield approximated(
        "policies[restarted]",
        "event TaskFailed, spec.tasks[].maxRetry",
        "Volcano counts from 0 again in every new pod, so there can be more restarts than the policy says",
        "VOL146",
        "restarted-begins-anew",
        when=when.begins_anew,
    )
    yield approximated(
        "policies[restarted]",
        "event TaskFailed, spec.tasks[].maxRetry",
        "the count replaces retries for in-place restarts, so there can be more restarts than retries allows",
        "VOL132",
        "restarted-above-retries",
        instead="raise retries, or lower the count",
        when=when.above_retries,
    )
    yield kept("policies[restarted]", "event TaskFailed, spec.tasks[].maxRetry")
    yield kept("policies[restarted].fail job", "action TerminateJob")
    yield kept("policies[restarted].abort job", "action AbortJob")
    yield kept("policies[restarted].restart job", "action RestartJob")
    yield from _index("restarted")


def _unknown() -> Iterator[Row]:
    yield translated("policies[unknown]", "", "no policy", when=when.is_ignored)
    yield kept("policies[unknown]", "spec.policies[].event Unknown")
    yield kept("policies[unknown].fail job", "action TerminateJob")
    yield kept("policies[unknown].abort job", "action AbortJob")
    yield kept("policies[unknown].restart job", "action RestartJob")
    yield translated("policies[unknown].ignore", "", "no policy")


def _job_actions(event: str) -> Iterator[Row]:
    """The actions that Volcano names in the same way for every event."""
    key = f"policies[{event}]"
    yield kept(f"{key}.fail job", "action TerminateJob")
    if event == "evicted":
        yield kept(f"{key}.abort job", "action AbortJob")
    else:
        yield approximated(
            f"{key}.abort job",
            "action AbortJob",
            "a resumed job keeps its failed pod, so the gang may never be complete again",
            "VOL147",
            "abort-keeps-failed-pod",
            instead="submit the job again instead of resuming it",
        )
    yield from _restart(f"{key}.restart pod", "RestartPod", "VOL119")
    yield from _restart(f"{key}.restart role", "RestartTask", "VOL148")
    yield kept(f"{key}.restart job", "action RestartJob")


def _restart(key: str, action: str, code: str) -> Iterator[Row]:
    """A restart of less than the job: from 1.11 on, and with a fault before 1.14."""
    yield approximated(
        key,
        f"action {action}",
        "Volcano before 1.14 may count one restart twice and restart the whole job",
        "VOL149",
        "restart-counted-twice",
        instead="compile for Volcano 1.14 or newer, or raise retries",
        since="1.11",
        when=when.may_count_twice,
    )
    yield kept(key, f"action {action}", since="1.11")
    yield refused(
        key,
        f"Volcano before 1.11 ignores the action {action}",
        code,
        f"restart-{key.rpartition(' ')[2]}-version",
        instead=f"{_LATER}, or restart the job",
    )


def _index(event: str) -> Iterator[Row]:
    yield translated(
        f"policies[{event}].index", "spec.tasks[].policies", "the role has only this replica", when=when.one_replica
    )
    yield refused(
        f"policies[{event}].index",
        "Volcano's policies apply to a whole role, not to {role}[{value}] alone",
        "VOL134",
        "replica-policy",
        instead="write the policy for the whole role, {role}; tfjob supports worker[0] completed",
    )


def _delay(event: str) -> Iterator[Row]:
    yield approximated(
        f"policies[{event}].delay",
        "policies[].timeout",
        "Volcano often loses a delayed action: it replaces the pods, but the job goes on and its retries are not "
        "counted",
        "VOL150",
        "delay-is-lost",
        instead="remove after {value}",
        since="1.11",
    )
    yield refused(
        f"policies[{event}].delay",
        "Volcano before 1.11 accepts a timeout but acts at once",
        "VOL135",
        "delay-version",
        instead=f"{_LATER}, or remove after {{value}}",
    )


SUPPORT = Support(
    "volcano",
    "VOL",
    *_job(),
    *_cluster(),
    *_index_keys(),
    *_roles(),
    *_claims(),
    *_steps(),
    *_completed(),
    *_failed(),
    *_exit(),
    *_evicted(),
    *_pending(),
    *_restarted(),
    *_unknown(),
    *ROWS,
)
