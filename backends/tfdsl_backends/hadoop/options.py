"""Options that yarn and slider share, and what follows from them for a role."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfdsl.backend import Option
from tfdsl.vocabulary.types import STRINGS, MapType, StringType

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Role


ROLE_TEXTS = MapType(StringType(empty=False), roles=True)
"""Role → text."""


def files_option(sending: str) -> Option:
    """The row of ``files``; ``sending``: what submit.sh does with them."""
    return Option(
        "files",
        STRINGS,
        f"Files and folders that submit.sh {sending}, relative to the folder in which you call it. Every task finds "
        "them in its work folder, under their last name.",
        (),
    )


def needs_image(options: Mapping[str, object]) -> bool:
    """Whether every role needs an image: only if the option ``runtime`` asks for docker."""
    return options.get("runtime") == "docker"


def in_docker(unit: Unit, role: Role) -> bool:
    """Whether ``role`` runs in docker: as the option ``runtime`` says, else if it has an image."""
    runtime = unit.text("runtime")
    return runtime == "docker" if runtime else role.image is not None
