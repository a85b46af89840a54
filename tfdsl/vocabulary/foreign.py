"""Words of other tools for what is written differently here, with what to write.

A word of another tool for one of our attributes, mounts, events … is an alias in its row (the other tables of this
package). This module has the words that no single name can replace. Case, ``-`` and ``_`` do not matter.

Sources: Kubernetes, Volcano, Kubeflow and YARN services by their APIs; Slurm's sbatch; TorchX's AppDef; Terraform,
Nomad and Bicep by their language references.
"""

from __future__ import annotations

from typing import Final

from tfdsl.record import Record

_RESTART = "write a policy: on failed => restart container"
_STAYS_ENDED = "leave it out: without a policy nothing that has ended starts again"
_POLICIES = "write policies one by one: on failed => restart container"
_MOUNT = 'write mounts: mount pvc "name" at "/data"'
_ROLES = "write roles: role worker { replicas = 4 }"
_NAME = "write the name after the word job: job NAME { … }"
_LIMITS = "write cpu, memory and gpu; cpu_limit and memory_limit are for higher limits"
_CONSTANT = "write let NAME = … or param NAME: int = … before the job"
_INCLUDE = 'write include "common.tfjob" before the job'
_KIND = "choose it with the target: compile with -t TARGET"
_FIXED = "a role has a fixed number of replicas: role worker { replicas = 4 }"
_PREPARE = 'write prepare NAME { command = ["…"] }: it runs before the command of each replica'
_SIDECAR = 'write sidecar NAME { image = "…" }: it runs beside the command of each replica'
_PEERS = "the target sets up how replicas find each other; set port for the port they listen on"
_EVICTED = "write a policy: on evicted => restart pod"
_FLOW = "write flow nightly { run fetch, run train after fetch }"
_NO_SCHEDULE = 'a schedule belongs to a flow: flow nightly { schedule = "0 2 * * *", run train }'
_OUTPUT = 'write output "/tmp/model" to "/runs/model"'
_IMAGE_BUILD = 'write build { from = "tensorflow/tensorflow:2.17.0", copy "train.py" to "/app/train.py" }'
_ZONE = 'write node_selector = { "topology.kubernetes.io/zone" = "…" }'
_RESOURCES = "set cpu, memory and gpu in the role"
DECLARATIONS = "the declarations are job, flow, param, let, template, profile, include and edition"
_NO_CODE = "a job is described, not programmed; the code goes in the image"
_CONDITION = "write a choice: replicas = distributed ? 4 : 1"
_FILES = 'write mounts: mount archive "hdfs:///code/train.tar.gz" at "."'

