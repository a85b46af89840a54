"""The roles of a job, and every attribute of jobs and roles: where it can be set, its type and its default.

Source: language reference, "Attributes".
"""

from __future__ import annotations

from collections.abc import Container
from typing import Literal, TypeAlias

from tfdsl.record import Record
from tfdsl.vocabulary.types import (
    BOOL,
    COUNT,
    CPU,
    DURATION,
    INT,
    MEMORY,
    NUMBER,
    RUN_TIME_STRING,
    RUN_TIME_WORD,
    STRING,
    STRING_MAP,
    TIME_LIMIT,
    WORD,
    IntType,
    KeysType,
    ListType,
    MapType,
    ReferenceType,
    StringType,
    Type,
    UnionType,
    literals,
)

Where = Literal["job", "role", "both", "each"]
RoleName: TypeAlias = Literal["chief", "master", "ps", "worker", "evaluator", "tensorboard"]
Cleanup: TypeAlias = Literal["running", "all", "none"]
PullPolicy: TypeAlias = Literal["Always", "IfNotPresent", "Never"]
Spread: TypeAlias = Literal["node", "none"]
TaintEffect: TypeAlias = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
TolerationOperator: TypeAlias = Literal["Exists", "Equal"]


class Attribute(Record):
    """One attribute.

    ``where``: ``job``; ``role``; ``both`` (the job's value is the default of every role); ``each`` (the job's value is
    for the job's own object, the role's for its pods; nothing is inherited). ``roles``: the only roles that can have
    it. ``default``: in the words of the reference. ``aliases``: what other tools call it, for suggestions; ``akin``:
    their words for something similar. ``ir``: the type in a job that is resolved, where it is another one.
    ``memory_at``: where it mounts memory of its size.
    """

    name: str
    where: Where
    type: Type
    default: str
    doc: str
    aliases: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    example: str = ""
    akin: tuple[str, ...] = ()
    ir: Type | None = None
    memory_at: str = ""

    @property
    def has_entries(self) -> bool:
        """Whether it is a map, of which layers set single entries."""
        return isinstance(self.type, MapType)

    @property
    def in_job(self) -> bool:
        """Whether it can be set in a job block."""
        return self.where != "role"

    @property
    def in_role(self) -> bool:
        """Whether it can be set in a role block."""
        return self.where != "job"


ENV_NAME = r"(?!\.\Z|\.\.)[-._A-Za-z][-._A-Za-z0-9]*"
"""Names of variables that Kubernetes accepts (core/v1, IsEnvVarName); targets with a shell accept fewer."""

SHELL_NAME = "[A-Za-z_][A-Za-z0-9_]*"
"""Names of variables that a POSIX shell can set and pass on."""

ENV = MapType(UnionType((RUN_TIME_STRING, NUMBER, BOOL, ReferenceType()), as_text=True), keys=ENV_NAME)
TEXT_OR_ARGV = UnionType((ListType(RUN_TIME_STRING), RUN_TIME_WORD))
TOLERATIONS = ListType(MapType(UnionType((STRING, IntType()))))

NoLimit: TypeAlias = Literal["none"]
NO_LIMIT: NoLimit = "none"
"""As a limit: the target sets none."""

MOST_REPLICAS = 100_000
"""More is a mistake: no target and no cluster spec can have that many."""
MOST_RETRIES = 2**31 - 2
"""The most that Kubernetes can count in 32 bits, less the first start, which some targets count too."""
DEFAULT_RETRIES = 3
"""Of a job in which a policy restarts anything."""
CAPABILITIES = (
    "ALL", "AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "CHOWN",
    "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE", "LINUX_IMMUTABLE",
    "MAC_ADMIN", "MAC_OVERRIDE", "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_RAW", "PERFMON",
    "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYSLOG", "SYS_ADMIN", "SYS_BOOT", "SYS_CHROOT", "SYS_MODULE", "SYS_NICE",
    "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "WAKE_ALARM",
)  # fmt: skip
"""What Linux has (capabilities(7), without the prefix ``CAP_``), and ``ALL``, as Kubernetes and docker call them."""

CAPABILITY = StringType(one_of=CAPABILITIES, called="Linux capability", prefix="CAP_")

