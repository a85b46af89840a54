"""Stand-ins for the containers of a YARN application: each is a process in a work folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from _pytest.mark import ParameterSet


def interpreters() -> list[str]:
    """The Pythons that the program is tried under: this one, and Python 2.7 where there is one."""
    places = [shutil.which("python2.7"), *map(str, Path.home().glob(".pyenv/versions/2.7*/bin/python2.7"))]
    old = next((p for p in places if p and subprocess.run([p, "-c", ""], capture_output=True).returncode == 0), None)
    return [sys.executable, old] if old else [sys.executable]


def pythons() -> list[str | ParameterSet]:
    """The same as parameters of tests; those with the old one are slow."""
    new, *old = interpreters()
    return [new, *(pytest.param(path, marks=pytest.mark.slow) for path in old)]


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


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
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
