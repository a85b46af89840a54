"""What both targets work out about a role."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Role


def needs_image(options: Mapping[str, object]) -> bool:
    """Whether every role needs an image: only if the option ``runtime`` asks for docker."""
    return options.get("runtime") == "docker"


def in_docker(unit: Unit, role: Role) -> bool:
    """Whether ``role`` runs in docker: as the option ``runtime`` says, else if it has an image."""
    runtime = unit.text("runtime")
    return runtime == "docker" if runtime else role.image is not None
