"""TFJ48xx: running a job on this machine."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

NOT_USED = Rule("TFJ4801", "run-not-used", "info", "run does not use {what}: {why}")
NO_COMMAND = Rule(
    "TFJ4802", "run-no-command", "error", "role {role} has no command, and run cannot start the entrypoint of an image"
)
PREPARE_NEEDS_IMAGE = Rule(
    "TFJ4803",
    "run-prepare-needs-image",
    "error",
    "prepare step {step} of role {role} has no command, and run cannot start the entrypoint of its image",
)
UNSET_VARIABLE = Rule("TFJ4804", "run-unset-variable", "error", "${{env.{name}}} is not set on this machine")
NO_VALUE = Rule("TFJ4805", "run-no-value", "error", "variable {name} has no value here: it is {value} on a cluster")
NO_WORKDIR = Rule("TFJ4806", "run-no-workdir", "error", "workdir {path} does not exist on this machine")
TOO_MANY = Rule("TFJ4807", "run-too-many", "error", "the job has {count} replicas; run starts at most {most}")
FEWER_DEVICES = Rule("TFJ4808", "run-fewer-devices", "warning", "the job wants {wanted} GPUs, but {has}: {short}")
SIDECAR_NOT_STARTED = Rule(
    "TFJ4809", "run-sidecar-not-started", "warning", "run does not start sidecar {step}: only its image knows how"
)
NO_TENSORFLOW = Rule("TFJ4811", "run-no-tensorflow", "warning", "role {role} needs {what}: {why}")
NOT_STARTED = Rule("TFJ4810", "run-not-started", "error", "cannot start the job: {reason}")
