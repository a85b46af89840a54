"""What becomes of the fields of a pod template, for the page about migration."""

from __future__ import annotations

from typing import Final

from tfdsl.reading import Field

_C: Final = "spec.containers[]"

FIELDS: Final = (
    Field("metadata.labels.<key>", "labels", "of a role; without those that the target adds"),
    Field("metadata.annotations.<key>", "annotations", "of a role"),
    Field(f"{_C}.name", "", "not kept: it only labels"),
    Field(f"{_C}.image", "image"),
    Field(f"{_C}.imagePullPolicy", "image_pull_policy"),
    Field(f"{_C}.command, args", "command, args", "sh -c with a program of several lines is a text block"),
    Field(f"{_C}.workingDir", "workdir"),
    Field(f"{_C}.env[].value", "env", "$(NAME) is ${env.NAME}"),
    Field(f"{_C}.env[].valueFrom.secretKeyRef", "secret(name, key)"),
    Field(f"{_C}.env[].valueFrom.configMapKeyRef", "configmap(name, key)"),
    Field(f"{_C}.env[].valueFrom.fieldRef", "pod_field(…)"),
    Field(f"{_C}.env[].valueFrom.resourceFieldRef", "", "a patch"),
    Field(f"{_C}.envFrom[]", "env_from", "without prefix and optional"),
    Field(f"{_C}.ports[]", "port, ports", "port is the one called tfjob-port"),
    Field(f"{_C}.resources", "cpu, memory, cpu_limit, memory_limit", "the request, and the limit where it differs"),
    Field(f"{_C}.resources.limits.nvidia.com/gpu", "gpu", "other devices: gpu_resource, resources"),
    Field(f"{_C}.volumeMounts[].mountPath", "mount … at PATH", "/dev/shm in memory is shm"),
    Field(f"{_C}.volumeMounts[].readOnly", "readonly"),
    Field(f"{_C}.volumeMounts[].subPath", "sub_path"),
    Field(f"{_C}.securityContext.privileged", "privileged"),
    Field(f"{_C}.securityContext.capabilities.add", "capabilities"),
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
    Field("spec.serviceAccountName", "service_account"),
    Field("spec.securityContext", "run_as_user, run_as_group, fs_group"),
    Field("spec.terminationGracePeriodSeconds", "stop_grace"),
    Field("spec.priorityClassName", "priority"),
    Field("spec.schedulerName", "scheduler"),
    Field("spec.imagePullSecrets[]", "image_pull_secrets"),
    Field("spec.dnsPolicy", "", "with hostNetwork the option cluster_dns, else a patch"),
    Field("spec.dnsConfig, hostAliases, topologySpreadConstraints", "", "patches"),
)
