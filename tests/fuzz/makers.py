"""Which places of the compiler make fixes, and which of them a run has reached."""

from __future__ import annotations

import ast
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

from tests.fuzz.programs import ROOT
from tfdsl.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Edit

_MAKERS = ("fix", "replacing")
_LEAST_ARGUMENTS = 2


class Place(NamedTuple):
    """A call that makes a fix, by its file below the repository and its lines."""

    path: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.path}:{self.first}"


def places() -> list[Place]:
    """All calls in the compiler that make a fix."""
    return [
        Place(path.relative_to(ROOT).as_posix(), node.func.end_lineno or 0, node.end_lineno or 0)
        for path in sorted((ROOT / "tfdsl").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _makes_fix(node)
    ]


def _makes_fix(node: ast.Call) -> bool:
    """Whether it is a call of a method of a diagnostic; that of ``replacing`` itself is not asked about."""
    method = node.func
    if not isinstance(method, ast.Attribute) or method.attr not in _MAKERS or len(node.args) < _LEAST_ARGUMENTS:
        return False
    return not (isinstance(method.value, ast.Name) and method.value.id == "self")


@contextmanager
def reached() -> Iterator[set[tuple[str, int]]]:
    """The files and lines from which fixes are made in the meantime."""
    found: set[tuple[str, int]] = set()
    make = Diagnostic.fix

    def fix(self: Diagnostic, title: str, *edits: Edit, safe: bool = False) -> Diagnostic:
        frame = sys._getframe(1)
        if frame.f_code.co_name == "replacing" and frame.f_back is not None:
            frame = frame.f_back
        found.add((frame.f_code.co_filename, frame.f_lineno))
        return make(self, title, *edits, safe=safe)

    with patch.object(Diagnostic, "fix", fix):
        yield found


def missed(found: set[tuple[str, int]]) -> list[str]:
    """The places from which no fix was made."""
    lines = {(path.removeprefix(f"{ROOT}/"), line) for path, line in found}
    return [
        str(place)
        for place in places()
        if not any((place.path, line) in lines for line in range(place.first, place.last + 1))
    ]
