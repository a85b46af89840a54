"""Stand-ins for the containers of a YARN application: each is a process in a work folder of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path


class Container:
    """One process group that runs ``argv`` as YARN would; ``again`` runs it once more in the same folder."""

    def __init__(self, folder: Path, argv: Sequence[str], env: Mapping[str, str]) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.argv = argv
        self.env = {"PATH": os.environ["PATH"], "NM_HOST": "localhost", "USER": "alice", **env}
        self.tries = 0
        self.again()

    def again(self) -> None:
        """Start (once more)."""
        self.tries += 1
        with open(self.folder / f"log-{self.tries}", "wb") as log:
            self.process = subprocess.Popen(
                self.argv, cwd=self.folder, env=self.env, stdout=log, stderr=log, start_new_session=True
            )

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send a signal to all its processes, as the NodeManager does."""
        os.killpg(self.process.pid, number)

    def wait(self, seconds: float = 30) -> int:
        """Its exit status; a failing test, with the log, when it does not end."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.folder.name} did not end:\n{self.log}") from None

    @property
    def log(self) -> str:
        """What the latest try has written."""
        return (self.folder / f"log-{self.tries}").read_text()


def until(condition: Callable[[], object], seconds: float = 20) -> None:
    """Wait for ``condition``."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def reap(containers: Sequence[Container]) -> Iterator[None]:
    """For a fixture: end what is left."""
    yield
    for container in containers:
        if container.process.poll() is None:
            container.kill()
            container.process.wait()