ATTRIBUTES = {
    "restartPolicy": _RESTART,
    "restart": _RESTART,
    "on_failure": _RESTART,
    "failurePolicy": _RESTART,
    "podFailurePolicy": "write policies by exit status: on exit 42 => fail job",
    "backoffLimitPerIndex": "retries counts restarts of the whole job; write on failed => restart pod for one replica",
    "policies": _POLICIES,
    "policy": _POLICIES,
    "lifecyclePolicies": _POLICIES,
    "successPolicy": "write a policy: on worker completed => complete job",
    "requeue": _EVICTED,
    "preemptible": _EVICTED,
    "spot": _EVICTED,
    "volume": _MOUNT,
    "volumes": _MOUNT,
    "volumeMount": _MOUNT,
    "volumeMounts": _MOUNT,
    "bind_mount": _MOUNT,
    "storage": _MOUNT,
    "input": _MOUNT,
    "inputs": _MOUNT,
    "mounts": 'write mounts one by one: mount pvc "name" at "/data"',
    "readonly": 'write readonly after the path of a mount: mount pvc "name" at "/data" readonly',
    "localize_files": _FILES,
    "jars": _FILES,
    "outputs": 'write outputs one by one: output "/tmp/model" to "/runs/model"',
    "output": _OUTPUT,
    "output_dir": _OUTPUT,
    "artifact": _OUTPUT,
    "artifacts": _OUTPUT,
    "tasks": _ROLES,
    "task": _ROLES,
    "group": _ROLES,
    "roles": _ROLES,
    "replicaSpecs": _ROLES,
    "tfReplicaSpecs": _ROLES,
    "components": _ROLES,
    "maxReplicas": _FIXED,
    "elasticPolicy": _FIXED,
    "enableDynamicWorker": "write dynamic_workers = true in the block of its target",
    "for_each": _FIXED,
    "completionMode": 'write "${task.index}" for the index of a replica',
    "name": _NAME,
    "job_name": _NAME,
    "app_name": _NAME,
    "application": _NAME,
    "application_name": _NAME,
    "container_name": _NAME,
    "generateName": _NAME,
    "kind": _KIND,
    "apiVersion": _KIND,
    "spec": _KIND,
    "metadata": "write namespace, labels and annotations; the name follows the word job",
    "runPolicy": "write retries, deadline, ttl, cleanup and suspend",
    "schedulingPolicy": "write queue, priority, gang and min_available",
    "plugins": "plugins are derived from the job and from the options of its target",
    **dict.fromkeys(("env_file", "env_files", "dotenv"), 'write env = env_file("prod.env")'),
    "tf_config": "write cluster { discovery = … }; the option tf_config goes in a target block",
    "requests": _LIMITS,
    "limits": _LIMITS,
    "limit": _LIMITS,
    "resource": _LIMITS,
    "resource_limits": _LIMITS,
    "resource_requests": _LIMITS,
    "named_resource": _LIMITS,
    "schedule": _NO_SCHEDULE,
    "cron": _NO_SCHEDULE,
    "podAffinity": 'write a patch in a target block: patch pod "spec.affinity" = { podAffinity = { … } }',
    "if": _CONDITION,
    "condition": _CONDITION,
    "nodeAffinity": 'write the labels that the node must have: node_selector = { zone = ["a", "b"] }',
    "region": _ZONE,
    "zone": _ZONE,
    "location": _ZONE,
    "datacenters": _ZONE,
    "container": "set image, command, env, … instead; the container is built from them",
    "containers": "set image, command, env, … instead; the container is built from them",
    "initContainers": _PREPARE,
    "initContainer": _PREPARE,
    "prepare": _PREPARE,
    "setup": _PREPARE,
    "pre_command": _PREPARE,
    "sidecar": _SIDECAR,
    "sidecars": _SIDECAR,
    "extraContainers": _SIDECAR,
    "service": _PEERS,
    "services": _PEERS,
    "expose": _PEERS,
    "hostname": _PEERS,
    "subdomain": _PEERS,
    "secret": 'write env = { TOKEN = secret("name", "key") } or mount secret "name" at "/secrets"',
    "secrets": 'write env = { TOKEN = secret("name", "key") } or mount secret "name" at "/secrets"',
    "variable": _CONSTANT,
    "var": _CONSTANT,
    "locals": _CONSTANT,
    "params": _CONSTANT,
    "parameters": _CONSTANT,
    "module": _INCLUDE,
    "import": _INCLUDE,
    "imports": _INCLUDE,
    "includes": _INCLUDE,
    "extends": "write use NAME, and template NAME { … } before the job",
    "templates": "write use NAME, and template NAME { … } before the job",
    "profiles": "write profile NAME { … } before the job",
    "jobs": "write them one by one: job NAME { … }",
    "targets": "write a block for each target: target NAME { … }",
    "dockerfile": _IMAGE_BUILD,
    "base_image": _IMAGE_BUILD,
    "tag": 'write the tag in the image: image = "registry.example.com/mnist:1.4"',
    "description": 'write annotations = { description = "…" }',
    "strategy": "the program chooses its tf.distribute strategy; a job has the roles that it runs on",
    "title": 'write annotations = { description = "…" }',
}
"""Words in a job, role, template or target for what is not an attribute here."""

