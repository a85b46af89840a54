"""What the versions of Kubernetes can do with Jobs, as data.

Source: Kubernetes feature gates (documentation, "Feature Gates") and `pkg/apis/batch` of each version. In all versions
named here: Indexed Jobs (1.24), suspend (1.24), ttlSecondsAfterFinished (1.23), podFailurePolicy (on by default 1.26).
"""

from __future__ import annotations

VERSIONS = ("1.27", "1.28", "1.29", "1.30", "1.31", "1.32", "1.33", "1.34")
"""Oldest first."""

HOST_IPS = "1.29"
"""From here variables can have ``status.hostIPs`` (PodHostIPs, on by default as beta)."""

SUCCESS_POLICY = "1.31"
"""From here ``successPolicy`` of an Indexed Job is on by default (JobSuccessPolicy, beta)."""

SIDECARS = "1.29"
"""From here an init container with ``restartPolicy: Always`` is a sidecar (SidecarContainers, beta)."""
