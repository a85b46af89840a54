"""Builds the programs from their Go modules; what they share is compiled once.

``TFDSL_CONFORMANCE_PROGRAMS`` names a folder with programs that are ready (a cache); those in it are not built.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conformance.kubernetes.work import Work

MODULE = Path(__file__).parent / "go"
READY = "TFDSL_CONFORMANCE_PROGRAMS"
OPERATOR = MODULE / "tfjob-operator"
MODULES = {MODULE: ("cluster", "kustomize"), OPERATOR: ("tfjob-operator",)}
"""The operator needs an older client of Kubernetes. One after the other: what they share is compiled once."""

PROGRAMS = tuple(name for names in MODULES.values() for name in names)

_VERSION = "k8s.io/component-base/version"
LINKER_FLAGS = f"-s -w -X {_VERSION}.gitVersion=v1.34.4 -X {_VERSION}.gitMajor=1 -X {_VERSION}.gitMinor=34"
"""With the version that ``go.mod`` requires; a program built outside its own repository does not know it."""

COMPILER_FLAGS = ("-gcflags=all=-N -l -dwarf=false", "-gcflags=std=-dwarf=false")
"""Most of the code runs once, or never: optimizing it costs a third of the build and saves nothing."""


class NotBuiltError(Exception):
    """A program could not be built; the message says why."""


def build(work: Work) -> None:
    """Put every program into ``work.programs``. Raises :class:`NotBuiltError`."""
    for module, names in MODULES.items():
        missing = [name for name in names if not is_ready(work.programs / name)]
        if missing:
            go_build(module, ["." if module == OPERATOR else f"./{name}" for name in missing], work.programs)


def is_ready(program: Path) -> bool:
    """Whether the folder of ready programs has it; then it is taken from there."""
    program.unlink(missing_ok=True)
    ready = Path(os.environ.get(READY, "")) / program.name
    if READY in os.environ and ready.is_file():
        program.symlink_to(ready.resolve())
        return True
    return False


def go_build(module: Path, packages: list[str], to: Path) -> None:
    """Build programs of a module into a folder. Raises :class:`NotBuiltError`."""
    go(module, "build", "-trimpath", *COMPILER_FLAGS, "-ldflags", LINKER_FLAGS, "-o", f"{to}/", *packages)


def go(module: Path, *words: str) -> str:
    """What ``go`` prints in the folder of a module. Raises :class:`NotBuiltError`."""
    if shutil.which("go") is None:
        raise NotBuiltError("the programs cannot be built: the Go tool `go` is not on the path")
    # CGO_ENABLED and the flags stay as they are: with others Go compiles everything a second time.
    environment = {
        "GOGC": "400",  # a sixth less processor time; the compiler peaks at 2.3 GB
        **os.environ,
        "CGO_ENABLED": "0",
        "GOFLAGS": "-buildvcs=false -mod=readonly",
    }
    done = subprocess.run(["go", *words], cwd=module, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if not line.startswith("go: downloading")]
        raise NotBuiltError("the programs cannot be built: " + "\n".join(said[-20:]))
    return done.stdout
