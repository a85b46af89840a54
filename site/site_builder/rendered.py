"""What is changed in the HTML of a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_TAG = re.compile(r"(<[^>]+>)")
_CODE = re.compile(r"\b[A-Z][A-Z0-9]{2}\d{3,4}\b")
_CELL = re.compile(r"<td.*?</td>", re.S)
_CLOSED = ("a", "h1", "title")
"""Elements in which nothing becomes a link."""
_GONE = re.compile(r"[^\w\- ]")


def slug(text: str, separator: str) -> str:
    """The anchor of a heading, as GitHub makes it: links to it are the same there and on the site."""
    return _GONE.sub("", text.strip().lower()).replace(" ", separator)


def whole_cells(html: str) -> str:
    r"""Tables without the backslash that Markdown needs before a ``|``; the renderer leaves it in code."""
    return _CELL.sub(lambda cell: cell[0].replace("\\|", "|"), html)


def linked_codes(html: str, addresses: Mapping[str, str]) -> str:
    """Codes of messages as links to their pages."""
    parts = _TAG.split(html)
    inside = 0
    for number, part in enumerate(parts):
        if part.startswith("<"):
            name = re.split(r"[\s>/]", part.strip("</>"), maxsplit=1)[0]
            inside += 0 if name not in _CLOSED else -1 if part.startswith("</") else 1
        elif not inside:
            parts[number] = _CODE.sub(lambda code: _link(code[0], addresses), part)
    return "".join(parts)


def _link(code: str, addresses: Mapping[str, str]) -> str:
    address = addresses.get(code)
    return code if address is None else f'<a class="message" href="{address}">{code}</a>'
