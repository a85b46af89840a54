"""Options that yarn and slider share, and what follows from them for a role."""

from __future__ import annotations

from collections.abc import Mapping

from tfdsl.backend import Option, Unit
from tfdsl.vocabulary.types import STRINGS, MapType, StringType

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


def files(unit: Unit) -> list[tuple[str, str]]:
    """Each file with its name in the work folder."""
    return [(source, last_name(source)) for source in unit.texts("files")]


def last_name(path: str) -> str:
    """The last part of a path; empty for ``/``, ``.`` and ``..``."""
    name = path.rstrip("/").rpartition("/")[2]
    return "" if name in (".", "..") else name
