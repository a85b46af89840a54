"""Whether this machine lets a run mount anything, before one has begun."""

from __future__ import annotations

from functools import cache

from tfdsl.running.supervision import namespaces


@cache
def denial() -> str:
    """Why replicas cannot have mounts of their own here; empty if they can."""
    return namespaces.permitted("/dev").denied
