"""Where the name or file at a place comes from."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.lsp.occurrences import declarations_of, occurrence_at
from tfdsl.lsp.tree import Node, path_at
from tfdsl.syntax import ast
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot


def definition(snapshot: Snapshot, offset: int) -> list[Span]:
    """The declarations of the name at ``offset``; of an include the start of the file."""
    found = occurrence_at(snapshot, offset)
    if found is not None:
        return [one.span for one in declarations_of(snapshot, found)]
    path = path_at(snapshot.file, offset)
    include = next((node for node in path if isinstance(node, ast.Include)), None)
    if include is not None:
        target = included(snapshot, include)
        return [Span(file.source, 0, 0) for file in snapshot.program.files if file.source.path == target]
    return _word_of_the_language(path)


def included(snapshot: Snapshot, include: ast.Include) -> str | None:
    """The path of the file that an include names."""
    return target_of(snapshot.source.origin, include)


def target_of(origin: str | None, include: ast.Include) -> str | None:
    """The path of the file that an include of the file at ``origin`` names."""
    parts = include.path.parts
    if origin is None or not parts or not all(isinstance(part, str) for part in parts):
        return None
    name = "".join(part for part in parts if isinstance(part, str))
    if posixpath.isabs(name) or "\\" in name or "\0" in name:
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin), name))


def _word_of_the_language(path: Sequence[Node]) -> list[Span]:
    """``job.name`` leads to the job's name, ``role.replicas`` to the role's ``replicas`` or its name."""
    member = next((node for node in reversed(path) if isinstance(node, ast.Member)), None)
    if member is None or not isinstance(member.base, ast.Ref):
        return []
    job = next((node for node in path if isinstance(node, ast.Job)), None)
    role = next((node for node in reversed(path) if isinstance(node, ast.Role)), None)
    owner = {"job": job, "role": role}.get(member.base.name)
    if owner is None:
        return []
    for item in owner.items:
        if isinstance(item, ast.Assign) and item.key.text == member.name.text:
            return [item.key.span]
    return [owner.name.span]
