"""What becomes of the fields of Jobs, for the page about migration."""

from __future__ import annotations

from typing import Final

from tfdsl.reading import Field

_CRON: Final = "CronJob"
_TEMPLATE: Final = "simpletfjob's template"

FIELDS: Final[tuple[Field, ...]] = (
    Field("metadata.name", "job NAME", "NAME-ROLE, with hosts NAME-ROLE-INDEX; job_names keeps other names"),
    Field("metadata.generateName", "job NAME", "the server makes a name of it; tfdsl compile --name gives one"),
    Field("metadata.namespace", "namespace"),
    Field("metadata.labels.<key>", "labels"),
    Field("metadata.labels.kueue.x-k8s.io/queue-name", "queue"),
    Field("metadata.annotations.<key>", "annotations"),
    Field("spec.completions", "replicas"),
    Field("spec.parallelism", "replicas", "a patch where it is not completions"),
    Field("spec.completionMode", "", "Indexed; a patch for NonIndexed with several pods"),
    Field("spec.backoffLimit", "retries", "retries + 1 under OnFailure; its default is 6, that of retries 3"),
    Field("spec.backoffLimitPerIndex", "", "a patch"),
    Field("spec.maxFailedIndexes", "", "a patch"),
    Field("spec.activeDeadlineSeconds", "deadline"),
    Field("spec.ttlSecondsAfterFinished", "ttl"),
    Field("spec.suspend", "suspend"),
    Field("spec.podFailurePolicy.rules[].onExitCodes", "on exit", "In and NotIn with FailJob; a patch for others"),
    Field("spec.podFailurePolicy.rules[].onPodConditions", "on evicted", "of DisruptionTarget; a patch for others"),
    Field("spec.successPolicy.rules[].succeededIndexes", "on completed", "one index; a patch for several"),
    Field("spec.podReplacementPolicy", "", "a patch"),
    Field("spec.managedBy", "", "a patch"),
    Field("spec.selector", "", "left out: it is the server's, unless manualSelector is true"),
    Field("spec.template.spec.restartPolicy", "on failed", "OnFailure: restart container; Never: restart pod"),
    Field("spec.template.spec.nodeName", "hosts", "with hostNetwork, one Job for each replica"),
    Field("status", "", "left out: it is the server's"),
    Field("spec.schedule", "", "left out: a job runs once", _CRON),
    Field("spec.jobTemplate", "job", "", _CRON),
    Field("{{.host}}", "hosts", "a param", _TEMPLATE),
    Field("{{.type}}", "role", "ps and worker", _TEMPLATE),
    Field("{{.index}}", "task.index", "", _TEMPLATE),
    Field("{{.TF_CONFIG}}", "cluster", "what the language's discovery gives", _TEMPLATE),
)