BY_VALUE = {
    (word, value): help_
    for word in ("restartPolicy", "restart")
    for value, help_ in (
        *dict.fromkeys(("Never", "no", "none", "false"), _STAYS_ENDED).items(),
        *dict.fromkeys(
            ("Always", "unlessStopped"),
            "nothing starts again after it has completed; write a policy for failures: on failed => restart container",
        ).items(),
        ("ExitCode", ATTRIBUTES["podFailurePolicy"]),
    )
}
"""Words in a job with a value, where what to write depends on it; for other values :data:`ATTRIBUTES` holds."""

NO_NULL = "there is no null: leave the attribute out"
TRUTHS = {
    **dict.fromkeys(("yes", "on", "true", "enabled"), "true"),
    **dict.fromkeys(("no", "off", "false", "disabled"), "false"),
}
"""Words of other languages, in any case, for true and false."""

_MEMORY_ENDED = "a container that takes more memory than it may exits with 137: on exit 137 => restart pod"
_WAIVER = "write a comment on or above the line: # tfdsl: allow[SLUG] REASON"
ASKED = {
    **dict.fromkeys(("oom", "OOMKilled", "out_of_memory"), _MEMORY_ENDED),
    **dict.fromkeys(("null", "nil", "undefined"), NO_NULL),
    **dict.fromkeys(("waiver", "allow", "waive", "suppress"), _WAIVER),
    **{word: f"write {truth}" for word, truth in TRUTHS.items()},
    "kustomize": "compile -o FOLDER writes files for its resources: --kustomization lists them there",
}
"""Words that people ask about, with what to write."""

DEVICES = "write the number of devices: gpu = {number}; say which in node_selector or gpu_resource"
JOINED = "join lists, maps and texts with +: a + b"
IN_TEXT = 'write it into a text: "${value}"'
_NO_CLOCK = "a value that changes from run to run comes from outside: write a param and set it with --set"
_ENVIRONMENT = 'write "${env.NAME}", which the task reads when it runs'
NO_LOOP = "there are no loops; write the list out, or set it with --set"
_ELEMENT = "write x[0] or m.key for an element"
_CHOICE = "write a choice: condition ? a : b"

MAP_FUNCTIONS = ("dict", "map", "object", "hash")
"""Functions of other languages that make a map of named arguments."""

OPERATORS = {
    "in": 'compare the values: a == "x" || a == "y"',
    "is": "write == to compare two values",
    "**": "write the product: 2 * 2 * 2",
    "??": _CHOICE,
    "?:": _CHOICE,
    "if": _CHOICE,
    "lambda": "declare a let, and use its name",
    "new": "write the value alone",
    "await": "write the value alone",
}
"""Operators of other languages, and words before a value."""

FUNCTIONS = {
    **dict.fromkeys(("concat", "merge", "union", "append", "extend", "flatten"), JOINED),
    **dict.fromkeys(("tostring", "string", "str", "itoa", "text"), IN_TEXT),
    **dict.fromkeys(("tonumber", "int", "float", "parseint"), "declare the param as int or number"),
    **dict.fromkeys(("lookup", "element", "get", "first", "last", "index"), _ELEMENT),
    **dict.fromkeys(("timestamp", "now", "utcNow", "time", "date", "uuid", "guid", "newGuid", "random"), _NO_CLOCK),
    **dict.fromkeys(("env", "getenv", "environment", "readEnvironmentVariable"), _ENVIRONMENT),
    **dict.fromkeys(("range", "map", "filter", "for", "each"), NO_LOOP),
    **dict.fromkeys(("if", "coalesce", "default", "conditional", "ternary"), _CHOICE),
    "empty": "write len(value) == 0",
    "contains": 'compare the values: a == "x" || a == "y"',
    "list": "write [a, b]",
    "array": "write [a, b]",
    "createArray": "write [a, b]",
    "dict": "write { a = 1 }",
    "object": "write { a = 1 }",
    "createObject": "write { a = 1 }",
    **dict.fromkeys(("jsonencode", "yamlencode", "toJson", "toYaml"), "write the text itself, between ''' and '''"),
    "jsondecode": "write the value itself: { a = 1 }",
    "yamldecode": "write the value itself: { a = 1 }",
    "templatefile": 'use file("path") for a fixed text, or write ${name} in a """ text',
    "parameters": "write the name of the param alone",
    "variables": "write the name of the let alone",
    "var": "write the name of the param alone",
}
"""Functions of other languages that do not exist here."""

