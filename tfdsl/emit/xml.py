"""XML from document data, for Slider's metainfo.xml: elements and text, no attributes, no namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tfdsl.emit.located import Data, Located, Written, unwrap, without_exponent
from tfdsl.patterns import regex
from tfdsl.vocabulary.quantities import Duration, Quantity

_INDENT: Final = "  "
_NAME: Final = regex(r"[A-Za-z_][A-Za-z0-9_.\-]*\Z")
_NOT_XML: Final = regex("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


def refused(text: str) -> int | None:
    """The offset of the first character that XML 1.0 cannot hold, even escaped (§2.2), or ``None``."""
    match = _NOT_XML.search(text)
    return match.start() if match else None


def write(document: Data) -> Written:
    """One XML document in UTF-8. ``document`` is a map with one key, the root element.

    A map is an element with child elements, a list repeats its key's element, an absent value is no element, an empty
    text, map or list item an empty element. Raises ``ValueError`` for a text that XML cannot hold (ask :func:`refused`
    first, where the text is the user's) and for a key that is no element name.
    """
    root = unwrap(document)
    if not isinstance(root, Mapping) or len(root) != 1 or isinstance(unwrap(next(iter(root.values()))), list | tuple):
        raise ValueError("an XML document has one root element")
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    paths: list[str | None] = [None]
    _put(lines, paths, document, "", None)
    lines.append("")
    return Written("\n".join(lines), tuple(paths))


def _put(lines: list[str], paths: list[str | None], data: Data, indent: str, path: str | None) -> None:
    while isinstance(data, Located):
        data, path = data
    if not isinstance(data, Mapping):
        raise TypeError(f"no elements: {type(data).__name__}")
    for name, value in data.items():
        if not _NAME.match(name):
            raise ValueError(f"no element name: {name!r}")
        place = path
        while isinstance(value, Located):
            value, place = value
        for item in value if isinstance(value, list | tuple) else (value,):
            _element(lines, paths, name, item, indent, place)


def _element(lines: list[str], paths: list[str | None], name: str, data: Data, indent: str, path: str | None) -> None:
    while isinstance(data, Located):
        data, path = data
    if data is None:
        return
    if isinstance(data, Mapping) and any(unwrap(value) is not None for value in data.values()):
        lines.append(f"{indent}<{name}>")
        paths.append(path)
        _put(lines, paths, data, indent + _INDENT, path)
        written = [f"{indent}</{name}>"]
    else:
        text = "" if isinstance(data, Mapping) else _text(data)
        written = (f"{indent}<{name}>{text}</{name}>" if text else f"{indent}<{name}/>").split("\n")
    lines.extend(written)
    paths.extend([path] * len(written))


def _text(data: Data) -> str:
    if isinstance(data, Quantity | Duration):
        data = data.text
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, int):
        return str(data)
    if isinstance(data, float):
        return without_exponent(data)
    if not isinstance(data, str):
        raise TypeError(f"no text of an element: {type(data).__name__}")
    if refused(data) is not None:
        raise ValueError("a character that XML cannot hold")
    return data.translate(_ESCAPES)
