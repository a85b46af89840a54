"""Tables for notebooks, in which nothing of the user acts as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from tfdsl.diagnostics.render.columns import visible


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table of texts, whose lines stay lines."""
    titles = "".join(f"<th>{_cell(title)}</th>" for title in head)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(text)}</td>' for text in row)}</tr>" for row in rows)
    about = f"<caption>{_cell(caption)}</caption>" if caption else ""
    return f"<table>{about}<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def _cell(text: str) -> str:
    return "<br/>".join(escape(visible(line)) for line in text.split("\n"))
