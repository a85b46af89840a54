"""TFJ485x: the mounts, outputs and limits of a job that runs on this machine."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

MOUNT_DENIED = Rule("TFJ4850", "run-mount-denied", "error", "{path} cannot be mounted on this machine: {why}")
NO_OBJECT = Rule("TFJ4851", "run-no-object", "error", "this machine has no {kind} {name} to mount at {path}")
NO_SOURCE = Rule("TFJ4852", "run-no-source", "error", "{source} does not exist on this machine")
NO_KEY = Rule("TFJ4853", "run-no-key", "error", "{folder} has no file {key}, which {path} needs")
EMPTY_MOUNT = Rule(
    "TFJ4854",
    "run-empty-mount",
    "info",
    "{path} is an empty folder of this run: {why}; --mount {path}=DIR uses one of yours",
)
NOT_MOUNTED = Rule(
    "TFJ4855", "run-not-mounted", "info", "nothing is mounted at {paths}: tasks see this machine's folders"
)
NOT_COPIED = Rule(
    "TFJ4856", "run-not-copied", "warning", "run does not copy {source}: {destination} is not on this machine"
)
EXTRA_MOUNT = Rule("TFJ4857", "run-extra-mount", "info", "the job has no mount at {path}: every task gets this one")
MEMORY_UNLIMITED = Rule("TFJ4858", "run-memory-unlimited", "info", "the size of {path} is not limited here: {why}")
NOT_LIMITED = Rule("TFJ4859", "run-not-limited", "info", "run does not limit {what}: {why}")
HIDDEN_FOLDER = Rule(
    "TFJ4860", "run-hidden-folder", "error", "the mount at {path} hides the current folder, in which role {role} runs"
)
