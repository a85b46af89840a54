"""TFJ09xx: the command line, and reading and writing files."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

UNKNOWN_COMMAND = Rule("TFJ0901", "unknown-command", "error", "there is no command {name}")
UNKNOWN_FLAG = Rule("TFJ0902", "unknown-flag", "error", "there is no option {name}")
MISSING_ARGUMENT = Rule("TFJ0903", "missing-argument", "error", "{what}")
BAD_ARGUMENT = Rule("TFJ0904", "bad-argument", "error", "{what}")
UNREADABLE_FILE = Rule("TFJ0905", "unreadable-file", "error", "cannot read {path}: {reason}")
OUTPUT_NOT_WRITTEN = Rule(
    "TFJ0906", "output-not-written", "error", "cannot write {path}: {reason}; nothing was written"
)
OUTPUT_PLACE = Rule("TFJ0907", "output-place", "error", "{what}")
DOCKERFILE_LEFT_OUT = Rule(
    "TFJ0908", "dockerfile-left-out", "info", "the Dockerfile of job {job} is written only with -o FOLDER"
)
INTERNAL_ERROR = Rule("TFJ0909", "internal-error", "error", "{what}")
UNUSABLE_TARGET = Rule("TFJ0911", "unusable-target", "error", "{problem}")
NO_SUCH_TASK = Rule("TFJ0910", "no-such-task", "error", "job {job} has no task {name}")
NO_FILES = Rule("TFJ0912", "no-files", "warning", "there is no {what} in {path}")
LEFT_OVER = Rule("TFJ0913", "left-over-output", "warning", "{source} no longer generates {path}")
KUSTOMIZE_RENAMES = Rule(
    "TFJ0914", "kustomize-renames", "warning", "{target}: {field} renames job {job}, but not {what}"
)
