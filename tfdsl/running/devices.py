"""The GPUs of this machine, counted without a library that would need them, and who gets which."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.lifecycle.events import Task
from tfdsl.patterns import regex

if TYPE_CHECKING:
    from tfdsl.ir.model import Job

VARIABLE: Final = "CUDA_VISIBLE_DEVICES"
_PATIENCE: Final = 10
"""Seconds for ``nvidia-smi``, which can hang on a broken driver."""
_DEVICE: Final = regex(r"nvidia[0-9]+")


def devices(environment: Mapping[str, str], folder: str = "/dev") -> tuple[str, ...]:
    """What CUDA calls the devices that a process may use: those of ``CUDA_VISIBLE_DEVICES``, else all."""
    visible = environment.get(VARIABLE)
    if visible is not None:
        named = [name.strip() for name in visible.split(",")]
        return tuple(name for name in named if name not in ("", "-1", "NoDevFiles"))
    count = _listed(environment)
    if count is None:
        count = sum(1 for name in _names(folder) if _DEVICE.fullmatch(name))
    return tuple(map(str, range(count)))


def dealt(job: Job, found: Sequence[str]) -> dict[Task, str]:
    """The devices of each replica, as the value of the variable: in order, until none is left."""
    left = list(found)
    given: dict[Task, str] = {}
    for role in job.roles:
        for index in range(role.replicas):
            own, left = left[: role.gpu], left[role.gpu :]
            given[Task(role.name, index)] = ",".join(own)
    return given


def short(job: Job, given: Mapping[Task, str]) -> list[Task]:
    """The replicas that have fewer devices than they want."""
    wanted: Iterable[tuple[Task, int]] = (
        (Task(role.name, index), role.gpu) for role in job.roles for index in range(role.replicas)
    )
    return [task for task, count in wanted if count > len([name for name in given[task].split(",") if name])]


def wanted(job: Job) -> int:
    """How many devices the job wants."""
    return sum(role.gpu * role.replicas for role in job.roles)


def _listed(environment: Mapping[str, str]) -> int | None:
    """How many devices ``nvidia-smi`` lists; ``None`` where it is not installed or does not work."""
    try:
        done = subprocess.run(
            ["nvidia-smi", "-L"], env=environment, capture_output=True, timeout=_PATIENCE, check=True, text=True
        )
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return None
    return sum(1 for line in done.stdout.splitlines() if line.startswith("GPU "))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
