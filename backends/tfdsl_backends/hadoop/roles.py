"""What both targets work out about a role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdsl.backend import Unit
    from tfdsl.ir.model import Job, Role, Step
    from tfdsl.vocabulary.quantities import Quantity

MEBIBYTE: Final = 1 << 20
DEVICE_CHOICES: Final = frozenset({"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"})
"""Variables with which a role chooses its devices itself."""


def needs_image(options: Mapping[str, object]) -> bool:
    """Whether every role needs an image: only if the option ``runtime`` asks for docker."""
    return options.get("runtime") == "docker"


def in_docker(unit: Unit, role: Role) -> bool:
    """Whether ``role`` runs in docker: as the option ``runtime`` says, else if it has an image."""
    runtime = unit.text("runtime")
    return runtime == "docker" if runtime else role.image is not None


def hides_gpus(job: Job, role: Role) -> bool:
    """Whether the devices are hidden from ``role``: it has no GPU, but would see those of its node."""
    return role.gpu == 0 and not DEVICE_CHOICES & set(role.env) and any(other.gpu for other in job.roles)


def stop_grace(role: Role, default: int) -> int | float:
    """Seconds between SIGTERM and SIGKILL for the command of ``role``."""
    if role.stop_grace is None:
        return default
    seconds, rest = divmod(role.stop_grace.ms, 1000)
    return role.stop_grace.ms / 1000 if rest else seconds


def hides_gpus_from_step(job: Job, role: Role, step: Step) -> bool:
    """Whether the devices are hidden from a step of ``role``: it asks for none, but would see those of its node."""
    return step.gpu == 0 and not DEVICE_CHOICES & set(step.env) and any(other.gpu for other in job.roles)


def megabytes(amount: Quantity) -> int:
    """An amount of bytes in MB, rounded up."""
    return -(-amount.whole // MEBIBYTE)
