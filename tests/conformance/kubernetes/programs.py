"""Builds the programs from their Go modules.

``TFDSL_CONFORMANCE_PROGRAMS`` names a folder with programs that are ready (a cache); those in it are not built.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conformance.kubernetes.work import Work

HERE = Path(__file__).parent
READY = "TFDSL_CONFORMANCE_PROGRAMS"
KUBERNETES = "v1.34.4"
"""The version that ``cluster/go.mod`` requires; a program built outside its own repository does not know it."""

_VERSION = "k8s.io/component-base/version"
LINKER_FLAGS = {
    "cluster": f"-s -w -X {_VERSION}.gitVersion={KUBERNETES} -X {_VERSION}.gitMajor=1 -X {_VERSION}.gitMinor=34",
    "tfjob-operator": "-s -w",
    "kustomize": "-s -w",
}
PROGRAMS = tuple(LINKER_FLAGS)


class NotBuiltError(Exception):
    """A program could not be built; the message says why."""


def build(work: Work) -> None:
    """Put every program into ``work.programs``. Raises :class:`NotBuiltError`."""
    for name in PROGRAMS:
        start = time.monotonic()
        cache = os.environ.get(READY)
        target = work.programs / name
        if cache and (ready := Path(cache) / name).is_file():
            target.unlink(missing_ok=True)
            target.symlink_to(ready.resolve())
        else:
            _go_build(name, target)
        print(f"{name}: ready after {time.monotonic() - start:.0f} s", flush=True)


def _go_build(name: str, target: Path) -> None:
    if shutil.which("go") is None:
        raise NotBuiltError(f"{name} cannot be built: the Go tool `go` is not on the path")
    # CGO_ENABLED and the flags stay as they are: with others Go compiles everything a second time.
    environment = {
        "GOGC": "400",  # a sixth less processor time; the compiler peaks at 2.3 GB
        **os.environ,
        "CGO_ENABLED": "0",
        "GOFLAGS": "-buildvcs=false -mod=readonly",
    }
    target.unlink(missing_ok=True)
    command = ["go", "build", "-trimpath", "-o", str(target), "-ldflags", LINKER_FLAGS[name], "."]
    done = subprocess.run(
        command, cwd=HERE / name, env=environment, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True
    )
    if done.returncode != 0:
        said = [line for line in done.stdout.splitlines() if not line.startswith("go: downloading")]
        raise NotBuiltError(f"{name} cannot be built: " + "\n".join(said[-20:]))
