"""Texts of a job in messages about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.ir.model import Text


def shown(text: Text) -> str:
    """``text`` as far as it is known before a replica runs."""
    return text if isinstance(text, str) else "".join(part if isinstance(part, str) else "…" for part in text.parts)
