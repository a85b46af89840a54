"""The example ``nightly`` on the real Slurm: submitted and shown by ``tfdsl``, trained by TensorFlow, with faults."""

from __future__ import annotations

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance import nightly
from tests.conformance.nightly import FAULTS, End
from tests.unit.cli.shell import Ran, tfdsl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from tests.conformance.slurm.cluster import Cluster

pytestmark = pytest.mark.long

LIMIT = 600
KILLED = [name for name, fault in FAULTS.items() if "exit 137" in fault.inject]


class Night:
    """The flow in a folder of its own, under the name of that: another of its name would be an earlier run."""

    def __init__(self, cluster: Cluster, folder: Path, tensorflow: Path, name: str) -> None:
        self.cluster, self.folder, self.shared = cluster, folder, folder / "shared"
        self.fault = FAULTS[name]
        nightly.write(folder, self.fault, self.shared, ("flow nightly {", f"flow {folder.name} {{"))
        values = (f"--set=runs={self.shared}", f"--set=tensorflow={tensorflow}")
        self.words = ("main.tfjob", "-t", "slurm", "--flow", folder.name, *values)

    def tfdsl(self, command: str, *more: str) -> Ran:
        settings = self.cluster.environment["SLURM_CONF"]
        return tfdsl(command, *self.words, *more, cwd=self.folder, SLURM_CONF=settings)

    def status(self) -> dict[str, Any]:
        ran = self.tfdsl("status", "--format", "json")
        assert ran.status == 0, ran.err
        (found,) = json.loads(ran.out)["jobs"]
        return dict(found)

    def ended(self) -> End:
        """How it ends, as ``tfdsl status`` shows it."""
        end = time.monotonic() + LIMIT
        while (live := self.status())["phase"] not in ("succeeded", "failed"):
            assert time.monotonic() < end, live
            time.sleep(1)
        return End(live["phase"], {one["role"]: one["phase"] for one in live["replicas"]})

    def kill_training(self) -> None:
        """Once there is a checkpoint."""
        end = time.monotonic() + LIMIT
        while not (self.shared / "train/checkpoint").exists():
            assert time.monotonic() < end, f"no checkpoint in {LIMIT} s"
            time.sleep(0.1)
        (process,) = (path for path in Path("/proc").glob("[0-9]*") if self._trains(path))
        os.kill(int(process.name), signal.SIGKILL)

    def _trains(self, process: Path) -> bool:
        try:
            words, variables = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        except OSError:
            return False
        mine = f"CHECKPOINT_DIR={self.shared}/train\0".encode() in variables
        return mine and b"\0train.py\0train\0" in words and b"python" in words.split(b"\0")[0]


@pytest.fixture(scope="module")
def nights(
    request: pytest.FixtureRequest, cluster: Cluster, home: Path, tensorflow: Path
) -> Iterator[dict[str, tuple[Night, Future[None] | None]]]:
    """The nights of all tests that were chosen, on their way, with what is done to them."""
    items = [
        item for item in request.session.items if isinstance(item, pytest.Function) and "nights" in item.fixturenames
    ]
    chosen = [str(item.callspec.params["name"]) for item in items]
    made = {name: Night(cluster, home / f"night-{at}", tensorflow, name) for at, name in enumerate(chosen)}
    with ThreadPoolExecutor(len(KILLED)) as pool:
        done: dict[str, Future[None]] = {}
        for name, night in made.items():
            ran = night.tfdsl("submit")
            assert ran.status == 0, ran.err
            if name in KILLED:
                done[name] = pool.submit(night.kill_training)
        yield {name: (night, done.get(name)) for name, night in made.items()}


@pytest.mark.parametrize("name", FAULTS)
def test_a_night_ends_as_predicted(name: str, nights: dict[str, tuple[Night, Future[None] | None]]) -> None:
    night, done = nights[name]
    if done is not None:
        done.result()
    end = night.ended()
    assert end == nightly.predicted(night.fault, night.words, night.folder)
    nightly.left(name, end, night.shared)
