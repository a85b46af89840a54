"""Options that yarn and slider share."""

from __future__ import annotations

from tfdsl.backend import Option
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
