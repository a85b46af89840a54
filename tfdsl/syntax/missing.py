"""Nodes that error recovery has completed with empty tokens."""

from __future__ import annotations

from tfdsl.syntax import ast

# The name of a job without a name. It is valid, so that the missing name is reported only once.
UNNAMED = "unnamed"


def is_whole(node: ast.Declaration | ast.Item | ast.Copy | ast.Run | ast.Subject) -> bool:
    """Whether recovery had to insert none of the node's required parts; inserted ones have an empty text."""
    for field in type(node).__fields__:
        value: object = getattr(node, field)
        if isinstance(value, ast.Name):
            missing = not value.text and not value.quoted
        elif isinstance(value, ast.Event):
            missing = not value.name.text
        else:
            missing = isinstance(value, ast.Number | ast.Str) and value.span.start == value.span.end
        if missing:
            return False
    return True


def likely_type(default: ast.Expr | None) -> str:
    """The type of a param without a type, chosen so that its default does not cause a second error."""
    if isinstance(default, ast.Number):
        return "number" if "." in default.text else "int"
    if isinstance(default, ast.Bool):
        return "bool"
    return "quantity" if isinstance(default, ast.Unit) else "string"
