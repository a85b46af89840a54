"""The documents of what was read, each with where it stood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import Node
    from tfdsl.text import Source, Span


class Comment(Record):
    """A comment of a YAML text. ``text``: without ``#`` and blanks; ``alone``: nothing else is on its line."""

    text: str
    span: Span
    alone: bool


class Document(Record):
    """One document: a YAML document, a JSON or XML file, or a text (a command line).

    ``node`` is the tree (of XML see :mod:`tfdsl.manifest.xml`; of a text one scalar). ``within``: what it was found in,
    from the outside in, for a document of a ``List`` or inside a string of another one. ``comments``: those of the
    whole text that it was read from, in order.
    """

    source: Source
    node: Node
    format: Literal["yaml", "json", "xml", "text"] = "yaml"
    within: tuple[str, ...] = ()
    comments: tuple[Comment, ...] = ()
