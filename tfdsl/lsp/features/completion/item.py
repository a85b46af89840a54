"""What a completion is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.text import Span

Kind: TypeAlias = Literal[
    "attribute", "keyword", "snippet", "role", "template", "param", "let", "event", "action", "mount", "unit", "target",
    "option", "word", "function", "member", "type", "file",
]  # fmt: skip


class Item(Record):
    """One completion.

    ``text``: what is inserted (empty: the label); ``snippet``: it holds ``$1`` and ``${1:…}``. ``rank``: lower ones
    come first.
    """

    label: str
    kind: Kind
    detail: str = ""
    doc: str = ""
    text: str = ""
    snippet: bool = False
    rank: int = 5


class Completions(Record):
    """The items for a place, and what they replace."""

    span: Span
    items: tuple[Item, ...]
