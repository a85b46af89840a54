"""What absence means, and which lists are sets, in pods and in the objects beside a job.

Sources: ``SetDefaults_*`` of Kubernetes 1.34 (``pkg/apis/core/v1/defaults.go``, ``apps/v1``, ``batch/v1``), what the
API's comments say about a field that is not set, and for sets its ``+listType`` and how kubelet and scheduler read the
list. A row is by the API's type, and holds wherever the type is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tfdsl.emit.located import Plain
from tfdsl_backends.podspec.fields import POD, absent

_MODE: Final = 0o644
_TOKEN_SECONDS: Final = 3600

WRITTEN: Final[Mapping[str, Mapping[str, Plain]]] = {
    "PodSpec": {
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "securityContext": {},
        "enableServiceLinks": True,
        **absent(POD),
    },
    "Container": {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"},
    "ContainerPort": {"protocol": "TCP"},
    "Probe": {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3},
    "HTTPGetAction": {"path": "/", "scheme": "HTTP"},
    "ObjectFieldSelector": {"apiVersion": "v1"},
    "ResourceFieldSelector": {"divisor": "0"},
    "SecretVolumeSource": {"defaultMode": _MODE},
    "ConfigMapVolumeSource": {"defaultMode": _MODE},
    "DownwardAPIVolumeSource": {"defaultMode": _MODE},
    "ProjectedVolumeSource": {"defaultMode": _MODE},
    "ServiceAccountTokenProjection": {"expirationSeconds": _TOKEN_SECONDS},
    "HostPathVolumeSource": {"type": ""},
    "AzureDiskVolumeSource": {"cachingMode": "ReadWrite", "kind": "Shared"},
    "PersistentVolumeClaimSpec": {"volumeMode": "Filesystem"},
    "ServiceSpec": {"type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"},
    "DeploymentSpec": {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600},
    "DeploymentStrategy": {"type": "RollingUpdate", "rollingUpdate": {}},
    "RollingUpdateDeployment": {"maxUnavailable": "25%", "maxSurge": "25%"},
}
"""Values that the server, or admission when the pod is made, writes where there are none."""

MEANT: Final[Mapping[str, Mapping[str, Plain]]] = {
    "PodSpec": {
        "affinity": {},
        "dnsConfig": {},
        "hostUsers": True,
        "shareProcessNamespace": False,
        "setHostnameAsFQDN": False,
    },
    "Affinity": {"nodeAffinity": {}, "podAffinity": {}, "podAntiAffinity": {}},
    "PodSecurityContext": {"runAsNonRoot": False, "fsGroupChangePolicy": "Always"},
    "Container": {"securityContext": {}, "lifecycle": {}},
    "SecurityContext": {
        "capabilities": {},
        "privileged": False,
        "readOnlyRootFilesystem": False,
        "allowPrivilegeEscalation": True,
        "procMount": "Default",
    },
    "VolumeMount": {"mountPropagation": "None", "recursiveReadOnly": "Disabled"},
    "Toleration": {"operator": "Equal"},
    "TopologySpreadConstraint": {"minDomains": 1, "nodeAffinityPolicy": "Honor", "nodeTaintsPolicy": "Ignore"},
    "ConfigMapKeySelector": {"optional": False},
    "SecretKeySelector": {"optional": False},
    "ConfigMapEnvSource": {"optional": False},
    "SecretEnvSource": {"optional": False},
    "ConfigMapVolumeSource": {"optional": False},
    "SecretVolumeSource": {"optional": False},
    "ConfigMapProjection": {"optional": False},
    "SecretProjection": {"optional": False},
    "GRPCAction": {"service": ""},
}
"""Values that say what no value says; the server stores what is written, and nobody acts on the difference."""

SETS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "ObjectMeta": {"finalizers": ()},
    "PodSpec": {
        "volumes": ("name",),
        "tolerations": ("key", "operator", "value", "effect"),
        "imagePullSecrets": ("name",),
        "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
        "readinessGates": ("conditionType",),
        "schedulingGates": ("name",),
        "resourceClaims": ("name",),
    },
    "PodSecurityContext": {"supplementalGroups": (), "sysctls": ("name",)},
    "Container": {
        "ports": ("containerPort", "protocol", "name"),
        "volumeMounts": ("mountPath", "name"),
        "volumeDevices": ("devicePath",),
        "resizePolicy": ("resourceName",),
    },
    "ResourceRequirements": {"claims": ("name", "request")},
    "Capabilities": {"add": (), "drop": ()},
    "ConfigMapVolumeSource": {"items": ("path", "key")},
    "SecretVolumeSource": {"items": ("path", "key")},
    "ConfigMapProjection": {"items": ("path", "key")},
    "SecretProjection": {"items": ("path", "key")},
    "DownwardAPIVolumeSource": {"items": ("path",)},
    "NodeSelector": {"nodeSelectorTerms": ()},
    "NodeSelectorTerm": {"matchExpressions": ("key", "operator"), "matchFields": ("key", "operator")},
    "NodeSelectorRequirement": {"values": ()},
    "NodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": ("weight",)},
    "PodAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": ("topologyKey",),
        "preferredDuringSchedulingIgnoredDuringExecution": ("weight",),
    },
    "PodAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": ("topologyKey",),
        "preferredDuringSchedulingIgnoredDuringExecution": ("weight",),
    },
    "PodAffinityTerm": {"namespaces": (), "matchLabelKeys": (), "mismatchLabelKeys": ()},
    "LabelSelector": {"matchExpressions": ("key", "operator")},
    "LabelSelectorRequirement": {"values": ()},
    "TopologySpreadConstraint": {"matchLabelKeys": ()},
    "PersistentVolumeClaimSpec": {"accessModes": ()},
}
"""Lists whose order means nothing, with the keys by which they are sorted. An item that is there twice counts once."""
