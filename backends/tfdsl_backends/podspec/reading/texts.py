"""Texts in which Kubernetes replaces ``$(NAME)``, as values of the language; the inverse of ``podspec.run_time``."""

from __future__ import annotations

from typing import Final

from tfdsl.draft import Bare, Text, Value
from tfdsl.patterns import regex
from tfdsl.rules.values import clean
from tfdsl_backends.podspec.expansion import Reference, Scope, parts

_NAME: Final = regex("[A-Za-z_][A-Za-z0-9_]*")


def value(text: str, scope: Scope) -> Value | None:
    """``text`` as it is written in the language; ``None`` where it refers to what has no word, or cannot be written."""
    if clean(text, "") is not None:
        return None
    found = parts(text, scope)
    words: list[str | Bare] = []
    for part in found:
        if isinstance(part, str):
            words.append(part)
        elif part.name == scope.index:
            words.append(Bare("task.index"))
        elif scope.defines(part.name) and _NAME.fullmatch(part.name):
            words.append(Bare(f"env.{part.name}"))
        else:
            return None
    if any(isinstance(word, Bare) for word in words):
        return Text(tuple(words))
    return "".join(word for word in words if isinstance(word, str))


def program(text: str, scope: Scope) -> Value | None:
    """The same for the text of a shell program, which can hold the index alone: ``${env.NAME}`` is the shell's."""
    if any(isinstance(part, Reference) and part.name != scope.index for part in parts(text, scope)):
        return None
    return value(text, scope)


def literal(text: str) -> str:
    """``text`` as a process gets it that has no variables."""
    return "".join(part if isinstance(part, str) else f"$({part.name})" for part in parts(text, Scope()))


def refers(text: str, name: str | None) -> bool:
    """Whether ``$(name)`` is in ``text``."""
    found = parts(text, Scope(frozenset({name}))) if name is not None else []
    return any(isinstance(part, Reference) and part.name == name for part in found)


def word(text: str | None) -> str | None:
    """A text that is not empty and that the language can write."""
    return text if text and clean(text, "") is None else None
