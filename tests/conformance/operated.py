"""Jobs on a real cluster, as ``tfdsl status`` sees them."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.unit.cli.shell import Ran


class OnCluster(ABC):
    """Commands that speak with one cluster. ``patience``: seconds in which a job is expected to get on."""

    patience = 60.0

    @abstractmethod
    def run(self, *words: str) -> Ran:
        """A command line of ``tfdsl``."""

    def status(self, *words: str) -> dict[str, Any]:
        """What ``tfdsl status`` says of the one job."""
        ran = self.run("status", *words, "--format", "json")
        assert ran.status == 0, ran.err
        (job,) = json.loads(ran.out)["jobs"]
        return dict(job)

    def until_there(self, *words: str) -> dict[str, Any]:
        """The same, when there is a job."""
        end = time.monotonic() + self.patience
        while (ran := self.run("status", *words)).status:
            assert time.monotonic() < end, f"no job after {self.patience} s: {ran.out}{ran.err}"
            time.sleep(0.2)
        return self.status(*words)

    def until(self, phase: str, *words: str) -> dict[str, Any]:
        """The same, when the job has this phase."""
        end = time.monotonic() + self.patience
        while (job := self.status(*words))["phase"] != phase:
            assert time.monotonic() < end, f"not {phase} after {self.patience} s: {job}"
            time.sleep(0.2)
        return job
