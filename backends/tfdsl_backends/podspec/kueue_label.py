"""The name of Kueue's label, apart from its checks: conditions of support tables load without the writers."""

from __future__ import annotations

from typing import Final

QUEUE_LABEL: Final = "kueue.x-k8s.io/queue-name"
"""On the job's own object (Kueue, "Run a Job")."""
