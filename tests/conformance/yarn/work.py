"""The work folder: everything that a run writes lies in it."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Work:
    """The work folder."""

    folder: Path

    def sub(self, name: str) -> Path:
        """The folder ``name`` in it, made when it is not there."""
        path = self.folder / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def fresh(self, name: str) -> Path:
        """The folder ``name`` in it, empty."""
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return self.sub(name)

    @property
    def home(self) -> Path:
        """What ``HADOOP_HOME`` is: ``bin``, ``lib``, ``etc/hadoop`` and the jar of DistributedShell."""
        return self.sub("hadoop")

    @property
    def conf(self) -> Path:
        """The configuration of the cluster and its clients."""
        return self.sub("hadoop/etc/hadoop")

    @property
    def environment(self) -> dict[str, str]:
        """The environment of somebody at a machine with this Hadoop client."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith(("HADOOP", "TFJOB", "YARN"))},
            "PATH": f"{self.home}/bin:{os.environ['PATH']}",
            "HADOOP_HOME": str(self.home),
            "HADOOP_CONF_DIR": str(self.conf),
            "JAVA_HOME": str(java_home()),
        }


def java_home() -> Path:
    """The folder of the Java that is on the PATH, or that JAVA_HOME names."""
    named = os.environ.get("JAVA_HOME")
    if named:
        return Path(named)
    java = shutil.which("java")
    return Path(java).resolve().parent.parent if java else Path("/no/java")