LOOPS = {"for", "foreach", "while", "dynamic"}
CONDITIONS = {"if", "else", "elif", "unless", "switch"}

BLOCKS = {
    **dict.fromkeys(LOOPS, "there are no loops; write replicas = 4 for four copies of a role, matrix for several jobs"),
    **dict.fromkeys(CONDITIONS, "there are no conditional blocks; write when after each item: gpu = 1 when prod"),
    **dict.fromkeys(
        ("strategy", "sweep", "grid", "parameters", "hyperparameters"),
        "for several jobs of one block, write matrix { lr = [0.1, 0.01] }",
    ),
    **dict.fromkeys(("limits", "requests", "resources"), _RESOURCES),
    **dict.fromkeys(("volume", "volumes", "volumeMounts"), 'write a mount: mount pvc "data" at "/data"'),
    **dict.fromkeys(("container", "containers"), "set image and command in the job or role"),
    **dict.fromkeys(("terraform", "provider", "resource", "data", "services"), DECLARATIONS),
    **dict.fromkeys(("workflow", "pipeline", "dag", "stage", "stages", "steps", "tasks"), _FLOW),
    **dict.fromkeys(("needs", "depends", "dependsOn", "dependencies"), "in a flow, write run train after fetch"),
    **dict.fromkeys(
        ("def", "class", "function", "return", "with", "async", "print", "try", "from", "assert", "pass"),
        _NO_CODE,
    ),
    **dict.fromkeys(("end", "endif", "endfor", "done", "fi"), "a block ends with }"),
    "type": "write the type after the name of a param: param workers: int = 4",
}
"""Words that begin a block or line in other languages, where :data:`ATTRIBUTES` has nothing or says something else."""

VALUES = {
    **dict.fromkeys(
        ("valueFrom", "secretKeyRef", "configMapKeyRef", "fieldRef"),
        'write secret("name", "key") for a key of a Secret, configmap("name", "key") or pod_field("metadata.name")',
    ),
    "value": "write the value alone",
    **dict.fromkeys(("limits", "requests"), _LIMITS),
}
"""Keys of maps of Kubernetes, where a plain value is wanted here."""

WORDS = {"forbid": "skip", "singleton": "skip", "enqueue": "skip"}
"""Words of other tools, in small letters, for words that an attribute can be."""

BY_NAME_ALONE = ("var", "local", "locals", "param", "params", "let", "input", "inputs", "values", "variables",
                 "parameters")  # fmt: skip
"""Where other languages keep params and constants: ``var.x`` is ``x`` here."""

MEMBERS = {
    **dict.fromkeys(("secret", "secrets"), 'write secret("name", "key")'),
    **dict.fromkeys(("configmap", "configmaps"), 'write configmap("name", "key")'),
    "each": NO_LOOP,
    "self": "write job.name, role.name or role.replicas",
    "this": "write job.name, role.name or role.replicas",
    "count": 'write "${task.index}"',
    "path": "write a path relative to this file",
    "terraform": "declare a param, and set it with --set or --profile",
    "module": 'write include "common.tfjob", and use the names in that file',
    "data": "declare a param, and set it with --set",
    "os": _ENVIRONMENT,
    "process": _ENVIRONMENT,
    "profile": "write the name of the param that the profile sets",
    "target": "write the value in a target block: target NAME { … }",
}
"""The word before the dot → what to write instead of such a member."""