HIGHEST_ID = 2**31 - 1
"""The highest number of a user or group in a pod (Kubernetes, IsValidUserID)."""

ATTRIBUTES = (
    Attribute("namespace", "job", WORD, "not written", "Kubernetes namespace of the job.", example='"ml"',
              akin=("project",)),
    Attribute("labels", "each", STRING_MAP, "none", "Labels of the job object (in a job) or of the pods (in a role).",
              example='{ team = "vision" }', akin=("tags", "meta")),
    Attribute("common_labels", "job", STRING_MAP, "none",
              "Labels of every object that the job makes: its own, pods, Services, claims.",
              ("commonLabels",), example='{ team = "vision" }', akin=("pod_labels", "template_labels")),
    Attribute("annotations", "each", STRING_MAP, "none",
              "Annotations of the job object (in a job) or of the pods (in a role).", example='{ owner = "ada" }'),
    Attribute("queue", "job", WORD, "the target's", "The queue in which the job waits for its resources.",
              ("queueName", "yarn_queue"), example='"research"', akin=("partition", "local_queue")),
    Attribute("priority", "job", UnionType((IntType(), WORD)), "none",
              "Which jobs go first: the name of a PriorityClass, or a number, as the target takes it.",
              ("priorityClassName", "priorityClass"), example='"high"', akin=("nice", "qos")),
    Attribute("scheduler", "job", WORD, "the target's", "Name of the scheduler that places the pods.",
              ("schedulerName", "scheduler_name"), example='"batch-scheduler"'),
    Attribute("gang", "job", BOOL, "true", "Start all `min_available` replicas together or none.",
              ("gang_scheduling", "gangScheduling"), example="false"),
    Attribute("retries", "job", IntType(0, MOST_RETRIES), f"{DEFAULT_RETRIES} if a policy restarts anything, else 0",
              "Restarts allowed over the life of the job; after them, the job fails.",
              ("backoffLimit", "maxRetry", "max_retries", "retry", "num_retries", "retry_count", "retry_limit"),
              example="2",
              akin=("restarts", "max_restarts", "restart_limit", "attempts", "max_attempts", "retry_policy",
                    "container_max_retries", "max_app_attempts", "backoff")),
    Attribute("deadline", "job", TIME_LIMIT, "none", "Longest run time of the job.",
              ("activeDeadlineSeconds", "time_limit", "walltime"), example="12h",
              akin=("time", "timeout", "max_time", "max_runtime", "max_duration")),
    Attribute("ttl", "job", DURATION, "never removed", "When a finished job is removed.",
              ("ttlSecondsAfterFinished", "ttl_seconds"), example="1d"),
    Attribute("cleanup", "job", literals(Cleanup), '"running"',
              "What happens to the other pods when the job finishes.",
              ("cleanPodPolicy", "cleanupPodPolicy"), example='"none"', akin=("cleanup_policy", "delete")),
    Attribute("suspend", "job", BOOL, "false", "Create the job without starting it.", example="true",
              akin=("paused", "hold")),
    Attribute("checkpoint", "job", RUN_TIME_WORD, "tensorboard's `logdir` if written",
              "Folder of checkpoints on storage that outlives a replica; set as `CHECKPOINT_DIR` in every role.",
              ("checkpoint_dir", "checkpoint_path", "ckp_dir"), example='"/runs/mnist"', akin=("model_dir",)),
    Attribute("image", "both", WORD, "required",
              "Container image; with `build`, the tag to build the Dockerfile as.",
              ("container_image", "docker_image", "image_uri", "image_url", "image_name"), akin=("docker",),
              example='"registry.example.com/mnist:1.4"'),
    Attribute("image_pull_policy", "both", literals(PullPolicy), "the cluster's",
              "When the node pulls the image.", ("imagePullPolicy", "pull_policy"), example='"IfNotPresent"'),
    Attribute("image_pull_secrets", "both", ListType(WORD), "[]", "Secrets with registry credentials.",
              ("imagePullSecrets", "pull_secrets"), example='["registry-key"]'),
    Attribute("command", "both", TEXT_OR_ARGV, "the image's entrypoint",
              "The command to run: a list in exec form, or one text for `/bin/sh -c`.",
              ("entrypoint", "shell_command", "launch_command"), example='["python", "train.py"]',
              akin=("cmd", "run", "exec", "script", "program", "main", "shell_script")),
    Attribute("args", "both", ListType(RUN_TIME_STRING), "[]", "Appended to the command.",
              ("arguments", "shell_args"), example='["--steps=5000"]'),
    Attribute("workdir", "both", RUN_TIME_WORD, "the image's",
              "Working folder of the command.", ("workingDir", "working_dir", "cwd", "work_dir"), example='"/app"'),
    Attribute("env", "both", ENV, "{}",
              "Environment variables: text, number, bool, `secret()`, `configmap()` or `pod_field()`.",
              ("environment", "envs", "env_vars", "shell_env"), example='{ MODE = "fast", EPOCHS = 5 }',
              akin=("variables",)),
    Attribute("env_from", "both", ListType(KeysType()), "[]",
              "Every key of a Secret or ConfigMap as a variable; `env` wins.",
              ("envFrom", "env_from_secret", "env_from_configmap", "environment_from"),
              example='[configmap("mnist-config"), secret("hub")]'),
    Attribute("cpu", "both", CPU, "none", "CPUs per replica, requested and the limit.",
              ("cpus", "vcores", "cores", "container_vcores", "num_cpus", "cpu_count", "cpu_cores", "cpu_request",
               "cpus_per_task", "ncpus"), example="4"),
    Attribute("memory", "both", MEMORY, "none", "Memory per replica, requested and the limit.",
              ("mem", "ram", "container_memory", "memory_request"), example="16Gi",
              akin=("memory_mb", "mem_mb", "mem_per_cpu", "mem_per_node")),
    Attribute("cpu_limit", "both", UnionType((CPU, literals(NoLimit))), "= cpu",
              'A higher CPU limit, or `"none"` for no limit.', ("cpuLimit", "cpu_limits"), example="8"),
    Attribute("memory_limit", "both", UnionType((MEMORY, literals(NoLimit))), "= memory",
              'A higher memory limit, or `"none"` for no limit.',
              ("memoryLimit", "memory_limits", "mem_limit"), example="20Gi"),
    Attribute("gpu", "both", IntType(0, devices=True), "0", "Whole devices per replica.",
              ("gpus", "num_gpus", "gpu_count", "nvidia.com/gpu", "nvidia_gpu", "gpu_num", "ngpus", "gpus_per_task"),
              example="1", akin=("nvidia", "accelerator", "accelerators", "gres", "gpus_per_node", "nproc_per_node")),
    Attribute("gpu_resource", "both", WORD, "the target's: nvidia.com/gpu or yarn.io/gpu",
              "Name of the device resource.", ("gpuResource",), example='"amd.com/gpu"',
              akin=("gpu_type", "accelerator_type")),
    Attribute("gpu_memory", "both", MEMORY, "none", "A share of a device by its memory, on targets that have it.",
              ("gpuMemory", "vgpu_memory"), example="8Gi", akin=("vgpu",)),
    Attribute("resources", "both", MapType(COUNT), "{}", "Extended resources.",
              ("container_resources", "extended_resources"), example='{ "rdma/hca" = 1 }'),
    Attribute("shm", "both", MEMORY, "the runtime's", "Size of /dev/shm; counts as a mount there.",
              ("shm_size", "shmSize", "shared_memory"), example="8Gi", memory_at="/dev/shm"),
    Attribute("tmp_size", "both", MEMORY, "/tmp is the image's", "Size of a /tmp in memory; counts as a mount there.",
              ("tmpSize", "tmpfs_size"), example="8Gi", akin=("tmp", "tmpdir"), memory_at="/tmp"),
    Attribute("port", "both", IntType(1, 65535), "2222; tensorboard 6006", "Port of the TensorFlow server.",
              ("containerPort", "container_port", "tfPort"), example="2222"),
    Attribute("ports", "both", MapType(IntType(1, 65535)), "{}", "Further ports of the container, by name.",
              ("containerPorts", "named_ports", "extra_ports"), example="{ metrics = 9090 }", akin=("expose_ports",)),
    Attribute("host_network", "both", BOOL, "false", "Use the node's network.", ("hostNetwork",), example="true",
              akin=("network", "network_mode")),
    Attribute("service_account", "both", StringType(empty=False, names="ServiceAccount"), "the namespace's",
              "ServiceAccount of the pods.", ("serviceAccountName", "serviceAccount", "service_account_name"),
              example='"trainer"'),
    Attribute("run_as_user", "both", IntType(0, HIGHEST_ID), "the image's", "Number of the user that runs the command.",
              ("runAsUser", "uid", "user_id"), example="1000", akin=("user", "username")),
    Attribute("run_as_group", "both", IntType(0, HIGHEST_ID), "the image's",
              "Number of the group that runs the command.", ("runAsGroup", "gid", "group_id"), example="1000"),
    Attribute("fs_group", "both", IntType(0, HIGHEST_ID), "none",
              "Number of the group that owns mounted volumes and that the command belongs to.", ("fsGroup",),
              example="2000"),
    Attribute("privileged", "both", BOOL, "false",
              "Give the command all rights of root on its node.", ("run_privileged_container",), example="true"),
    Attribute("capabilities", "both", ListType(CAPABILITY), "[]",
              "Linux capabilities that the command gets beside the usual ones.", ("cap_add", "capabilities_add"),
              example='["IPC_LOCK"]'),
    Attribute("restricted", "both", BOOL, "false",
              "Run all processes by the Pod Security Standard `restricted`: not as root, without capabilities.",
              example="true", akin=("pod_security", "cap_drop", "no_new_privileges")),
    Attribute("stop_grace", "both", DURATION, "the target's",
              "How long a command that is asked to stop (SIGTERM) has before it is killed (SIGKILL).",
              ("terminationGracePeriodSeconds", "termination_grace_period", "grace_period", "stop_grace_period",
               "kill_timeout"),
              example="2m", akin=("grace", "preStop")),
    Attribute("node_selector", "both", MapType(UnionType((STRING, ListType(STRING)))), "{}",
              "Labels that the node must have; of a list, any of the values.",
              ("nodeSelector",), example='{ accelerator = "a100" }', akin=("constraint", "constraints")),
    Attribute("node_label", "both", WORD, "none", "Which nodes, by a node label expression of Hadoop.",
              ("nodeLabel", "node_label_expression", "label_expression", "nodeLabelExpression"), example='"gpu"'),
    Attribute("tolerations", "both", TOLERATIONS, "[]", "Taints that the pods tolerate, keys in snake_case.",
              ("toleration",), example='[{ key = "nvidia.com/gpu", operator = "Exists" }]', akin=("taints",)),
    Attribute("spread", "both", literals(Spread), '"none"', "Place the replicas of the role on different nodes.",
              example='"node"',
              akin=("podAntiAffinity", "anti_affinity", "placement_policy", "topology")),
    Attribute("replicas", "role", IntType(0, MOST_REPLICAS), "1", "The number of replicas.",
              ("instances", "num_containers", "num_replicas", "replica_count", "instance_count"), example="4",
              akin=("count", "num_workers", "num_ps", "num_trainers", "parallelism", "completions", "nodes",
                    "num_nodes", "nnodes", "ntasks", "scale"),
              ir=IntType(1, MOST_REPLICAS)),  # resolving leaves out a role of 0 replicas
    Attribute("min_available", "role", IntType(0, MOST_REPLICAS), "replicas",
              "Replicas that must be schedulable before any of them starts.",
              ("minAvailable", "min_avail"), example="2", akin=("minMember", "min_replicas")),
    Attribute("after", "role", ListType(STRING), "[]", "Start only after these roles are running.",
              ("dependsOn",), example='["ps"]', akin=("dependencies", "needs", "requires", "wait_for"),
              ir=ListType(literals(RoleName))),  # a text may name any role, and is told if the job has none
    Attribute("server", "role", BOOL, "false",
              "Run a plain TensorFlow server from TF_CONFIG instead of the command (in-graph replication).",
              roles=("ps", "worker"), example="true"),
    Attribute("logdir", "role", RUN_TIME_WORD, "`checkpoint`, else required",
              "Folder that TensorBoard shows.",
              ("log_dir", "logDir"), ("tensorboard",), '"/runs/logs"', ("logs",)),
)  # fmt: skip

