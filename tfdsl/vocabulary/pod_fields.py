"""Fields of Kubernetes' pods that have no attribute, and the patch that sets each: path, sign, example of a value.

Source: PodSpec, Container, PodSecurityContext and SecurityContext of the core/v1 API.
"""

from __future__ import annotations

from typing import Final

from tfdsl.record import Record


class PodField(Record):
    """A field. ``line``: a ``patch pod`` that sets it; ``instead``: attributes for the usual cases, if any."""

    name: str
    line: str
    instead: str = ""


def _pod(name: str, sign: str, value: str, instead: str = "") -> PodField:
    return PodField(name, f'patch pod "spec.{name}" {sign} {value}', instead)


def _container(name: str, sign: str, value: str, instead: str = "") -> PodField:
    return PodField(name, f'patch pod "spec.containers[0].{name}" {sign} {value}', instead)


def _pod_security(name: str, value: str) -> PodField:
    return PodField(name, f'patch pod "spec.securityContext.{name}" = {value}')


def _container_security(name: str, value: str) -> PodField:
    return PodField(name, f'patch pod "spec.containers[0].securityContext.{name}" = {value}')


_PROBE: Final = '{ exec = { command = ["/app/alive"] } }'
_PEERS: Final = '{ labelSelector = { matchLabels = { app = "db" } }, topologyKey = "kubernetes.io/hostname" }'

FIELDS: Final = (
    # of the pod
    _pod(
        "affinity",
        "=",
        f"{{ podAffinity = {{ requiredDuringSchedulingIgnoredDuringExecution = [{_PEERS}] }} }}",
        'write node_selector for labels that a node must have, spread = "node" for replicas on different nodes',
    ),
    _pod("automountServiceAccountToken", "=", "false"),
    _pod("dnsConfig", "=", '{ searches = ["corp.example.com"] }'),
    _pod("dnsPolicy", "=", '"Default"'),
    _pod("enableServiceLinks", "=", "false"),
    _pod("hostAliases", "+=", '[{ ip = "10.0.0.5", hostnames = ["db"] }]'),
    _pod("hostIPC", "=", "true"),
    _pod("hostPID", "=", "true"),
    _pod("hostUsers", "=", "false"),
    _pod("os", "=", '{ name = "linux" }'),
    PodField("overhead", 'patch pod "spec.runtimeClassName" = "kata"', "the server takes it from the runtime class"),
    _pod("preemptionPolicy", "=", '"Never"'),
    _pod("readinessGates", "+=", '[{ conditionType = "example.com/ready" }]'),
    _pod("resourceClaims", "+=", '[{ name = "gpu", resourceClaimTemplateName = "one-gpu" }]'),
    _pod("runtimeClassName", "=", '"nvidia"'),
    _pod("schedulingGates", "+=", '[{ name = "example.com/quota" }]'),
    _pod(
        "securityContext",
        "+=",
        "{ runAsNonRoot = true }",
        "write run_as_user, run_as_group, fs_group, privileged and capabilities",
    ),
    _pod("setHostnameAsFQDN", "=", "true"),
    _pod("shareProcessNamespace", "=", "true"),
    _pod(
        "topologySpreadConstraints",
        "+=",
        '[{ maxSkew = 1, topologyKey = "topology.kubernetes.io/zone", whenUnsatisfiable = "ScheduleAnyway" }]',
        'write spread = "node" for replicas on different nodes',
    ),
    # of its container
    _container("lifecycle", "=", '{ preStop = { exec = { command = ["/app/stop"] } } }'),
    _container("livenessProbe", "=", _PROBE),
    _container("readinessProbe", "=", _PROBE),
    _container("startupProbe", "=", _PROBE),
    _container("resizePolicy", "+=", '[{ resourceName = "cpu", restartPolicy = "NotRequired" }]'),
    PodField(
        "restartPolicyRules",
        'patch pod "spec.containers[0]" += { restartPolicy = "Never", restartPolicyRules = '
        '[{ action = "Restart", exitCodes = { operator = "In", values = [42] } }] }',
        "on exit 42 => restart container is a policy",
    ),
    _container("stdin", "=", "true"),
    _container("stdinOnce", "=", "true"),
    _container("terminationMessagePath", "=", '"/tmp/last-words"'),
    _container("terminationMessagePolicy", "=", '"FallbackToLogsOnError"'),
    _container("tty", "=", "true"),
    PodField(
        "volumeDevices",
        'patch pod "spec.volumes" += [{ name = "disk", persistentVolumeClaim = { claimName = "disk" } }], '
        'patch pod "spec.containers[0].volumeDevices" += [{ name = "disk", devicePath = "/dev/xvda" }]',
    ),
    # of the security context of the pod, and of the container
    _pod_security("appArmorProfile", '{ type = "RuntimeDefault" }'),
    _pod_security("fsGroupChangePolicy", '"OnRootMismatch"'),
    _pod_security("runAsNonRoot", "true"),
    _pod_security("seLinuxChangePolicy", '"MountOption"'),
    _pod_security("seLinuxOptions", '{ level = "s0:c123,c456" }'),
    _pod_security("seccompProfile", '{ type = "RuntimeDefault" }'),
    _pod_security("supplementalGroups", "[1000]"),
    _pod_security("supplementalGroupsPolicy", '"Merge"'),
    _pod_security("sysctls", '[{ name = "net.core.somaxconn", value = "1024" }]'),
    _container_security("allowPrivilegeEscalation", "false"),
    _container_security("procMount", '"Default"'),
    _container_security("readOnlyRootFilesystem", "true"),
)
"""In the order of the API, without fields that others are derived from (hostname, subdomain)."""

_BY_WORD: Final = {field.name.lower(): field for field in FIELDS}


def find(word: str) -> PodField | None:
    """The field that ``word`` means, in any case and also as ``snake_case``."""
    return _BY_WORD.get(word.replace("_", "").replace("-", "").lower())
