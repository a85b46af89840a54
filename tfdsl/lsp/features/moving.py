"""Includes that still lead to their files after files or folders have other names."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.lsp.features.definition import target_of
from tfdsl.syntax import ast
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.semantics.project import Program

_ESCAPED = frozenset('"\\$\n')
"""Characters that a text cannot have as they are. Paths with them are rare: their includes are left to the user."""


def moving(programs: Iterable[Program], moves: Mapping[str, str]) -> list[Edit]:
    """The edits of the texts as they are named now. ``moves``: old paths to new ones, of files or folders."""
    edits: dict[tuple[str, int], Edit] = {}
    for program in programs:
        for file in program.files:
            for node in file.declarations:
                edit = _edit(file, node, moves) if isinstance(node, ast.Include) else None
                if edit is not None:
                    edits[edit.span.source.path, edit.span.start] = edit
    return list(edits.values())


def _edit(file: ast.File, include: ast.Include, moves: Mapping[str, str]) -> Edit | None:
    origin = file.source.origin
    target = target_of(origin, include)
    if origin is None or target is None:
        return None
    place, wanted = _after(origin, moves), _after(target, moves)
    if posixpath.dirname(place) == posixpath.dirname(origin) and wanted == target:
        return None
    name = posixpath.relpath(wanted, posixpath.dirname(place))
    span = Span(include.path.span.source, include.path.span.start + 1, include.path.span.end - 1)
    return None if span.text == name or _ESCAPED.intersection(name) else Edit(span, name)


def _after(path: str, moves: Mapping[str, str]) -> str:
    """Where a file is after the moves; that of the innermost folder counts."""
    for old in sorted(moves, key=len, reverse=True):
        if path == old or path.startswith(f"{old}/"):
            return moves[old] + path[len(old) :]
    return path
