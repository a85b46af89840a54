"""Whether this machine lets a run mount anything, before one has begun."""

from __future__ import annotations

import os
import tempfile

from tfdsl.running.supervision import namespaces


def denial() -> str:
    """Why replicas cannot have mounts of their own here; empty if they can."""
    with tempfile.TemporaryDirectory(prefix="tfdsl-trial-") as folder:
        root = os.path.join(folder, "root")
        os.mkdir(root)
        return namespaces.permitted(root).denied
