"""What a script has to know of a role: its devices, how long it may take to stop, its memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Role, Step
    from tfdsl.vocabulary.quantities import Quantity

MEBIBYTE: Final = 1 << 20
DEVICE_CHOICES: Final = frozenset({"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"})
"""Variables with which a role chooses its devices itself."""


def hides_gpus(job: Job, role: Role) -> bool:
    """Whether the devices are hidden from ``role``: it has no GPU, but would see those of its node."""
    return role.gpu == 0 and not DEVICE_CHOICES & set(role.env) and any(other.gpu for other in job.roles)


def seconds_to_stop(role: Role, default: int) -> int | float:
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
