"""``${…}`` inside a string that may be unfinished."""

from __future__ import annotations


def open_interpolation(text: str, start: int, offset: int) -> int | None:
    """Where the expression begins that ``offset`` is inside of, in the string that begins at ``start``, if any."""
    block = text.startswith('"""', start)
    at = start + (3 if block else 1)
    while at < offset:
        if text[at] == '"' and not block:
            return None
        if text[at] == "\\":
            at += 2
        elif text.startswith("${", at):
            begin = at + 2
            if begin > offset:
                return None
            at = _closing(text, begin, offset)
            if at >= offset:
                return begin
            at += 1
        else:
            at += 1
    return None


def _closing(text: str, at: int, offset: int) -> int:
    """The offset of the brace that closes an interpolation; ``offset`` if it is not closed before it."""
    depth = 0
    quoted = False
    while at < offset:
        char = text[at]
        if quoted:
            at += char == "\\"
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif char == "{":
            depth += 1
        elif char == "}":
            if depth == 0:
                return at
            depth -= 1
        at += 1
    return offset