BY_NAME: dict[str, Attribute] = {row.name: row for row in ATTRIBUTES}
MAPS = frozenset(row.name for row in ATTRIBUTES if isinstance(row.type, MapType))


def _has_run_time(type_: Type) -> bool:
    members = type_.of if isinstance(type_, UnionType) else ()
    inner = type_.of if isinstance(type_, ListType | MapType) else None
    if isinstance(type_, StringType):
        return type_.run_time
    return any(map(_has_run_time, members)) or (inner is not None and _has_run_time(inner))


WITH_RUN_TIME = tuple(row.name for row in ATTRIBUTES if _has_run_time(row.type))
"""The attributes whose texts can have ``${task.index}`` and ``${env.NAME}``, which only a task knows."""

IN_MEMORY: dict[str, str] = {row.name: row.memory_at for row in ATTRIBUTES if row.memory_at}
"""Attribute → the path at which it mounts memory; it counts as a mount there."""
IN_MEMORY_AT: dict[str, str] = {path: name for name, path in IN_MEMORY.items()}

TENSORBOARD_INHERITS = (
    "image",
    "image_pull_policy",
    "image_pull_secrets",
    "env",
    "env_from",
    "node_selector",
    "node_label",
    "tolerations",
    "service_account",
    "run_as_user",
    "run_as_group",
    "fs_group",
    "restricted",
)
"""The job's values that tensorboard inherits (with the mounts); all others are for the training roles."""

