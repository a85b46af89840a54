"""What becomes of the fields of a JobSet, for the page about migration."""

from __future__ import annotations

from typing import Final

from tfdsl.reading import Field

_JOB: Final = "spec.replicatedJobs[].template.spec"

FIELDS: Final[tuple[Field, ...]] = (
    Field("metadata.name", "job NAME"),
    Field("metadata.generateName", "job NAME", "the server makes a name of it; tfdsl compile --name gives one"),
    Field("metadata.namespace", "namespace"),
    Field("metadata.labels.<key>", "labels"),
    Field("metadata.labels.kueue.x-k8s.io/queue-name", "queue"),
    Field("metadata.annotations.<key>", "annotations"),
    Field("metadata.annotations.alpha.jobset.sigs.k8s.io/exclusive-topology", "exclusive_topology", "in target jobset"),
    Field("spec.replicatedJobs[].name", "role", "job_names in target jobset keeps other names"),
    Field("spec.replicatedJobs[].replicas", "replicas", "times the completions of its Job: a role is one Job"),
    Field("spec.replicatedJobs[].dependsOn", "after", "status Ready; Complete is read as that"),
    Field("spec.replicatedJobs[].groupName", "", "a patch"),
    Field("spec.startupPolicy", "after", "InOrder: each after the one before it"),
    Field("spec.successPolicy", "on completed", "of one role, or the first of several; a patch for all of several"),
    Field("spec.failurePolicy.maxRestarts", "retries", "where the job restarts"),
    Field("spec.failurePolicy.restartStrategy", "", "BlockingRecreate; a patch for others"),
    Field("spec.failurePolicy.rules[]", "on failed, on exit, on evicted", "what they do, not how they are written"),
    Field("spec.network.enableDNSHostnames", "service", "in target jobset"),
    Field("spec.network.subdomain", "subdomain", "in target jobset"),
    Field("spec.network.publishNotReadyAddresses", "", "a patch for false"),
    Field("spec.coordinator", "coordinator", "in target jobset; a patch for another pod than the first"),
    Field("spec.suspend", "suspend"),
    Field("spec.ttlSecondsAfterFinished", "ttl"),
    Field("spec.managedBy", "", "a patch"),
    Field("spec.volumeClaimPolicies[].templates[]", "mount claim", "of those that are deleted; a patch for others"),
    Field(f"{_JOB}.completions, parallelism", "replicas"),
    Field(f"{_JOB}.completionMode", "", "Indexed"),
    Field(f"{_JOB}.backoffLimit", "retries", "retries + 1 under OnFailure"),
    Field(f"{_JOB}.backoffLimitPerIndex, maxFailedIndexes", "", "patches"),
    Field(f"{_JOB}.activeDeadlineSeconds", "deadline", "if all Jobs have it"),
    Field(f"{_JOB}.podFailurePolicy.rules[]", "on exit, on evicted", "what they do, not how they are written"),
    Field(f"{_JOB}.successPolicy.rules[].succeededIndexes", "on completed", "one index; a patch for several"),
    Field(f"{_JOB}.podReplacementPolicy", "", "a patch"),
    Field(f"{_JOB}.template.spec.restartPolicy", "on failed", "OnFailure, the default: restart container"),
    Field("status", "", "left out: it is the server's"),
)
