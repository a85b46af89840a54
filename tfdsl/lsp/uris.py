"""Between ``file:`` URIs and paths."""

from __future__ import annotations

import os
from urllib.parse import quote, unquote, urlsplit


def path_of(uri: str) -> str | None:
    """The path of a ``file:`` URI, with ``/``; ``None`` for any other (a text that is in no file)."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file":
        return None
    path = unquote(parts.path)
    if os.name == "nt" and len(path) > 2 and path[2] == ":":
        path = path[1:]
    elif parts.netloc and parts.netloc != "localhost":
        path = f"//{parts.netloc}{path}"
    return path if path and "\0" not in path else None


def uri_of(path: str) -> str:
    """The ``file:`` URI of an absolute path."""
    path = path.replace(os.sep, "/")
    return "file://" + quote(path if path.startswith("/") else f"/{path}", safe="/~!$&'()*+,;=@")
