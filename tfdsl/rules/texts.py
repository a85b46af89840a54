"""Texts with parts that are known only at run time, as the rules look at them.

Such a text is anything that has ``parts``: the literal ones are strings, the others have a ``kind``. The semantics and
the IR each have a class of their own for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.diagnostics import value_rules
from tfdsl.patterns import regex
from tfdsl.rules.broken import Broken

_UNFIT = regex("[\0\ud800-\udfff]")

UNKNOWN = "\0"
"""Stands in a pattern for a part that is known only at run time."""


def parts_of(text: object) -> Sequence[object] | None:
    """The parts of a text; ``None`` for what is not a text."""
    if isinstance(text, str):
        return (text,)
    parts: Sequence[object] | None = getattr(text, "parts", None)
    return parts


def literal(text: object) -> str:
    """The literal parts of a text, joined."""
    return "".join(part for part in parts_of(text) or () if isinstance(part, str))


def pattern_of(text: object) -> str | None:
    """A text with :data:`UNKNOWN` for each run-time part; ``None`` for what is not a text."""
    parts = parts_of(text)
    return None if parts is None else "".join(part if isinstance(part, str) else UNKNOWN for part in parts)


def has_index(text: object) -> bool:
    """Whether the replica's own index is part of a text."""
    return any(_kind(part) in ("task.index", "task_index") for part in parts_of(text) or ())


_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def quoted(text: object) -> str:
    """A text as it is written in a file."""
    return '"' + "".join(_written(part) for part in parts_of(text) or ()) + '"'


def _written(part: object) -> str:
    if isinstance(part, str):
        return part.translate(_ESCAPED)
    kind = _kind(part).replace("_", ".")
    name: str = getattr(part, "name", "")
    return f"${{{kind}.{name}}}" if kind == "env" else f"${{{kind}}}"


def _kind(part: object) -> str:
    kind: str = getattr(part, "kind", "")
    return kind


def clean(text: str, what: str) -> Broken | None:
    """No process can be given U+0000, or half a character (from a broken argument)."""
    match = _UNFIT.search(text)
    if match is None:
        return None
    return Broken(value_rules.NUL, (), {"what": what, "character": f"U+{ord(match[0]):04X}"})
