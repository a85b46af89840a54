"""TFJ47xx: the faults that ``--inject`` plays."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

NO_FAULT = Rule("TFJ4701", "inject-event", "error", "{name} is not something that can be played")
FAULT_FORM = Rule("TFJ4702", "inject-form", "error", "{what}")
NO_SUCH_ROLE = Rule("TFJ4703", "inject-no-role", "error", "{job} has no role {name}")
NO_SUCH_REPLICA = Rule("TFJ4704", "inject-no-replica", "error", "role {role} of {job} has no replica {index}")
FAULT_STATUS = Rule("TFJ4705", "inject-status", "error", "an exit status must be a number from 0 to 255, not {status}")
FAULT_TIME = Rule("TFJ4706", "inject-time", "error", "{time} is not a time")