PROGRAM = (
    "image",
    "image_pull_policy",
    "image_pull_secrets",
    "command",
    "args",
    "workdir",
    "env",
    "env_from",
    "service_account",
    "host_network",
)
"""What says which program runs and as whom, not what it needs: ``import`` writes it in the job of a single role."""

TOLERATION: dict[str, Type] = {
    "key": STRING,
    "operator": literals(TolerationOperator),
    "value": STRING,
    "effect": literals(TaintEffect),
    "toleration_seconds": INT,
}
"""What a toleration has, with its types."""


class RoleRow(Record):
    """One role. ``single``: at most one replica. ``trains``: a job needs one of these.

    ``aliases``: other spellings; ``akin``: words of other tools for something similar.
    """

    name: str
    doc: str
    single: bool = False
    trains: bool = False
    aliases: tuple[str, ...] = ()
    akin: tuple[str, ...] = ()


ROLES = (
    RoleRow("chief", "Coordinates training and saves checkpoints; the job is complete when the chief is.", True, True,
            ("Chief", "chiefworker", "chief_worker"), ("coordinator", "launcher", "leader", "head")),
    RoleRow("master", "TensorFlow 1's word for chief.", True, True, ("Master", "MASTER")),
    RoleRow("ps", "Parameter server: stores variables, never decides whether the job succeeds.", aliases=(
        "PS", "Ps", "parameter_server", "parameter_servers"), akin=("server",)),
    RoleRow("worker", "Trains.", trains=True, aliases=("Worker", "WORKER", "workers"),
            akin=("trainer", "trainers", "node", "slave", "executor", "replica")),
    RoleRow("evaluator", "Evaluates checkpoints; not part of the cluster spec.", True, aliases=("Evaluator", "eval")),
    RoleRow("tensorboard", "Shows a log folder; never ends the job.", True,
            aliases=("TensorBoard", "Tensorboard", "tb")),
)  # fmt: skip
"""In the order in which every target writes them."""

ROLE_NAMES = tuple(row.name for row in ROLES)
ROLES_BY_NAME = {row.name: row for row in ROLES}
BOARD = "tensorboard"
"""The role that trains nothing: it decides nothing, and policies without ROLE do not cover it."""
TRAINERS = tuple(row.name for row in ROLES if row.trains)
"""The roles that run the training; the first that a job has completes it."""
LEADERS = tuple(row.name for row in ROLES if row.trains and row.single)
"""The roles that coordinate the training."""


def decider(roles: Container[str]) -> str | None:
    """Which of ``roles`` completes the job unless a policy says so."""
    return next((name for name in TRAINERS if name in roles), None)
