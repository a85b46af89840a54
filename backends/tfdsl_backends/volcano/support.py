"""What Volcano does with everything that a job can set. Codes of the rows: 110 to 199.

Read as the target's manual: each row names the field of ``batch.volcano.sh/v1alpha1 Job`` and how it differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import conditions as asked
from tfdsl.backend import Support, approximated, chosen, kept, refused, translated
from tfdsl_backends.podspec import when as shared
from tfdsl_backends.podspec.support import ROWS, seconds_rounded_up
from tfdsl_backends.volcano import when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Row

_LATER = "compile for Volcano 1.11 or newer"


def _job() -> Iterator[Row]:
    yield kept("job.queue", "spec.queue")
    yield refused(
        "job.priority",
        "Kubernetes knows priorities by name, not by number: {value}",
        "VOL110",
        "priority-number",
        instead='name a PriorityClass of the cluster, e.g. priority = "high"',
        when=when.is_number,
    )
    yield kept("job.priority", "spec.priorityClassName")
    yield approximated(
        "job.scheduler",
        "spec.schedulerName",
        "Kubernetes' own scheduler starts pods one by one and knows no queues, so neither gang nor queue is kept",
        "VOL136",
        "default-scheduler",
        instead="leave scheduler out to use Volcano's, or write gang = false",
        when=when.knows_no_gangs,
    )
    yield kept("job.scheduler", "spec.schedulerName")
    yield translated("job.gang", "spec.minAvailable", "false: 1 for the job and 0 for its tasks")
    yield chosen(
        "job.retries",
        "spec.maxRetry, spec.tasks[].maxRetry",
        "retries + 1, for Volcano counts the first start too; left out where nothing restarts",
        "retries is not set, so {value} restarts are allowed; when they are used up the job fails",
        "VOL163",
        "default-retries",
        instead="write retries = N to allow more or fewer",
    )
    yield approximated(
        "job.deadline",
        "spec.tasks[].template.spec.activeDeadlineSeconds",
        "every pod has {value} from its own start, and one that reaches it may count as evicted: then the policy for "
        "evicted decides, which may start it again",
        "VOL137",
        "deadline-is-eviction",
        instead="leave the policy for evicted out, or compile to tfjob, whose deadline is the job's",
        when=when.deadline_restarts,
        fill=shared.whole_seconds,
    )
    yield approximated(
        "job.deadline",
        "spec.tasks[].template.spec.activeDeadlineSeconds",
        "every pod has {value} from its own start, not the job as a whole, and again after a restart; a pod that "
        "reaches it has failed, and the policies for failures decide",
        "VOL111",
        instead="compile to tfjob, whose deadline is the job's",
        fill=shared.whole_seconds,
    )
    yield approximated(
        "job.ttl",
        "spec.ttlSecondsAfterFinished",
        "an aborted job does not count as finished, so it stays after {value}",
        "VOL138",
        "ttl-of-aborted-job",
        instead="write fail job instead of abort job, or delete the job yourself",
        when=when.aborts,
    )
    yield seconds_rounded_up("ttl", "spec.ttlSecondsAfterFinished", "034")
    yield kept("job.ttl", "spec.ttlSecondsAfterFinished")
    yield kept("job.cleanup", "CompleteJob and TerminateJob stop the running pods", when=asked.running)
    yield approximated(
        "job.cleanup",
        "",
        "when the job ends Volcano stops the pods that still run and keeps the others, whatever cleanup says",
        "VOL112",
        instead="a finished job is removed with all its pods after ttl",
    )
    yield refused(
        "job.suspend",
        "a Volcano job cannot be created suspended",
        "VOL113",
        instead="submit it when it may start, or compile to tfjob or kubernetes",
    )


def _cluster() -> Iterator[Row]:
    yield refused(
        "cluster.discovery",
        "before 1.9 Volcano does not write the index of a replica on its pod, so {value} has no --task_index there",
        "VOL139",
        "flags-version",
        instead="compile for Volcano 1.9 or newer",
        when=when.flags_have_no_index,
    )
    yield approximated(
        "cluster.discovery",
        "spec.tasks[].template.spec.containers[0].command",
        "a shell program puts TF_CONFIG together from /etc/volcano when a container starts: the image needs a shell",
        "VOL114",
        "shell-tf-config",
        when=when.builds_in_shell,
    )


def _index_keys() -> Iterator[Row]:
    """What holds ``${task.index}``; other places are refused whatever the release is."""
    for key in (
        "roles[].env",
        "roles[].command",
        "roles[].args",
        "mounts[pvc].sub_path",
        "mounts[claim].sub_path",
        "outputs[].source",
        "outputs[].destination",
    ):
        yield refused(
            f"{key}{{task.index}}",
            "before 1.9 Volcano does not write the index of a replica on its pod, so {value} of role {role} would be "
            "empty",
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
        "where roles start later (after), Volcano only counts the pods of the gang: any of them, not {value} of {role}",
        "VOL115",
        "minimum-with-after",
        instead="leave min_available out, so that all replicas have to be placed",
        when=when.gang_loses_minimum,
    )
    yield kept("roles[].min_available", "spec.tasks[].minAvailable; their sum is spec.minAvailable")
    yield translated(
        "roles[].after",
        "spec.tasks[].dependsOn",
        "pods are made when min_available pods of those tasks run and are ready",
    )
    yield translated(
        "roles[].gpu_memory",
        "resources volcano.sh/vgpu-number and volcano.sh/vgpu-memory",
        "gpu (or 1) shares of so many MiB; the cluster needs the vGPU device plugin and deviceshare.VGPUEnable",
        since="1.9",
    )
    yield refused(
        "roles[].gpu_memory",
        "vGPU came with Volcano 1.9",
        "VOL116",
        "vgpu-version",
        instead="compile for Volcano 1.9 or newer, or ask for whole devices with gpu",
    )
    yield refused(
        "roles[].gpu_resource",
        "shares of a device have resource names of their own, so {value} cannot be asked for beside gpu_memory",
        "VOL117",
        "vgpu-resource",
        instead="leave gpu_resource or gpu_memory out",
        when=when.uses_vgpu,
    )


def _claims() -> Iterator[Row]:
    yield approximated(
        "mounts[claim]",
        "a PersistentVolumeClaim beside the job",
        "the claim at {value} outlives the job: Volcano's own claims are mounted whole and writable in every container "
        "of every role, at one path",
        "VOL118",
        "claim-outlives-job",
        instead="mount it in the job block, without readonly and sub_path; or write keep = true and remove it yourself",
        when=when.claim_outlives,
    )
    yield kept("mounts[claim]", "spec.volumes[].volumeClaim; with keep a PersistentVolumeClaim beside the job")
    yield kept("mounts[claim].keep", "a PersistentVolumeClaim beside the job, which outlives it")


def _completed() -> Iterator[Row]:
    yield kept("policies[completed]", "spec.tasks[].policies[].event TaskCompleted")
    yield kept("policies[completed].complete job", "action CompleteJob")
    yield kept("policies[completed].restart job", "action RestartJob")
    yield from _index("completed")


def _failed() -> Iterator[Row]:
    yield approximated(
        "policies[failed]",
        "event PodFailed",
        "a pod that is lost (deleted, evicted, node gone) cannot be restarted in place: it ends the job",
        "VOL120",
        "lost-pod",
        instead="say what happens then, e.g. on evicted => restart job",
        when=when.lost_pod_ends_job,
    )
    yield kept("policies[failed]", "event PodFailed; with restart container TaskFailed")
    yield from _job_actions("failed")
    yield approximated(
        "policies[failed].restart container",
        "restartPolicy OnFailure, event TaskFailed, spec.tasks[].maxRetry",
        "Volcano counts restarts in place for each role, from 0 in every new pod, and apart from other restarts: there "
        "can be more than retries in total",
        "VOL121",
        "restarts-counted-apart",
        when=when.counted_apart,
    )
    yield translated(
        "policies[failed].restart container",
        "restartPolicy OnFailure, event TaskFailed, spec.tasks[].maxRetry",
        "TaskFailed ends the job when the containers of the task were restarted retries + 1 times",
    )
    yield approximated(
        "policies[failed].ignore",
        "",
        "a role completes when all its replicas have succeeded, so the job does not complete after a failure in a role "
        "that decides its end; it ends when every pod of every role has",
        "VOL122",
        "ignored-decider",
        instead="let another role decide, e.g. on chief completed => complete job",
        when=when.decider_is_ignored,
    )
    yield translated("policies[failed].ignore", "", "no policy; those without ROLE are written on the other tasks")
    yield from _index("failed")
    yield refused(
        "policies[failed].delay",
        "the kubelet restarts a container on its own, without waiting {value}",
        "VOL123",
        "delayed-container",
        instead="leave the time out, or restart the pod",
        when=when.restarts_container,
    )
    yield from _delay("failed")


def _exit() -> Iterator[Row]:
    yield refused(
        "policies[exit]",
        "a container that restarts in place reports no exit status to Volcano, so this policy would never fire",
        "VOL124",
        "exit-in-place",
        instead="restart pods instead: on failed => restart pod",
        when=when.beside_restart_in_place,
    )
    yield translated("policies[exit]", "policies[].exitCode", "one policy per status, before that of PodFailed")
    yield from _job_actions("exit")
    yield translated(
        "policies[exit].restart container",
        "restartPolicy OnFailure",
        "covered by the restart of every failure",
        when=when.restarts_on_any_failure,
    )
    yield refused(
        "policies[exit].restart container",
        "the kubelet restarts containers after every failure or none, not after some exit statuses",
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
        instead="exit with 0 in the program, or ignore every failure of the role: on ROLE failed => ignore",
        when=when.replaces_or_aborts,
    )
    yield translated(
        "policies[exit].ignore", "action ResumeJob", "it does nothing in a running job and keeps PodFailed from acting"
    )
    yield from _index("exit")


def _evicted() -> Iterator[Row]:
    yield approximated(
        "policies[evicted]",
        "event PodEvicted",
        "a deleted pod is seen to fail before it is gone, so the policies for its exit status and for failures decide "
        "before this one",
        "VOL141",
        "eviction-fails-first",
        instead="give exit statuses 137 and 143 the action of evicted, or compile for Volcano 1.12.0 or 1.13.0",
        when=when.failure_comes_first,
    )
    yield approximated(
        "policies[evicted]",
        "events PodEvicted, exitCode 137 and 143",
        "a deleted pod is seen to fail before it is gone: exit status {statuses} counts as evicted, any other as the "
        "program's own end",
        "VOL142",
        "eviction-by-status",
        instead="let the program end with 143 on SIGTERM; start it with exec in a shell text, so that it gets the "
        "signal",
        when=when.is_told_by_status,
        fill=when.statuses_of,
    )
    yield approximated(
        "policies[evicted]",
        "event PodEvicted",
        "a deleted pod whose program ends with 0 on SIGTERM counts as completed",
        "VOL143",
        "eviction-completes",
        instead="end with 143 on SIGTERM",
        when=when.deletion_completes,
    )
    yield approximated(
        "policies[evicted]",
        "event PodEvicted",
        "PodEvicted is fired for a pod that is deleted (drain, API eviction, preemption); one that the kubelet stops "
        "under pressure has failed, and the policy for failures decides",
        "VOL127",
        "pressure-eviction",
        when=when.pressure_is_failure,
    )
    yield translated(
        "policies[evicted]", "event PodEvicted, PodFailed", "a pod under pressure fires PodFailed: same action"
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
        "policies[evicted].ignore", "", "without a policy Volcano makes a deleted pod anew", "VOL129", "evicted-ignore"
    )
    yield from _index("evicted")
    yield from _delay("evicted")


def _pending() -> Iterator[Row]:
    yield approximated(
        "policies[pending]",
        "event PodPending",
        "the action often does not take hold: the pods are replaced, uncounted, and the wait begins again; and nothing "
        "happens while the gang waits in its queue, which has no pods yet",
        "VOL144",
        "pending-loops",
        instead="watch the job from outside and delete it, or leave the policy out",
        since="1.11",
    )
    yield refused(
        "policies[pending]", "the event PodPending came with Volcano 1.11", "VOL130", "pending-version", instead=_LATER
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
        "Volcano 1.5 acts when the restarts are above a number that is at least 1, so it cannot act at {count}",
        "VOL145",
        "restarted-once-version",
        instead="count to 2, or compile for Volcano 1.6 or newer",
        when=when.is_above_count,
        fill=when.count_of,
    )
    yield approximated(
        "policies[restarted]",
        "event TaskFailed, spec.tasks[].maxRetry",
        "the count begins again in every new pod, so there can be more restarts than it says",
        "VOL146",
        "restarted-begins-anew",
        when=when.begins_anew,
    )
    yield approximated(
        "policies[restarted]",
        "event TaskFailed, spec.tasks[].maxRetry",
        "the count takes the place of retries for restarts in place, so more restarts are made than retries allows",
        "VOL132",
        "restarted-above-retries",
        instead="raise retries, or count to fewer restarts",
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
    """The actions that have one and the same word in Volcano, whatever the event."""
    key = f"policies[{event}]"
    yield kept(f"{key}.fail job", "action TerminateJob")
    if event == "evicted":
        yield kept(f"{key}.abort job", "action AbortJob")
    else:
        yield approximated(
            f"{key}.abort job",
            "action AbortJob",
            "a job that is resumed keeps its failed pod, and the gang may never be complete again",
            "VOL147",
            "abort-keeps-failed-pod",
            instead="submit the job anew instead of resuming it",
        )
    yield from _restart(f"{key}.restart pod", "RestartPod", "VOL119")
    yield from _restart(f"{key}.restart role", "RestartTask", "VOL148")
    yield kept(f"{key}.restart job", "action RestartJob")


def _restart(key: str, action: str, code: str) -> Iterator[Row]:
    """A restart of less than the job: from 1.11 on, and with a fault before 1.14."""
    yield approximated(
        key,
        f"action {action}",
        "before 1.14 Volcano may count one restart twice, and restart the whole job with it",
        "VOL149",
        "restart-counted-twice",
        instead="compile for Volcano 1.14 or newer, or give more retries",
        since="1.11",
        when=when.may_count_twice,
    )
    yield kept(key, f"action {action}", since="1.11")
    yield refused(
        key,
        f"the action {action} does nothing before Volcano 1.11",
        code,
        f"restart-{key.rpartition(' ')[2]}-version",
        instead=f"{_LATER}, or restart the job",
    )


def _index(event: str) -> Iterator[Row]:
    yield translated(
        f"policies[{event}].index", "spec.tasks[].policies", "the one replica is the role", when=when.one_replica
    )
    yield refused(
        f"policies[{event}].index",
        "a policy of Volcano is about all replicas of a role, not about {role}[{value}] alone",
        "VOL134",
        "replica-policy",
        instead="write the policy for the whole role, {role}; tfjob knows worker[0] completed",
    )


def _delay(event: str) -> Iterator[Row]:
    yield approximated(
        f"policies[{event}].delay",
        "policies[].timeout",
        "a delayed action often does not take hold: pods are replaced, but the job goes on and its retries are not "
        "counted",
        "VOL150",
        "delay-is-lost",
        instead="leave after {value} out",
        since="1.11",
    )
    yield refused(
        f"policies[{event}].delay",
        "Volcano before 1.11 takes a timeout and acts at once all the same",
        "VOL135",
        "delay-version",
        instead=f"{_LATER}, or leave after {{value}} out",
    )


SUPPORT = Support(
    "volcano",
    "VOL",
    *_job(),
    *_cluster(),
    *_index_keys(),
    *_roles(),
    *_claims(),
    *_completed(),
    *_failed(),
    *_exit(),
    *_evicted(),
    *_pending(),
    *_restarted(),
    *_unknown(),
    *ROWS,
)
