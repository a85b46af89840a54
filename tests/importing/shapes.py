"""Shapes: manifests like those that people publish, which have to come back. README.md beside them has the notation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).with_name("shapes")

_FIELD = re.compile(r"^# (from|patches|written|roles|without): (.*)$", re.M)


class Shape(NamedTuple):
    """A manifest. ``head``: what its first comments say of it."""

    name: str
    path: Path
    head: dict[str, str]

    @property
    def patches(self) -> int:
        """The most patches that its import may have."""
        return int(self.head.get("patches", "0"))

    @property
    def written(self) -> tuple[str, ...]:
        """The fields that are written another way, by the ends of their paths."""
        return tuple(filter(None, self.head.get("written", "").split(", ")))

    @property
    def roles(self) -> dict[str, str]:
        """What ``--role`` says."""
        pairs = filter(None, self.head.get("roles", "").split(", "))
        return {name: role for name, _, role in (pair.partition("=") for pair in pairs)}


def shapes() -> list[Shape]:
    """All shapes, by kind and name."""
    found = sorted(FOLDER.rglob("*.yaml"))
    return [
        Shape(f"{path.parent.name}/{path.stem}", path, dict(_FIELD.findall(path.read_text("utf-8")))) for path in found
    ]


def params(text: str) -> dict[str, str]:
    """A value for each param of an imported text without a default."""
    found = re.findall(r"^param (\w+): (\w+) \{", text, re.M)
    values = {"string": "filled-in", "int": "2", "quantity": "2Gi", "number": "2"}
    return {name: values[kind] for name, kind in found}
