"""Texts in which the kubelet replaces ``$(NAME)``: those of the command, of its arguments and of variables.

``$$`` is one ``$``, and a reference that finds nothing stays as it is (third_party/forked/golang/expansion/expand.go),
so ``$(date)`` for a shell and ``$$(date)`` are the same word of a process. A name in capital letters is taken for that
of a variable, wherever it may come from: the kubelet and webhooks add some of their own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tfdsl.emit.shell import escape_expansion
from tfdsl.manifest.edits import child, each, items, scalar, text, with_value
from tfdsl.manifest.nodes import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_WORD: Final = re.compile(r"\$(?:(\$)|\(([^)]*)\))")
_VARIABLE: Final = re.compile("[A-Z_][A-Z0-9_]*")


def one_spelling(container: Mapping) -> Mapping:
    """``container`` with each ``$`` that begins no reference spelt in one way."""
    names = [scalar(child(entry, "name")) for entry in items(container.get("env"))]
    for field in ("command", "args"):
        old = container.get(field)
        if old is not None:
            container = with_value(container, field, each(old, lambda word: _spelt(word, names, ())))
    env = container.get("env")
    if not isinstance(env, Sequence):
        return container
    entries = (_entry(entry, names[:number], names[number:]) for number, entry in enumerate(env.items))
    return with_value(container, "env", Sequence(tuple(entries), env.span))


def _entry(entry: Node, before: Container[object], after: Container[object]) -> Node:
    """A variable; ``$(NAME)`` of a later one is a text."""
    value = child(entry, "value")
    if not isinstance(entry, Mapping) or value is None:
        return entry
    return with_value(entry, "value", _spelt(value, before, after))


def _spelt(node: Node, known: Container[object], unknown: Container[object]) -> Node:
    if isinstance(node, Scalar) and isinstance(node.value, str) and "$" in node.value:
        return text("".join(_parts(node.value, known, unknown)), node.span)
    return node


def _parts(text: str, known: Container[object], unknown: Container[object]) -> Iterator[str]:
    """References as they are, and what is between them with the ``$`` doubled that need it."""
    literal, start = "", 0
    for found in _WORD.finditer(text):
        literal += text[start : found.start()]
        start = found.end()
        name = found[2]
        if found[1]:
            literal += "$"
        elif name in known or (_VARIABLE.fullmatch(name) and name not in unknown):
            yield escape_expansion(literal)
            yield found[0]
            literal = ""
        else:
            literal += found[0]
    yield escape_expansion(literal + text[start:])