MOUNTS = {
    **dict.fromkeys(
        ("s3", "gcs", "gs", "azureFile", "azureDisk", "blob", "csi", "cephfs", "ceph", "glusterfs", "lustre", "smb"),
        'write mount pvc "name" at "/data" for a claim on that storage, or let the program read it by its URI',
    ),
    **dict.fromkeys(
        ("projected", "downwardAPI", "ephemeral", "awsElasticBlockStore", "gcePersistentDisk", "iscsi", "fc"),
        'write a patch in a target block: patch pod "spec.volumes" += [ … ]',
    ),
    **dict.fromkeys(
        ("git", "gitRepo", "http", "https", "url"),
        'write mount archive "hdfs:///code/train.tar.gz" at "/code", or put the code in the image',
    ),
    "file": 'write mount configmap "name" at "/etc/app", or build { copy "train.py" to "/app/train.py" }',
}
"""Kinds of volumes that are not mount kinds."""


class PodField(Record):
    """A field. ``line``: a ``patch pod`` that sets it; ``instead``: attributes for the usual cases, if any."""

    name: str
    line: str
    instead: str = ""


def _pod(name: str, sign: str, value: str, instead: str = "") -> PodField:
    return PodField(name, f'patch pod "spec.{name}" {sign} {value}', instead)


def _container(name: str, sign: str, value: str, instead: str = "") -> PodField:
    return PodField(name, f'patch pod "spec.containers[0].{name}" {sign} {value}', instead)


_RESTRICTED: Final = "write restricted = true for pods that may do little"


def _pod_security(name: str, value: str, instead: str = "") -> PodField:
    return PodField(name, f'patch pod "spec.securityContext.{name}" = {value}', instead)


def _container_security(name: str, value: str, instead: str = "") -> PodField:
    return PodField(name, f'patch pod "spec.containers[0].securityContext.{name}" = {value}', instead)


_PROBE: Final = '{ exec = { command = ["/app/alive"] } }'
_PEER_TERMS: Final = '{ labelSelector = { matchLabels = { app = "db" } }, topologyKey = "kubernetes.io/hostname" }'

# Source: PodSpec, Container, PodSecurityContext and SecurityContext of the core/v1 API.

POD_FIELDS: Final = (
    # of the pod
    _pod(
        "affinity",
        "=",
        f"{{ podAffinity = {{ requiredDuringSchedulingIgnoredDuringExecution = [{_PEER_TERMS}] }} }}",
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
        "{ supplementalGroups = [4000] }",
        "write restricted, run_as_user, run_as_group, fs_group, privileged and capabilities",
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
    _pod_security("runAsNonRoot", "true", _RESTRICTED),
    _pod_security("seLinuxChangePolicy", '"MountOption"'),
    _pod_security("seLinuxOptions", '{ level = "s0:c123,c456" }'),
    _pod_security("seccompProfile", '{ type = "RuntimeDefault" }', _RESTRICTED),
    _pod_security("supplementalGroups", "[1000]"),
    _pod_security("supplementalGroupsPolicy", '"Merge"'),
    _pod_security("sysctls", '[{ name = "net.core.somaxconn", value = "1024" }]'),
    _container_security("allowPrivilegeEscalation", "false", _RESTRICTED),
    _container_security("procMount", '"Default"'),
    _container_security("readOnlyRootFilesystem", "true"),
)
"""In the order of the API, without fields that others are derived from (hostname, subdomain)."""

_ATTRIBUTES: Final = {word.lower().replace("_", "").replace("-", ""): help_ for word, help_ in ATTRIBUTES.items()}


def advice(word: str) -> str | None:
    """What to write for the statement that begins with the word ``word`` of another language."""
    field = find(word)
    help_ = BLOCKS.get(word) or _ATTRIBUTES.get(word.replace("_", "").replace("-", "").lower())
    if help_ is not None or field is None:
        return help_
    return field.instead or f"write a patch in a target block: {field.line}"


_BY_WORD: Final = {field.name.lower(): field for field in POD_FIELDS}


def find(word: str) -> PodField | None:
    """The field that ``word`` means, in any case and also as ``snake_case``."""
    return _BY_WORD.get(word.replace("_", "").replace("-", "").lower())
