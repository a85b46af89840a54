"""Items of a block that belong elsewhere."""

from __future__ import annotations

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.syntax import ast
from tfdsl.text import Span

_WORDS: dict[type, str] = {
    ast.Role: "a role",
    ast.Cluster: "cluster",
    ast.Build: "build",
    ast.Target: "a target",
    ast.Patch: "a patch",
    ast.Matrix: "a matrix",
}


def misplaced(item: ast.Item, where: str) -> Diagnostic:
    """That ``item`` cannot be in a ``where``, and where it belongs."""
    diagnostic = name_rules.MISPLACED_ITEM(place_of(item), item=_WORDS[type(item)], where=where)
    return diagnostic.help(_patch_help(item, where) if isinstance(item, ast.Patch) else "put it in the job block")


def place_of(item: ast.Item) -> Span:
    """Where an item is reported that cannot be in its block: its name or keyword."""
    if isinstance(item, ast.Cluster | ast.Build | ast.Matrix):
        return item.word
    if isinstance(item, ast.Role | ast.Target | ast.Step | ast.Use):
        return item.name.span
    return item.path.span if isinstance(item, ast.Patch) else item.span


def _patch_help(item: ast.Patch, where: str) -> str:
    if where != "role":
        return "put it in a target block"
    if item.pod is not None:
        line = f"role worker {{ {item.span.text} }}"
        return f"put it in a target block: target {targets.with_pods()[0]} {{ {line} }}"
    return "put it in a target block; a role in a target block can have patch pod and unpatch pod"
