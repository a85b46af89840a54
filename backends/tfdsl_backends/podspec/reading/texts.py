"""Texts in which Kubernetes replaces ``$(NAME)``, as values of the language; the inverse of ``podspec.run_time``.

``$(NAME)`` of a variable of the container is a reference, one of any other name stays as it is written, ``$$`` is one
``$`` and any other ``$`` is itself (third_party/forked/golang/expansion/expand.go).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.draft import Bare, Text
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.rules.texts import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.draft import Value

_WORD: Final = regex(r"\$(?:(\$)|\(([^)]*)\))")
_NAME: Final = regex("[A-Za-z_][A-Za-z0-9_]*")
_OF_SERVICE: Final = regex(r"[A-Z][A-Z0-9_]*_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT(?:_[0-9]+_[A-Z]+.*)?)")
"""The variables that the kubelet makes of the Services of a namespace."""

_LIKE_VARIABLE: Final = regex("[A-Z_][A-Z0-9_]*")
"""Names of variables that a webhook may add, which the language cannot refer to."""


class Scope(Record):
    """The variables that a text can refer to. ``index``: the one that holds the index of the replica, if any.

    ``any_name``: whether there may be others, from a Secret or ConfigMap. ``later``: those that come too late for it.
    """

    names: frozenset[str] = frozenset()
    index: str | None = None
    any_name: bool = False
    later: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        """Whether ``$(name)`` is replaced."""
        if name in self.names or name == self.index:
            return True
        return _OF_SERVICE.fullmatch(name) is not None or (self.any_name and _NAME.fullmatch(name) is not None)


class Reference(Record):
    """``$(NAME)``."""

    name: str


def parts(text: str, scope: Scope) -> list[str | Reference]:
    """What ``text`` consists of; neighbouring literal parts are one."""
    found: list[str | Reference] = []
    for part in _parts(text, scope):
        if part and isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif part:
            found.append(part)
    return found


def _parts(text: str, scope: Scope) -> Iterator[str | Reference]:
    start = 0
    for match in _WORD.finditer(text):
        yield text[start : match.start()]
        start = match.end()
        if match[1]:
            yield "$"
        else:
            yield Reference(match[2]) if scope.has(match[2]) else match[0]
    yield text[start:]


def value(text: str, scope: Scope) -> Value | None:
    """``text`` as it is written in the language; ``None`` where it refers to what has no word, or cannot be written."""
    if clean(text, "") is not None or _refers_elsewhere(text, scope):
        return None
    found = parts(text, scope)
    words: list[str | Bare] = []
    for part in found:
        if isinstance(part, str):
            words.append(part)
        elif part.name == scope.index:
            words.append(Bare("task.index"))
        elif _NAME.fullmatch(part.name):
            words.append(Bare(f"env.{part.name}"))
        else:
            return None
    if any(isinstance(word, Bare) for word in words):
        return Text(tuple(words))
    return "".join(word for word in words if isinstance(word, str))


def _refers_elsewhere(text: str, scope: Scope) -> bool:
    """Whether it refers to what may be a variable, but none that the container defines."""
    names = (match[2] for match in _WORD.finditer(text) if match[2])
    return any(_LIKE_VARIABLE.fullmatch(name) and not scope.has(name) and name not in scope.later for name in names)


def program(text: str, scope: Scope) -> Value | None:
    """The same for the text of a shell program, which can hold the index alone: ``${env.NAME}`` is the shell's."""
    if any(isinstance(part, Reference) and part.name != scope.index for part in parts(text, scope)):
        return None
    return value(text, scope)


def literal(text: str) -> str:
    """``text`` as a process gets it that has no variables."""
    return "".join(part for part in parts(text, Scope()) if isinstance(part, str))


def refers(text: str, name: str | None) -> bool:
    """Whether ``$(name)`` is in ``text``."""
    return name is not None and any(isinstance(part, Reference) for part in parts(text, Scope(frozenset({name}))))


def word(text: str | None) -> str | None:
    """A text that is not empty and that the language can write."""
    return text if text and clean(text, "") is None else None
