"""Texts with parts that are known only when a replica runs, on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.ir.model import Text


class Texts:
    """The texts of one replica. ``variables`` are those of its process; ``missing``: names that texts asked for."""

    def __init__(self, index: int, variables: Mapping[str, str]) -> None:
        self.index = index
        self.variables = variables
        self.missing: list[str] = []

    def __call__(self, text: Text) -> str:
        """``text`` as the process gets it; a variable that is not set is empty, and noted in ``missing``."""
        if isinstance(text, str):
            return text
        pieces: list[str] = []
        for part in text.parts:
            if isinstance(part, str):
                pieces.append(part)
            elif part.kind == "task_index":
                pieces.append(str(self.index))
            else:
                if part.name not in self.variables:
                    self.missing.append(part.name)
                pieces.append(self.variables.get(part.name, ""))
        return "".join(pieces)
