"""Mounts, outputs, cluster, build and the settings of params: their kinds, sources and options.

Source: language reference, "Statements" and "File".
"""

from __future__ import annotations

from typing import Literal

from tfdsl.record import Record
from tfdsl.vocabulary.types import BOOL, STRING, STRINGS, ListType, MapType, StringType, Type, one_of


class Setting(Record):
    """One ``name = value`` of a block or of the braces after a statement.

    ``aliases``: what other tools call it; ``akin``: their words for something similar.
    """

    name: str
    type: Type | None
    doc: str
    aliases: tuple[str, ...] = ()
    akin: tuple[str, ...] = ()


class MountKind(Record):
    """One mount kind. ``source``: what is written before ``at``; ``optional``: it can be left out."""

    name: str
    source: Literal["name", "size", "path", "server", "uri"]
    source_doc: str
    doc: str
    options: tuple[Setting, ...] = ()
    optional: bool = False
    durable: bool = False
    aliases: tuple[str, ...] = ()
    akin: tuple[str, ...] = ()


SUB_PATH = Setting("sub_path", StringType(run_time=True, empty=False), "Folder inside the volume.",
                   ("subPath", "subpath", "sub_path_expr", "subPathExpr"))  # fmt: skip
ITEM_KEY = "[-._A-Za-z0-9]+"
ITEMS = Setting("items", MapType(StringType(empty=False), keys=ITEM_KEY), "Keys to show, each with its file name.")
MODE = Setting("mode", StringType(pattern="0?[0-7]{3}"), "Octal mode of the files.",
               ("defaultMode",), ("permissions",))  # fmt: skip
HOST_TYPES = ("Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice")
ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")

MOUNT_KINDS = (
    MountKind("pvc", "name", "claim name", "An existing PersistentVolumeClaim.", (SUB_PATH,), durable=True,
              aliases=("persistentVolumeClaim",), akin=("volume", "disk", "persistentVolume")),
    MountKind("claim", "size", "size, e.g. `100Gi`", "A new claim for this job.", (
        SUB_PATH,
        Setting("storage_class", StringType(empty=False), "StorageClass of the claim.",
                ("storageClassName", "storageClass")),
        Setting("access_modes", ListType(one_of(*ACCESS_MODES)), "Access modes of the claim.",
                ("accessModes", "access_mode")),
        Setting("keep", BOOL, "Keep the claim after the job is deleted."),
    ), aliases=("volumeClaim", "volume_claim", "volumeClaimTemplate")),
    MountKind("host", "path", "absolute path on the node", "A folder or file on the node.",
              (Setting("type", one_of(*HOST_TYPES), "The kind of file that must exist."),), durable=True,
              aliases=("hostPath", "host_path", "hostpath"), akin=("bind", "local", "folder", "directory", "dir")),
    MountKind("nfs", "server", '`"server:/path"`', "An NFS export.", durable=True),
    MountKind("configmap", "name", "ConfigMap name", "A ConfigMap as files.", (ITEMS, MODE),
              aliases=("configMap", "config_map"), akin=("config",)),
    MountKind("secret", "name", "Secret name", "A Secret as files.", (ITEMS, MODE)),
    MountKind("scratch", "size", "size (optional)", "Space on the node's disk, removed with the pod.", optional=True,
              aliases=("emptyDir", "emptydir", "empty_dir"), akin=("tmp", "temp")),
    MountKind("memory", "size", "size", "A tmpfs.", aliases=("tmpfs", "ramdisk"), akin=("shm",)),
    MountKind("hdfs", "uri", "URI", "A file or folder from HDFS, copied before the command starts.",
              aliases=("HDFS",)),
    MountKind("archive", "uri", "URI or file (.tar .tar.gz .tgz .zip)", "Unpacked before the command starts.",
              aliases=("tar", "zip", "tarball")),
)  # fmt: skip
MOUNTS_BY_NAME = {row.name: row for row in MOUNT_KINDS}
ARCHIVE_ENDINGS = (".tar", ".tar.gz", ".tgz", ".zip")

OUTPUT_OPTIONS = (Setting("overwrite", BOOL, "Overwrite existing files.", ("replace",), ("force", "clobber")),)
OUTPUT_WHEN = ("success", "failure", "always")

STEPS = {
    "prepare": "Runs before the command of each replica, one after the other in the order written.",
    "sidecar": "Runs beside the command of each replica and never decides anything.",
}
"""The kinds of steps: containers beside the one of the role."""

_IN_STEPS = ("image", "command", "args", "workdir", "env", "env_from", "cpu", "memory", "gpu")
STEP_ATTRIBUTES = {"prepare": _IN_STEPS, "sidecar": (*_IN_STEPS, "ports")}
"""The attributes that a step can have."""

CLUSTER = (
    Setting("discovery", one_of("tf_config", "flags", "both", "none"),
            "How tasks find each other: TF_CONFIG, the four TensorFlow flags, both, or not at all.",
            akin=("tf_config", "rendezvous")),
    Setting("protocol", one_of("grpc", "grpc+gdr", "grpc+mpi", "grpc+verbs"), "Protocol of the TensorFlow servers.",
            akin=("transport", "rpc")),
)  # fmt: skip

BUILD = (
    Setting("from", StringType(empty=False), "Base image.", ("FROM", "base", "base_image", "image")),
    Setting("workdir", StringType(empty=False), "Working folder of the image.", ("WORKDIR",)),
    Setting("entrypoint", STRINGS, "Entrypoint of the image, in exec form.", ("ENTRYPOINT", "cmd", "command")),
    Setting("hadoop", StringType(pattern=r"[0-9]+(\.[0-9]+)+"), "Adds the Hadoop client of this version."),
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
