"""What a file declares, by name, for finding it among thousands: made once for each file that is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from tfdsl.record import Record
from tfdsl.syntax import ast
from tfdsl.text import Span

Kind: TypeAlias = Literal["param", "let", "template", "profile", "job", "role", "target"]
_KINDS: dict[type[Record], Kind] = {
    ast.Param: "param",
    ast.Let: "let",
    ast.Template: "template",
    ast.Profile: "profile",
    ast.Job: "job",
    ast.Role: "role",
    ast.Target: "target",
}


class Declared(Record):
    """One name. ``lower``: without case, as it is looked for."""

    name: str
    lower: str
    kind: Kind
    span: Span
    name_span: Span


def declared(file: ast.File) -> tuple[Declared, ...]:
    """The declarations of a text and those inside them, in its order."""
    return tuple(_all(file.declarations))


def _all(nodes: Iterable[ast.Declaration | ast.Item]) -> Iterator[Declared]:
    for node in nodes:
        if isinstance(node, ast.Param | ast.Let | ast.Template | ast.Profile | ast.Job | ast.Role | ast.Target):
            name = node.name.text or "…"
            yield Declared(name, name.lower(), _KINDS[type(node)], node.span, node.name.span)
            if isinstance(node, ast.Template | ast.Job | ast.Role | ast.Target):
                yield from _all(node.items)


def matching(found: Iterable[Declared], query: str) -> Iterator[Declared]:
    """Those whose name holds the letters of ``query`` in their order."""
    # The first place of a letter is as good as any later one: without going back, nothing takes long.
    holds = re.compile("".join(f"(?>.*?{re.escape(letter)})" for letter in query.lower()), re.DOTALL).match
    return (one for one in found if holds(one.lower))
