"""What becomes of the fields of a pod template, for the page about migration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tfdsl.backend.reading import Field
from tfdsl.grouping import grouped
from tfdsl.vocabulary.attributes import IN_MEMORY
from tfdsl_backends.podspec import fields as pods
from tfdsl_backends.podspec.fields import IMAGE, POD, WORKDIR
from tfdsl_backends.podspec.options import QUEUE_LABEL

_C: Final = "spec.containers[]"


def plain(fields: Iterable[pods.Field], place: str) -> Iterator[Field]:
    """The rows of fields below ``place``, those of one map in one row."""
    words = grouped((f"{place}.{field.path.partition('.')[0]}", field.name) for field in fields)
    return (Field(path, ", ".join(names)) for path, names in words.items())


def metadata_fields(name: str = "", queue: str = "") -> tuple[Field, ...]:
    """The rows of the object that is a job, with notes for its name and its queue."""
    return (
        Field("metadata.name", "job NAME", name),
        Field("metadata.generateName", "job NAME", "the server makes a name of it; tfdsl compile --name gives one"),
        Field("metadata.namespace", "namespace"),
        Field("metadata.labels.<key>", "labels"),
        Field(f"metadata.labels.{QUEUE_LABEL}", "queue", queue),
        Field("metadata.annotations.<key>", "annotations"),
    )


_IN_MEMORY: Final = ", ".join(f"{path} in memory is {name}" for name, path in IN_MEMORY.items())

FIELDS: Final = (
    Field("metadata.labels.<key>", "labels", "of a role; without those that the target adds"),
    Field("metadata.annotations.<key>", "annotations", "of a role"),
    Field(f"{_C}.name", "", "not kept: it only labels"),
    *plain(IMAGE, _C),
    Field(f"{_C}.command, args", "command, args", "sh -c with a program of several lines is a text block"),
    *plain((WORKDIR,), _C),
    Field(f"{_C}.env[].value", "env", "$(NAME) is ${env.NAME}"),
    Field(f"{_C}.env[].valueFrom.secretKeyRef", "secret(name, key)"),
    Field(f"{_C}.env[].valueFrom.configMapKeyRef", "configmap(name, key)"),
    Field(f"{_C}.env[].valueFrom.fieldRef", "pod_field(…)"),
    Field(f"{_C}.env[].valueFrom.resourceFieldRef", "", "a patch"),
    Field(f"{_C}.envFrom[]", "env_from", "without prefix and optional"),
    Field(f"{_C}.ports[]", "port, ports", "port is the one called tfjob-port"),
    Field(f"{_C}.resources", "cpu, memory, cpu_limit, memory_limit", "the request, and the limit where it differs"),
    Field(f"{_C}.resources.limits.nvidia.com/gpu", "gpu", "other devices: gpu_resource, resources"),
    Field(
        f"{_C}.volumeMounts[].mountPath",
        "mount … at PATH",
        _IN_MEMORY,
    ),
    Field(f"{_C}.volumeMounts[].readOnly", "readonly"),
    Field(f"{_C}.volumeMounts[].subPath", "sub_path"),
    Field(f"{_C}.securityContext.privileged", "privileged"),
    Field(f"{_C}.securityContext.capabilities.add", "capabilities"),
    Field(
        f"{_C}.securityContext.capabilities.drop, allowPrivilegeEscalation",
        "restricted",
        "with runAsNonRoot and seccompProfile; a patch for some of the four",
    ),
    Field(f"{_C}.livenessProbe, readinessProbe, lifecycle", "", "patches"),
    Field("spec.volumes[].persistentVolumeClaim", "mount pvc"),
    Field("spec.volumes[].hostPath", "mount host"),
    Field("spec.volumes[].nfs", "mount nfs"),
    Field("spec.volumes[].configMap, secret", "mount configmap, mount secret", "optional is a patch"),
    Field("spec.volumes[].emptyDir", "mount scratch, mount memory"),
    Field("spec.volumes[].<other>", "", "a patch"),
    Field("spec.initContainers[]", "prepare", "with restartPolicy Always: sidecar"),
    Field("spec.nodeSelector", "node_selector"),
    Field("spec.tolerations[]", "tolerations"),
    Field("spec.affinity", "spread, node_selector", "required rules of these forms; a patch for all else"),
    Field("spec.hostNetwork", "host_network"),
    *plain(POD, "spec"),
    Field("spec.priorityClassName", "priority"),
    Field("spec.schedulerName", "scheduler"),
    Field("spec.imagePullSecrets[]", "image_pull_secrets"),
    Field("spec.dnsPolicy", "", "with hostNetwork the option cluster_dns, else a patch"),
    Field("spec.dnsConfig, hostAliases, topologySpreadConstraints", "", "patches"),
)
