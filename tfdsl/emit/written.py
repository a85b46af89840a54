"""What every writer gives: a text and, for each of its lines, where it comes from."""

from __future__ import annotations

from tfdsl.record import Record


class Written(Record):
    r"""A text that ends in ``\n`` (or is empty), with one IR path (or ``None``) per line, for the source map."""

    text: str
    lines: tuple[str | None, ...]
