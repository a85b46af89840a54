"""Statements: mounts, outputs, steps, policies, cluster, build, patches, and the settings of params.

What a job in the IR has of all that, each field with its type and its meaning, is at the end (``BLOCKS``).

Source: language reference, "Statements" and "File".
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from tfdsl.record import Record, replace
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.types import (
    BOOL,
    MEMORY,
    RUN_TIME_STRING,
    RUN_TIME_WORD,
    STRING,
    STRING_MAP,
    STRINGS,
    TIME_LIMIT,
    WORD,
    IntType,
    ListType,
    MapType,
    StringType,
    Type,
    literals,
)

AccessMode: TypeAlias = Literal["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"]
HostType: TypeAlias = Literal[
    "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice"
]
OutputWhen: TypeAlias = Literal["success", "failure", "always"]
StepKind: TypeAlias = Literal["prepare", "sidecar"]
Discovery: TypeAlias = Literal["tf_config", "flags", "both", "none"]
Protocol: TypeAlias = Literal["grpc", "grpc+gdr", "grpc+mpi", "grpc+verbs"]
EventName: TypeAlias = Literal["completed", "failed", "exit", "evicted", "pending", "restarted", "unknown"]
ActionName: TypeAlias = Literal[
    "complete job",
    "fail job",
    "abort job",
    "restart container",
    "restart pod",
    "restart role",
    "restart job",
    "ignore",
]


class Setting(Record):
    """One ``name = value`` of a block or of the braces after a statement, or a field of the IR.

    ``type`` ``None``: that of a param's own type, or parts with fields of their own.

    ``aliases``: what other tools call it; ``akin``: their words for something similar.
    """

    name: str
    type: Type | None
    doc: str
    aliases: tuple[str, ...] = ()
    akin: tuple[str, ...] = ()


class MountKind(Record):
    """One mount kind. ``source``: what is written before ``at``; ``optional``: it can be left out.

    ``field``: what the IR calls the source.
    """

    name: str
    source: Literal["name", "size", "path", "server", "uri"]
    field: str
    source_doc: str
    doc: str
    options: tuple[Setting, ...] = ()
    optional: bool = False
    durable: bool = False
    aliases: tuple[str, ...] = ()
    akin: tuple[str, ...] = ()


SUB_PATH = Setting("sub_path", RUN_TIME_WORD, "Folder or file inside the volume.",
                   ("subPath", "subpath", "sub_path_expr", "subPathExpr"))  # fmt: skip
HOST_TYPES: tuple[str, ...] = get_args(HostType)
ACCESS_MODES: tuple[str, ...] = get_args(AccessMode)
ITEM_KEY = "[-._A-Za-z0-9]+"
ITEMS = Setting("items", MapType(WORD, keys=ITEM_KEY), "Keys to show, each with its file name.")
MODE = Setting(
    "mode",
    StringType(pattern="0?[0-7]{3}", form='three octal digits such as "0644"'),
    "Octal mode of the files.",
    ("defaultMode",),
    ("permissions",),
)

MOUNT_KINDS = (
    MountKind("pvc", "name", "claim", "claim name", "An existing PersistentVolumeClaim.", (SUB_PATH,), durable=True,
              aliases=("persistentVolumeClaim",), akin=("volume", "disk", "persistentVolume")),
    MountKind("claim", "size", "claim", "size, e.g. `100Gi`", "A new claim for this job.", (
        SUB_PATH,
        Setting("storage_class", WORD, "StorageClass of the claim.",
                ("storageClassName", "storageClass")),
        Setting("access_modes", ListType(literals(AccessMode)), "Access modes of the claim.",
                ("accessModes", "access_mode")),
        Setting("keep", BOOL, "Keep the claim after the job is deleted."),
    ), aliases=("volumeClaim", "volume_claim", "volumeClaimTemplate")),
    MountKind("host", "path", "source", "absolute path on the node", "A folder or file on the node.",
              (Setting("type", literals(HostType), "The kind of file that must exist."),), durable=True,
              aliases=("hostPath", "host_path", "hostpath"), akin=("bind", "local", "folder", "directory", "dir")),
    MountKind("nfs", "server", "share", '`"server:/path"`', "An NFS export.", durable=True),
    MountKind("configmap", "name", "name", "ConfigMap name", "A ConfigMap as files.", (SUB_PATH, ITEMS, MODE),
              aliases=("configMap", "config_map"), akin=("config",)),
    MountKind("secret", "name", "name", "Secret name", "A Secret as files.", (SUB_PATH, ITEMS, MODE)),
    MountKind("scratch", "size", "size", "size (optional)", "Space on the node's disk, removed with the pod.",
              optional=True, aliases=("emptyDir", "emptydir", "empty_dir"), akin=("tmp", "temp")),
    MountKind("memory", "size", "size", "size (optional)", "A tmpfs; without a size, up to the memory of the replica.",
              optional=True, aliases=("tmpfs", "ramdisk"), akin=("shm",)),
    MountKind("hdfs", "uri", "uri", "URI, or path of the default file system",
              "A file or folder from HDFS, copied before the command starts.",
              aliases=("HDFS",)),
    MountKind("archive", "uri", "source", "URI or file (.tar .tar.gz .tgz .zip)", "Unpacked before the command starts.",
              aliases=("tar", "zip", "tarball")),
)  # fmt: skip
SOURCE_TYPES: dict[str, Type] = {
    "name": RUN_TIME_WORD,
    "size": MEMORY,
    "path": RUN_TIME_WORD,
    "server": RUN_TIME_WORD,
    "uri": RUN_TIME_WORD,
}
"""The types of what is written before ``at``."""

MOUNTS_BY_NAME = {row.name: row for row in MOUNT_KINDS}
WITH_SUB_PATH = tuple(row.name for row in MOUNT_KINDS if SUB_PATH in row.options)
ARCHIVE_ENDINGS = (".tar", ".tar.gz", ".tgz", ".zip")

OUTPUT_OPTIONS = (Setting("overwrite", BOOL, "Overwrite existing files.", ("replace",), ("force", "clobber")),)
OUTPUT_WHEN: tuple[str, ...] = get_args(OutputWhen)

STEPS = {
    "prepare": "Runs before the command of each replica, one after the other in the order written.",
    "sidecar": "Runs beside the command of each replica and never decides anything.",
}
"""The kinds of steps: containers beside the one of the role."""

_IN_STEPS = ("image", "command", "args", "workdir", "env", "env_from", "cpu", "memory", "gpu")
STEP_ATTRIBUTES = {"prepare": _IN_STEPS, "sidecar": (*_IN_STEPS, "ports")}
"""The attributes that a step can have."""

CLUSTER = (
    Setting("discovery", literals(Discovery),
            "How tasks find each other: TF_CONFIG, the four TensorFlow flags, both, or not at all.",
            akin=("tf_config", "rendezvous")),
    Setting("protocol", literals(Protocol), "Protocol of the TensorFlow servers.",
            akin=("transport", "rpc")),
)  # fmt: skip

BUILD = (
    Setting("from", WORD, "Base image.", ("FROM", "base", "base_image", "image")),
    Setting("workdir", WORD, "Working folder of the image.", ("WORKDIR",)),
    Setting("entrypoint", STRINGS, "Entrypoint of the image, in exec form.", ("ENTRYPOINT", "cmd", "command")),
    Setting("hadoop", StringType(pattern=r"[0-9]+(\.[0-9]+)+", form='a version such as "3.4.1"'),
            "Adds the Hadoop client of this version."),
)  # fmt: skip

PARAM_SETTINGS = (
    Setting("description", STRING, "What the param is for.", ("desc", "doc", "help", "summary")),
    Setting("min", None, "Smallest value.", ("minimum", "at_least", "minValue")),
    Setting("max", None, "Largest value.", ("maximum", "at_most", "maxValue")),
    Setting(
        "one_of", None, "The only values.", ("enum", "choices", "allowed_values"), ("allowed", "values", "options")
    ),
    Setting(
        "pattern",
        STRING,
        "A regular expression for the whole text.",
        ("regex",),
        ("validation", "minLength", "maxLength"),
    ),
)

SETTINGS: dict[str, tuple[Setting, ...]] = {
    **{f"mount {kind.name}": kind.options for kind in MOUNT_KINDS},
    "output": OUTPUT_OPTIONS,
    "cluster": CLUSTER,
    "build": BUILD,
    "param": PARAM_SETTINGS,
}
"""What the braces of each statement can set."""

PARAM_TYPES = ("int", "number", "string", "bool", "quantity", "duration", "list", "map")
PATCHES = {
    "patch": (
        'patch [pod] "PATH" = VALUE [unchecked]',
        "Sets a field of the finished document that has no attribute; with += merges a map or appends to a list. With "
        "pod the path starts at the pod template of every role, or of the enclosing role.",
    ),
    "unpatch": ('unpatch [pod] "PATH"', "Removes a field of the finished document."),
}
"""How patches are written, and what they do."""

PATCH_WORDS = {
    "pod": "The path starts at the pod template.",
    "unchecked": "Allows fields that the schema does not know.",
}
"""The words that a patch can contain."""

WORDS = {
    "when": (
        "ITEM when CONDITION",
        "A condition at the end of an item, before its block and before the arrow of a policy. Where it is false, the "
        "item is absent. It can use params, lets and matrix values, but not what is known only when a task runs.",
    ),
    "unset": (
        'unset NAME, unset NAME["KEY"], unset mount PATH, unset output SOURCE to DESTINATION, unset on [ROLE] EVENT, '
        "unset prepare NAME or unset sidecar NAME",
        "Takes away what a lower layer gives, such as a template or the job; afterwards the default holds.",
    ),
    "matrix": (
        "matrix { AXIS = [VALUES], … }",
        "Makes one job of each combination of values; the last axis changes fastest. In the job, matrix.AXIS is its "
        "value and matrix.index its number, from 0. A name that uses neither gets -INDEX appended.",
    ),
}
"""The words of the grammar that are in no other table: how they are written, and what they mean."""

FLOW_RUN_VARIABLE = "TFDSL_FLOW_RUN"
"""The variable that stands for ``flow.run``; an engine that names its runs writes their names in its place."""

RESERVED_NAMES = ("job", "role", "roles", "task", "env", "matrix")
"""Reserved: no let, param or template can have these names, which are values inside a job."""

INDEX = "index"
"""The member of ``matrix`` that counts the combinations from 0; no axis can have this name."""

TRUTH = ("true", "false")
"""Reserved too: in an expression they are the two bools."""

RUN_TIME_MARKS = ("{task.index}", "{env}")
"""The endings of keys for run-time values inside a field (:mod:`tfdsl.ir.fields`)."""


class Action(Record):
    """One action. ``aliases``: words of the targets with the same meaning; ``akin``: words for something similar."""

    name: str
    doc: str
    aliases: tuple[str, ...] = ()
    akin: tuple[str, ...] = ()


class Event(Record):
    """One event. ``needs_role``: a subject is required; ``takes_subject``: one is allowed.

    ``aliases``: words of the targets with the same meaning; ``akin``: words for something similar.
    """

    name: str
    syntax: str
    doc: str
    actions: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    needs_role: bool = False
    takes_subject: bool = True
    takes_delay: bool = False
    needs_delay: bool = False
    akin: tuple[str, ...] = ()


ACTIONS = (
    Action("complete job", "The job ends and counts as succeeded.", ("CompleteJob", "complete", "succeed", "success")),
    Action(
        "fail job",
        "The job ends and counts as failed.",
        ("TerminateJob", "fail", "FailJob"),
        ("terminate", "kill job", "kill", "Never"),
    ),
    Action(
        "abort job",
        "The job stops and can be resumed.",
        ("AbortJob", "abort"),
        ("stop job", "stop", "suspend", "pause job"),
    ),
    Action(
        "restart container", "The container starts again in place.", (), ("OnFailure", "restart", "Always", "retry")
    ),
    Action(
        "restart pod",
        "The replica gets a new pod.",
        ("RestartPod", "recreate pod"),
        ("ExitCode", "delete pod", "restart replica", "restart task"),
    ),
    Action("restart role", "All replicas of the role start again.", ("RestartTask",), ("restart all replicas",)),
    Action(
        "restart job",
        "All replicas of the job start again.",
        ("RestartJob",),
        ("RestartJobSet", "restart all", "requeue", "resume job"),
    ),
    Action(
        "ignore",
        "The replica counts as ended and the job goes on.",
        ("Ignore",),
        ("none", "continue", "skip", "nothing"),
    ),
)

RESTARTS = ("restart container", "restart pod", "restart role", "restart job")
"""The actions that start something again."""
_ALL = tuple(action.name for action in ACTIONS)
_BUT_COMPLETE = tuple(name for name in _ALL if name != "complete job")

EVENTS = (
    Event(
        "completed",
        "completed",
        "Every replica of the role, or the one named, has exited 0.",
        ("complete job", "restart job"),
        ("TaskCompleted", "succeeded", "success", "done", "complete", "finished"),
        needs_role=True,
    ),
    Event(
        "failed",
        "failed",
        "A replica exited with a status other than 0 or was lost.",
        _BUT_COMPLETE,
        ("PodFailed", "TaskFailed", "failure", "fail", "error"),
        takes_delay=True,
        akin=("restartPolicy", "crashed", "any", "AnyEvent"),
    ),
    Event(
        "exit",
        "exit N, exit N..M or exit [N, M]",
        "A replica exited with that status (1–255).",
        _BUT_COMPLETE,
        ("exitCode", "exit_code", "ExitCode", "code"),
    ),
    Event(
        "evicted",
        "evicted",
        "A replica was evicted or preempted, its node was lost, or the cluster's time limit came.",
        _BUT_COMPLETE,
        ("PodEvicted", "preempted", "evict"),
        takes_delay=True,
        akin=("deleted", "DisruptionTarget", "node_lost", "killed"),
    ),
    Event(
        "pending",
        "pending after DURATION",
        "A replica has not started within that time.",
        ("fail job", "abort job", "restart pod", "restart job"),
        ("PodPending",),
        takes_delay=True,
        needs_delay=True,
        akin=("unschedulable", "timeout", "not_started"),
    ),
    Event(
        "restarted",
        "restarted N",
        "The containers of the role were restarted N times in total; goes with `restart container`.",
        ("fail job", "abort job", "restart job"),
        ("restarts",),
        akin=("backoffLimit", "maxRetry"),
    ),
    Event(
        "unknown",
        "unknown",
        "Part of the gang runs and part cannot be placed.",
        ("fail job", "abort job", "restart job", "ignore"),
        ("Unknown",),
        takes_subject=False,
        akin=("partial",),
    ),
)

ACTIONS_OF: dict[str, tuple[str, ...]] = {event.name: event.actions for event in EVENTS}
"""Event → its possible actions."""

POLICY_KEYS = tuple(
    key
    for event in EVENTS
    for key in (
        f"policies[{event.name}]",
        *(f"policies[{event.name}].{action}" for action in event.actions),
        *([f"policies[{event.name}].index"] if event.takes_subject else []),
        *([f"policies[{event.name}].delay"] if event.takes_delay else []),
    )
)
"""The keys of policies (:mod:`tfdsl.ir.fields`)."""


# --- the fields of a job in the IR -----------------------------------------------------------------------------

MOST_RESTARTS = 2**31 - 1
"""The most that ``restarted N`` can count."""

_INDEX = Setting("index", IntType(0), "The only replica that it is about; without it, every one.")
_AT = Setting("at", STRING, "Where it is in the container, without a / at the end.")
_READONLY = Setting("readonly", BOOL, "Mount it so that nothing can be written to it.")
_KIND = Setting("kind", None, "Which of the kinds it is.")
_REFERENCE = Setting("name", STRING, "Name of the object."), Setting("key", STRING, "Which of its keys.")

_MORE_OF_JOB = (
    Setting("name", STRING, "Name of the job."),
    Setting("roles", None, "The roles, in any order."),
    Setting("policies", None, "What happens on events; the defaults of the language follow the written ones."),
    Setting("claims", None, "The claims that are made for the job."),
    Setting("cluster", None, "How the tasks learn of each other."),
    Setting("build", None, "The Dockerfile of the job's image."),
)
_MORE_OF_ROLE = (
    Setting("name", literals(attributes.RoleName), "Which role it is."),
    Setting("mounts", None, "What is mounted into its containers."),
    Setting("outputs", None, "What is copied when the command has ended."),
    Setting("steps", None, "What runs before and beside the command."),
)
_STEP = (
    Setting("kind", literals(StepKind), "`prepare` runs before the command, `sidecar` beside it."),
    Setting("name", WORD, "Name of its container."),
)
_POLICY = (
    Setting("role", literals(attributes.RoleName), "The role that it is about; without it, the whole job."),
    _INDEX,
    Setting("event", literals(EventName), "When it decides."),
    Setting("codes", ListType(IntType()), "The exit statuses of `exit`."),
    Setting("count", IntType(1, MOST_RESTARTS), "How many restarts `restarted` waits for."),
    Setting("delay", TIME_LIMIT, "How long the event must have lasted."),
    Setting("action", literals(ActionName), "What happens."),
)
_OUTPUT = (
    Setting("source", RUN_TIME_WORD, "The file or folder in the container."),
    Setting("destination", RUN_TIME_WORD, "Where it is copied to."),
    Setting("when", literals(OutputWhen), "After which ends of the command."),
    _INDEX,
    *OUTPUT_OPTIONS,
)
_CLAIM = (
    Setting("name", STRING, "What its mounts call it; the claim is named JOB-NAME."),
    Setting("size", MEMORY, "How much it can hold."),
    *(option for option in MOUNTS_BY_NAME["claim"].options if option is not SUB_PATH),
)
_TOLERATION_DOCS = {
    "key": "Key of the taint; without it, every key.",
    "operator": "`Exists` for any value, `Equal` for the one named.",
    "value": "Value of the taint.",
    "effect": "Which effect is tolerated; without it, every one.",
    "toleration_seconds": "How long a running pod may stay.",
}


def _mount(kind: MountKind) -> tuple[Setting, ...]:
    source = Setting(kind.field, SOURCE_TYPES[kind.source], f"The {kind.source_doc.removesuffix(' (optional)')}.")
    if kind.name == "claim":
        source = Setting("claim", WORD, "Name of the claim among those of the job.")
    if kind.name == "nfs":
        server = Setting("server", WORD, "The server.")
        return _AT, _READONLY, _KIND, server, Setting("share", RUN_TIME_STRING, "The path that it exports.")
    options = (SUB_PATH,) if kind.name == "claim" else kind.options
    return _AT, _READONLY, _KIND, source, *options


Overlap: TypeAlias = Literal["skip", "allow", "replace"]
"""What happens to a run of a flow that is to start while an earlier one runs."""
After: TypeAlias = Literal["succeeded", "failed", "ended"]
"""With which end of the jobs before it a job of a flow starts."""
ENDINGS: tuple[str, ...] = get_args(After)

FLOW = (
    Setting("schedule", WORD, "When it runs: the five fields of cron, or `@hourly`, `@daily`, `@weekly`, `@monthly`.",
            ("cron", "schedules", "cron_schedule"), ("on", "every", "begin", "start")),
    Setting("time_zone", WORD, "The time zone of the schedule, as `Europe/Berlin`.", ("timeZone", "timezone", "tz")),
    Setting("overlap", literals(Overlap), "What happens when it is to start while an earlier run is not over.",
            ("concurrencyPolicy", "concurrency_policy"), ("concurrency",)),
    Setting("deadline", TIME_LIMIT, "How long a run may take.",
            ("activeDeadlineSeconds", "timeout", "time_limit"), ("startingDeadlineSeconds",)),
    Setting("namespace", WORD, "The namespace of the flow and of all its jobs."),
    Setting("common_labels", STRING_MAP, "Labels of every object of the flow and of its jobs.",
            ("commonLabels",), ("labels", "tags")),
    Setting("service_account", WORD, "The service account of the pods that the engine itself starts.",
            ("serviceAccountName", "serviceAccount")),
)  # fmt: skip
"""What a flow can set."""
SETTINGS["flow"] = FLOW

_FLOW_RUN = (
    Setting("job", WORD, "Name of the job that runs."),
    Setting("after", ListType(WORD), "The jobs that have to be over before."),
    Setting("ending", literals(After), "With which end of these it runs."),
)

Row: TypeAlias = Setting | attributes.Attribute

_FLOW = (Setting("name", STRING, "Name of the flow."), *FLOW, Setting("runs", None, "Which jobs run, and when."))

BLOCKS: dict[str, tuple[Row, ...]] = {
    "job": (*_MORE_OF_JOB, *(row for row in attributes.ATTRIBUTES if row.where in ("job", "each"))),
    "role": (*_MORE_OF_ROLE, *(row for row in attributes.ATTRIBUTES if row.in_role)),
    "step": (*_STEP, *(attributes.BY_NAME[name] for name in STEP_ATTRIBUTES["sidecar"])),
    "policy": _POLICY,
    "output": _OUTPUT,
    "claim": _CLAIM,
    "toleration": tuple(Setting(name, of, _TOLERATION_DOCS[name]) for name, of in attributes.TOLERATION.items()),
    "cluster": CLUSTER,
    "build": (
        *(row if row.name != "from" else replace(row, name="base") for row in BUILD),
        Setting("steps", None, "`copy` and `run`, in their order."),
    ),
    "copy": (
        _KIND,
        Setting("source", WORD, "What is copied, in the build context."),
        Setting("destination", WORD, "Where to."),
    ),
    "run": (_KIND, Setting("command", WORD, "The command that runs.")),
    **{f"mount {kind.name}": _mount(kind) for kind in MOUNT_KINDS},
    "flow": _FLOW,
    "flow whole": (*_FLOW, Setting("jobs", None, "Its jobs.")),
    "flow run": _FLOW_RUN,
    "task_index": (_KIND,),
    "env": (_KIND, Setting("name", WORD, "Name of the variable.")),
    "run_time": (_KIND, Setting("parts", None, "Its literal parts, and those that are known when the replica runs.")),
    "secret": (_KIND, *_REFERENCE),
    "configmap": (_KIND, *_REFERENCE),
    "pod_field": (_KIND, Setting("field", STRING, "Path of the field.")),
}
"""The fields of each model of the IR."""

_CALLED = {
    "output.source": "the source of an output",
    "output.destination": "the destination of an output",
    "policy.delay": "the time after an event",
    "policy.codes": "exit statuses",
    "copy.source": "the source of copy",
    "copy.destination": "the destination of copy",
    "run.command": "run",
    "mount.at": "the path of a mount",
}
"""What messages call a field, where that is not its name."""


def called(block: str, name: str) -> str:
    """What messages call a field."""
    family, _, kind = block.partition(" ")
    if family == "toleration":
        return f"{name} of a toleration"
    if kind in MOUNTS_BY_NAME and MOUNTS_BY_NAME[kind].field == name:
        return f"the source of {block}"
    return _CALLED.get(f"{family}.{name}", name)
