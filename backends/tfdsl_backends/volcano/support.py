"""What Volcano does with everything that a job can set. Codes of the rows: 110 to 199.

Read as the target's manual: each row names the field of ``batch.volcano.sh/v1alpha1 Job`` and how it differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import Support, approximated, chosen, kept, refused, translated
from tfdsl_backends.podspec import conditions as shared
from tfdsl_backends.podspec.batch_support import seconds_rounded_up
from tfdsl_backends.podspec.support import rows
from tfdsl_backends.volcano import conditions as when

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
        "volcano-priority-number",
        instead='name a PriorityClass of the cluster, e.g. priority = "high"',
        when=when.is_number,
        when_text="a number",
    )
    yield kept("job.priority", "spec.priorityClassName")
    yield kept("job.scheduler", "spec.schedulerName")
    yield translated("job.gang", "spec.minAvailable", "false: 1 for the job and 0 for its tasks")
    yield chosen(
        "job.retries",
        "spec.maxRetry, spec.tasks[].maxRetry",
        "retries + 1, for Volcano counts the first start too; left out where nothing restarts",
        "retries is not set, so {value} restarts are allowed; when they are used up the job fails",
        "VOL163",
        "volcano-default-retries",
        instead="write retries = N to allow more or fewer",
    )
    yield approximated(
        "job.deadline",
        "spec.tasks[].template.spec.activeDeadlineSeconds",
        "every pod has {value} from its own start, not the job as a whole, and again after a restart; a pod that "
        "reaches it has failed, and the policies for failures decide",
        "VOL111",
        "volcano-deadline",
        instead="compile to tfjob, whose deadline is the job's",
        fill=shared.whole_seconds,
    )
    yield seconds_rounded_up("VOL", "volcano", "ttl", "spec.ttlSecondsAfterFinished", 34)
    yield kept("job.ttl", "spec.ttlSecondsAfterFinished")
    yield approximated(
        "job.cleanup",
        "",
        "when the job ends Volcano stops the pods that still run and keeps the others, whatever cleanup says",
        "VOL112",
        "volcano-cleanup",
        instead="a finished job is removed with all its pods after ttl",
        when=when.is_not_running,
        when_text="all, none",
    )
    yield kept("job.cleanup", "CompleteJob and TerminateJob stop the running pods", when_text="running")
    yield refused(
        "job.suspend",
        "a Volcano job cannot be created suspended",
        "VOL113",
        "volcano-suspend",
        instead="submit it when it may start, or compile to tfjob or kubernetes",
    )


def _cluster() -> Iterator[Row]:
    yield approximated(
        "cluster.discovery",
        "spec.tasks[].template.spec.containers[0].command",
        "a shell program puts TF_CONFIG together from /etc/volcano when a container starts: the image needs a shell",
        "VOL114",
        "volcano-shell-tf-config",
        when=when.builds_in_shell,
        when_text='tf_config = "shell"',
    )


def _roles() -> Iterator[Row]:
    yield kept("roles[].replicas", "spec.tasks[].replicas")
    yield approximated(
        "roles[].min_available",
        "spec.tasks[].minAvailable",
        "where roles start later (after), Volcano only counts the pods of the gang: any of them, not {value} of {role}",
        "VOL115",
        "volcano-minimum-with-after",
        instead="leave min_available out, so that all replicas have to be placed",
        when=when.gang_loses_minimum,
        when_text="below replicas, in a job that has an after",
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
        "volcano-vgpu-version",
        instead="compile for Volcano 1.9 or newer, or ask for whole devices with gpu",
    )
    yield refused(
        "roles[].gpu_resource",
        "shares of a device have resource names of their own, so {value} cannot be asked for beside gpu_memory",
        "VOL117",
        "volcano-vgpu-resource",
        instead="leave gpu_resource or gpu_memory out",
        when=when.uses_vgpu,
        when_text="beside gpu_memory",
    )


def _claims() -> Iterator[Row]:
    yield approximated(
        "mounts[claim]",
        "a PersistentVolumeClaim beside the job",
        "the claim at {value} outlives the job: Volcano's own claims are mounted whole and writable in every container "
        "of every role, at one path",
        "VOL118",
        "volcano-claim-outlives-job",
        instead="mount it in the job block, without readonly and sub_path; or write keep = true and remove it yourself",
        when=when.claim_outlives,
        when_text="without keep, and not mounted alike by every role",
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
        "volcano-lost-pod",
        instead="say what happens then, e.g. on evicted => restart job",
        when=when.lost_pod_ends_job,
        when_text="with restart container, and without a policy for evicted",
    )
    yield kept("policies[failed]", "event PodFailed; with restart container TaskFailed")
    yield from _job_actions("failed")
    yield approximated(
        "policies[failed].restart container",
        "restartPolicy OnFailure, event TaskFailed, spec.tasks[].maxRetry",
        "Volcano counts restarts in place for each role, and apart from other restarts: each count may reach retries",
        "VOL121",
        "volcano-restarts-counted-apart",
        when=when.counted_apart,
        when_text="for several roles, or beside other restarts",
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
        "volcano-ignored-decider",
        instead="let another role decide, e.g. on chief completed => complete job",
        when=when.decider_is_ignored,
        when_text="of a role that decides the job's end",
    )
    yield translated("policies[failed].ignore", "", "no policy; those without ROLE are written on the other tasks")
    yield from _index("failed")
    yield refused(
        "policies[failed].delay",
        "the kubelet restarts a container on its own, without waiting {value}",
        "VOL123",
        "volcano-delayed-container",
        instead="leave the time out, or restart the pod",
        when=when.restarts_container,
        when_text="with restart container",
    )
    yield from _delay("failed")


def _exit() -> Iterator[Row]:
    yield refused(
        "policies[exit]",
        "a container that restarts in place reports no exit status to Volcano, so this policy would never fire",
        "VOL124",
        "volcano-exit-in-place",
        instead="restart pods instead: on failed => restart pod",
        when=when.beside_restart_in_place,
        when_text="beside failed => restart container",
    )
    yield translated("policies[exit]", "policies[].exitCode", "one policy per status, before that of PodFailed")
    yield from _job_actions("exit")
    yield translated(
        "policies[exit].restart container",
        "restartPolicy OnFailure",
        "covered by the restart of every failure",
        when=when.as_any_failure,
        when_text="beside failed => restart container",
    )
    yield refused(
        "policies[exit].restart container",
        "the kubelet restarts containers after every failure or none, not after some exit statuses",
        "VOL125",
        "volcano-exit-restart-container",
        instead="write restart pod, or restart the container on every failure: on failed => restart container",
    )
    yield translated(
        "policies[exit].ignore",
        "",
        "no policy, as for every failure",
        when=when.as_any_failure,
        when_text="beside failed => ignore",
    )
    yield refused(
        "policies[exit].ignore",
        "Volcano has no policy that does nothing: an exit status without one is a failure as any other",
        "VOL126",
        "volcano-exit-ignore",
        instead="exit with 0 in the program, or ignore every failure of the role: on ROLE failed => ignore",
    )
    yield from _index("exit")


def _evicted() -> Iterator[Row]:
    yield approximated(
        "policies[evicted]",
        "event PodEvicted",
        "PodEvicted is fired for a pod that is deleted (drain, API eviction, preemption); one that the kubelet stops "
        "under pressure has failed, and the policy for failures decides",
        "VOL127",
        "volcano-pressure-eviction",
        when=when.pressure_is_failure,
        when_text="with another action than a failure has",
    )
    yield translated(
        "policies[evicted]", "event PodEvicted, PodFailed", "a pod under pressure fires PodFailed: same action"
    )
    yield from _job_actions("evicted")
    yield refused(
        "policies[evicted].restart container",
        "an evicted pod is gone, and its container with it",
        "VOL128",
        "volcano-evicted-restart-container",
        instead="write restart pod or restart job",
    )
    yield approximated(
        "policies[evicted].ignore",
        "",
        "without a policy Volcano makes a deleted pod anew",
        "VOL129",
        "volcano-evicted-ignore",
    )
    yield from _index("evicted")
    yield from _delay("evicted")


def _pending() -> Iterator[Row]:
    yield kept("policies[pending]", "event PodPending", since="1.11")
    yield refused(
        "policies[pending]",
        "the event PodPending came with Volcano 1.11",
        "VOL130",
        "volcano-pending-version",
        instead=_LATER,
    )
    yield kept("policies[pending].fail job", "action TerminateJob")
    yield kept("policies[pending].abort job", "action AbortJob")
    yield kept("policies[pending].restart job", "action RestartJob")
    yield approximated(
        "policies[pending].restart pod",
        "action RestartPod",
        "restarting a pod that is pending is reported not to work (volcano-sh/volcano issue 4743)",
        "VOL131",
        "volcano-pending-restart-pod",
        instead="restart job or abort job do work",
    )
    yield from _index("pending")
    yield kept("policies[pending].delay", "policies[].timeout")


def _restarted() -> Iterator[Row]:
    yield approximated(
        "policies[restarted]",
        "event TaskFailed, spec.tasks[].maxRetry",
        "the count takes the place of retries for restarts in place, so more restarts are made than retries allows",
        "VOL132",
        "volcano-restarted-above-retries",
        instead="raise retries, or count to fewer restarts",
        when=when.above_retries,
        when_text="with a count above retries",
    )
    yield kept("policies[restarted]", "event TaskFailed, spec.tasks[].maxRetry")
    yield kept("policies[restarted].fail job", "action TerminateJob")
    yield kept("policies[restarted].abort job", "action AbortJob")
    yield kept("policies[restarted].restart job", "action RestartJob")
    yield from _index("restarted")


def _unknown() -> Iterator[Row]:
    yield translated("policies[unknown]", "", "no policy", when=when.is_ignored, when_text="with ignore")
    yield kept("policies[unknown]", "spec.policies[].event Unknown", since="1.11")
    yield refused(
        "policies[unknown]",
        "a policy for the event Unknown needs Volcano 1.11",
        "VOL133",
        "volcano-unknown-version",
        instead=_LATER,
    )
    yield kept("policies[unknown].fail job", "action TerminateJob")
    yield kept("policies[unknown].abort job", "action AbortJob")
    yield kept("policies[unknown].restart job", "action RestartJob")
    yield translated("policies[unknown].ignore", "", "no policy")


def _job_actions(event: str) -> Iterator[Row]:
    """The actions that have one and the same word in Volcano, whatever the event."""
    yield kept(f"policies[{event}].fail job", "action TerminateJob")
    yield kept(f"policies[{event}].abort job", "action AbortJob")
    yield kept(f"policies[{event}].restart pod", "action RestartPod", since="1.11")
    yield refused(
        f"policies[{event}].restart pod",
        "the action RestartPod came with Volcano 1.11",
        "VOL119",
        "volcano-restart-pod-version",
        instead=f"{_LATER}, or restart role or job",
    )
    yield kept(f"policies[{event}].restart role", "action RestartTask")
    yield kept(f"policies[{event}].restart job", "action RestartJob")


def _index(event: str) -> Iterator[Row]:
    yield translated(
        f"policies[{event}].index",
        "spec.tasks[].policies",
        "the one replica is the role",
        when=when.one_replica,
        when_text="of a role with one replica",
    )
    yield refused(
        f"policies[{event}].index",
        "a policy of Volcano is about all replicas of a role, not about {role}[{value}] alone",
        "VOL134",
        "volcano-replica-policy",
        instead="write the policy for the whole role, {role}; tfjob knows worker[0] completed",
    )


def _delay(event: str) -> Iterator[Row]:
    yield kept(f"policies[{event}].delay", "policies[].timeout", since="1.11")
    yield refused(
        f"policies[{event}].delay",
        "Volcano before 1.11 takes a timeout and acts at once all the same",
        "VOL135",
        "volcano-delay-version",
        instead=f"{_LATER}, or leave after {{value}} out",
    )


SUPPORT = Support(
    *_job(),
    *_cluster(),
    *_roles(),
    *_claims(),
    *_completed(),
    *_failed(),
    *_exit(),
    *_evicted(),
    *_pending(),
    *_restarted(),
    *_unknown(),
    *rows("VOL"),
)
