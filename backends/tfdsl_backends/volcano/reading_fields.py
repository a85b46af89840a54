"""What becomes of the fields of a Volcano job, for the page about migration."""

from __future__ import annotations

from typing import Final

from tfdsl.reading import Field

_CRON: Final = "CronJob"

FIELDS: tuple[Field, ...] = (
    Field("metadata.name", "job NAME"),
    Field("metadata.namespace", "namespace"),
    Field("metadata.labels.<key>", "labels"),
    Field("metadata.annotations.<key>", "annotations"),
    Field("spec.schedulerName", "scheduler", "volcano is the default"),
    Field("spec.queue", "queue", "default is the default"),
    Field("spec.priorityClassName", "priority"),
    Field("spec.ttlSecondsAfterFinished", "ttl"),
    Field("spec.minAvailable", "gang", "1 is gang = false; any other than the sum of the tasks is gang_size"),
    Field("spec.maxRetry", "retries", "retries + 1; it counts starts"),
    Field("spec.minSuccess", "", "a patch"),
    Field("spec.networkTopology", "", "a patch"),
    Field("spec.runningEstimate", "", "left out: nothing in Volcano reads it"),
    Field("spec.plugins.<name>", "plugins", "an option of the target, where they are not env, svc and tensorflow"),
    Field("spec.plugins.tensorflow", "cluster { discovery }", "TF_CONFIG is the default of the language"),
    Field("spec.policies[].event", "on", "failed, evicted, pending, unknown, completed, restarted"),
    Field("spec.policies[].exitCode", "on exit", "a status after a policy for PodFailed never decides"),
    Field("spec.policies[].action", "on", "TerminateJob is fail job, RestartTask is restart role"),
    Field("spec.policies[].timeout", "after"),
    Field("spec.volumes[].volumeClaim", "mount claim"),
    Field("spec.volumes[].volumeClaimName", "mount pvc"),
    Field("spec.tasks[].name", "role", "the option task_names keeps a name on which addresses depend"),
    Field("spec.tasks[].replicas", "replicas", "a task with 0 is left out"),
    Field("spec.tasks[].minAvailable", "min_available"),
    Field("spec.tasks[].maxRetry", "on restarted N", "it is only looked at for TaskFailed"),
    Field("spec.tasks[].dependsOn.name", "after"),
    Field("spec.tasks[].dependsOn.iteration", "after_any", "an option of the target"),
    Field("spec.tasks[].policies", "on", "in the role"),
    Field("spec.tasks[].topologyPolicy", "", "a patch"),
    Field("spec.tasks[].partitionPolicy", "", "a patch"),
    Field("spec.tasks[].template.spec.restartPolicy", "on failed", "or the option restart_policy"),
    Field("status", "", "left out: it is the server's"),
    Field("spec.schedule", "", "left out: the job of the CronJob is read", _CRON),
    Field("spec.jobTemplate.spec", "job", form=_CRON),
)
