"""What becomes of the fields of a TFJob, for the page about migration."""

from __future__ import annotations

from typing import Final

from tfdsl.reading import Field

_OLD: Final = "v1alpha2 to v1beta2"
_OLDEST: Final = "v1alpha1"

FIELDS: tuple[Field, ...] = (
    Field("metadata.name", "job NAME"),
    Field("metadata.generateName", "job NAME", "the server makes a name of it; tfdsl compile --name gives one"),
    Field("metadata.namespace", "namespace"),
    Field("metadata.labels.<key>", "labels"),
    Field("metadata.labels.kueue.x-k8s.io/queue-name", "queue", "with kueue = true in target tfjob"),
    Field("metadata.annotations.<key>", "annotations"),
    Field("spec.tfReplicaSpecs.<role>", "role", "Chief, Master, PS, Worker, Evaluator in any case"),
    Field("spec.tfReplicaSpecs.<role>.replicas", "replicas", "a role with 0 is left out"),
    Field("spec.tfReplicaSpecs.<role>.restartPolicy", "on failed", "Never is the default of both"),
    Field("spec.runPolicy.cleanPodPolicy", "cleanup", 'None, the default of the operator, is cleanup = "none"'),
    Field("spec.runPolicy.ttlSecondsAfterFinished", "ttl"),
    Field("spec.runPolicy.activeDeadlineSeconds", "deadline"),
    Field("spec.runPolicy.backoffLimit", "retries", "retries + 1; without it, limit_restarts = false"),
    Field("spec.runPolicy.suspend", "suspend"),
    Field("spec.runPolicy.managedBy", "", "a patch"),
    Field("spec.runPolicy.schedulingPolicy.minAvailable", "gang", "and min_available, with gang_scheduler"),
    Field("spec.runPolicy.schedulingPolicy.queue", "queue"),
    Field("spec.runPolicy.schedulingPolicy.priorityClass", "priority", "together with that of the pods"),
    Field("spec.runPolicy.schedulingPolicy.minResources", "", "a patch"),
    Field("spec.runPolicy.schedulingPolicy.scheduleTimeoutSeconds", "", "a patch"),
    Field(
        "spec.successPolicy", "on completed", "AllWorkers is the language's default; worker 0 is said in target tfjob"
    ),
    Field("spec.enableDynamicWorker", "", "a patch"),
    Field("status", "", "left out: it is the server's"),
    Field("spec.cleanPodPolicy", "cleanup", "its default was Running", _OLD),
    Field("spec.ttlSecondsAfterFinished", "ttl", form=_OLD),
    Field("spec.activeDeadlineSeconds", "deadline", form=_OLD),
    Field("spec.backoffLimit", "retries", form=_OLD),
    Field("spec.replicaSpecs[].tfReplicaType", "role", "MASTER where nothing is said", _OLDEST),
    Field("spec.replicaSpecs[].replicas", "replicas", form=_OLDEST),
    Field("spec.replicaSpecs[].tfPort", "port", form=_OLDEST),
    Field("spec.replicaSpecs[].template.spec.restartPolicy", "on failed", form=_OLDEST),
    Field("spec.cleanupPodPolicy", "cleanup", "its default was All", _OLDEST),
    Field("spec.terminationPolicy.chief", "on completed", "the chief (master), else worker 0", _OLDEST),
    Field("spec.schedulerName", "scheduler", form=_OLDEST),
    Field("spec.tfImage", "", "left out: it was the image of parameter servers without a template", _OLDEST),
    Field("spec.tensorboard", "role tensorboard", "a Deployment and a Service beside the job", _OLDEST),
)
