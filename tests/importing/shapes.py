"""Shapes: manifests like those that people publish, with made-up names, which have to come back.

A file has those of one kind. The last comment above each is its name and how many patches its import may need, or
``refused`` where people have to say which of its parts are roles.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

FILES = {kind: Path(__file__).with_name(f"{kind}_shapes.yaml") for kind in ("tfjob", "job", "volcano", "jobset")}
_VALUES = {"string": "filled-in", "int": "2", "quantity": "2Gi", "number": "2"}


class Shape(NamedTuple):
    """A manifest. ``patches``: the most that it may need, ``None`` where it is refused."""

    name: str
    kind: str
    patches: int | None
    text: str


def shapes() -> list[Shape]:
    """All shapes."""
    return [_shape(kind, text) for kind, file in FILES.items() for text in file.read_text("utf-8").split("\n---\n")]


def _shape(kind: str, text: str) -> Shape:
    name, _, allowed = (
        [line for line in text.splitlines() if line.startswith("# ")][-1].removeprefix("# ").partition(": ")
    )
    return Shape(f"{kind}: {name}", kind, None if allowed == "refused" else int(allowed), text)


def params(text: str) -> dict[str, str]:
    """A value for each param of an imported text that has no default."""
    return {name: _VALUES[kind] for name, kind in re.findall(r"^param (\w+): (\w+) \{", text, re.M)}
