"""How many GPUs a role asks for, and whether it may get GPUs in another way."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView
    from tfdsl.semantics import resolved


def gpus(role: resolved.Role) -> int:
    """The value of ``gpu``, or 0 if it is not set."""
    count = role.data("gpu")
    return count if isinstance(count, int) else 0


def may_have_gpus(view: JobView, role: resolved.Role) -> bool:
    """Whether ``role`` may get GPUs in any way: some targets and versions have only node labels for that."""
    return bool(
        gpus(role)
        or role.data("node_label") is not None
        or role.data("gpu_memory") is not None
        or view.job.gpus_by_label
        or any("gpu" in name or "/mig-" in name for name in role.entries("resources"))
    )


def devices(count: int) -> str:
    """``count`` GPUs in words."""
    return f"{count} GPU" if count == 1 else f"{count} GPUs"
