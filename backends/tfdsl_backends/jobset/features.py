"""What the versions of JobSet can do, as data.

Source: `api/jobset/v1alpha2` at each tag. All versions named here have `failurePolicy.rules`, `coordinator` (0.6) and
BlockingRecreate (0.7), and support only releases of Kubernetes whose nodes know sidecars.
"""

from __future__ import annotations

from typing import Final

VERSIONS: Final = ("0.8", "0.10", "0.11", "0.12")
"""Oldest first."""

MESSAGE_PATTERNS: Final = "0.10"
"""From here a rule of the failurePolicy can tell the rules of a Job apart (``onJobFailureMessagePatterns``)."""

SEVERAL_DEPENDENCIES: Final = "0.10"
"""From here a replicated Job can depend on several others; before 0.9 on one."""

CLAIM_TEMPLATES: Final = "0.11"
"""From here a JobSet makes claims that go with it (``volumeClaimPolicies``)."""
