"""Texts in which Kubernetes replaces ``$(NAME)``, as it reads them.

``$(NAME)`` of a variable of the container is a reference, one of any other name stays as it is written, ``$$`` is one
``$`` and any other ``$`` is itself (third_party/forked/golang/expansion/expand.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Set as AbstractSet
from typing import Final

from tfdsl.emit.shell import escape_expansion
from tfdsl.patterns import regex
from tfdsl.record import Record

_WORD: Final = regex(r"\$(?:(\$)|\(([^)]*)\))")
_NAME: Final = regex("[A-Za-z_][A-Za-z0-9_]*")
_OF_OTHERS: Final = regex("[A-Z_][A-Z0-9_]*")
"""Variables that the kubelet makes of Services, and that controllers add, are written in capitals."""

_TORN: Final = regex(r"(?<!\$)\$[^\x00-\x7f]")
"""The kubelet copies one byte of such a character, which is another text."""


class Scope(Record):
    """The variables that a text can refer to. ``index``: the one that holds the index of the replica, if any.

    ``any_name``: whether there may be others of any name, from a Secret or ConfigMap. ``later``: variables that come
    after the value in which the text is, which the kubelet does not know yet. ``others``: those that a controller adds.
    ``named_sources``: whether the language has words for all that variables come from.
    """

    names: AbstractSet[str] = frozenset()
    index: str | None = None
    any_name: bool = False
    later: AbstractSet[str] = frozenset()
    others: AbstractSet[str] = frozenset()
    named_sources: bool = True

    def has(self, name: str) -> bool:
        """Whether ``$(name)`` is replaced."""
        if name in self.later:
            return False
        if self.defines(name) or name in self.others:
            return True
        return (_NAME if self.any_name else _OF_OTHERS).fullmatch(name) is not None

    def defines(self, name: str) -> bool:
        """Whether the container itself says where the value of ``name`` comes from."""
        if name in self.names or name == self.index:
            return True
        return self.any_name and self.named_sources and _NAME.fullmatch(name) is not None


class Reference(Record):
    """A reference to a variable of the container: ``$(NAME)``."""

    name: str


def parts(text: str, scope: Scope) -> list[str | Reference]:
    """What ``text`` consists of; neighbouring literal parts are one."""
    pieces: list[str | Reference] = []
    for part in _parts(text, scope):
        if part and isinstance(part, str) and pieces and isinstance(pieces[-1], str):
            pieces[-1] += part
        elif part:
            pieces.append(part)
    return pieces


def _parts(text: str, scope: Scope) -> Iterator[str | Reference]:
    start, end = 0, text.rfind(")") + 1  # behind the last one nothing is closed, and looking for it takes long
    for match in _WORD.finditer(text, 0, end):
        yield text[start : match.start()]
        start = match.end()
        if match[1]:
            yield "$"
        else:
            yield Reference(match[2]) if scope.has(match[2]) else match[0]
    yield text[start:end]
    yield text[end:].replace("$$", "$")


def canonical(text: str, scope: Scope) -> str:
    """``text`` with a ``$`` doubled where it has to be, and nowhere else."""
    if "$" not in text or _TORN.search(text):
        return text
    return "".join(
        escape_expansion(part) if isinstance(part, str) else f"$({part.name})" for part in parts(text, scope)
    )
