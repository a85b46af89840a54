"""TFJ18xx: jobs that come as data (JSON, or made in Python), which a text cannot get wrong in this way."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

NOT_A_JOB = Rule("TFJ1800", "not-a-job", "error", "{problem}")
CLAIM_NOT_IN_JOB = Rule("TFJ1801", "claim-not-in-job", "error", "the job has no claim {name}")
CLAIM_NOT_MOUNTED = Rule("TFJ1802", "claim-not-mounted", "error", "nothing mounts claim {name}")
