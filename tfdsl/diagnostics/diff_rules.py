"""TFJ45xx: comparing two jobs."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

REVISION = Rule("TFJ4501", "diff-revision", "error", "cannot read {path} at revision {revision}: {reason}")
NO_JOB = Rule("TFJ4502", "diff-no-job", "error", "{path} has no job to compare: {reason}")
OTHER_TARGET = Rule("TFJ4503", "diff-other-target", "error", "{one} is for {target}, but {other} is not")
NOT_COMPARED = Rule(
    "TFJ4504", "diff-not-compared", "info", "{objects} of {one} {verb} not compared: {other} has only {main}"
)
