"""Values of a draft as the language writes them.

The text is not laid out: that is the formatter's work. It only never depends on how it is indented.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tfdsl.draft import Bare, Text, Value
from tfdsl.patterns import regex

_NAME: Final = regex(r"[A-Za-z_][A-Za-z0-9_]*")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# What a string cannot hold as it is: other control characters, and those that change the writing direction.
_HIDDEN: Final = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_LONG: Final = 88


def literal(value: Value) -> str:
    """``value`` as an expression."""
    if isinstance(value, Bare):
        return value.words
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Text):
        return _pieces(value)
    if isinstance(value, Mapping):
        return map_of({name: literal(entry) for name, entry in value.items()})
    return list_of([literal(item) for item in value])


def text(value: str) -> str:
    """A string; one of several lines as a text block."""
    if "\n" in value[:-1] and not _HIDDEN.search(value):
        block = _raw_block(value) if "'''" not in value else _text_block(_escaped_block(value))
        if block is not None:
            return block
    return f'"{_escaped(value)}"'


def key(name: str) -> str:
    """The key of a map or the name of a step."""
    return name if _NAME.fullmatch(name) else f'"{_escaped(name)}"'


def map_of(entries: Mapping[str, str]) -> str:
    """A map of expressions, on one line where it fits."""
    items = [f"{key(name)} = {value}" for name, value in entries.items()]
    if _fits(items):
        return f"{{ {', '.join(items)} }}" if items else "{}"
    return "{\n" + "\n".join(items) + "\n}"


def list_of(items: list[str]) -> str:
    """A list of expressions, on one line where it fits."""
    if _fits(items):
        return f"[{', '.join(items)}]"
    return "[\n" + "".join(f"{item},\n" for item in items) + "]"


def _fits(items: list[str]) -> bool:
    return sum(len(item) + 2 for item in items) <= _LONG and not any("\n" in item for item in items)


def _escaped(value: str) -> str:
    plain = "".join(_ESCAPES.get(char, char) for char in value).replace("${", "\\${")
    return _HIDDEN.sub(lambda found: f"\\u{{{ord(found.group()):X}}}", plain)


def _escaped_block(value: str) -> str:
    return value.replace("\\", "\\\\").replace("${", "\\${").replace('"""', '\\"""').replace("\r", "\\r")


def _raw_block(value: str) -> str | None:
    """``value`` between ``'''``; ``None`` where its last line would be taken for indentation."""
    if value.endswith("\n"):
        return f"'''\n{value}'''"
    last = value[value.rfind("\n") + 1 :]
    if last[:1] in (" ", "\t") or last.endswith("'"):
        return _text_block(_escaped_block(value))
    return f"'''\n{value}'''"


def _text_block(escaped: str) -> str | None:
    """Text that is escaped already between triple quotes; a backslash takes away the last line end if it has none."""
    if escaped.endswith("\n"):
        return f'"""\n{escaped}"""'
    if escaped.endswith((" ", "\t", "\\", '"')):  # the formatter may drop blanks, and a mark could not be told apart
        return None
    return f'"""\n{escaped}\\\n"""'


def _pieces(value: Text) -> str:
    """A string with ``${}`` in it."""

    def joined(escape: Callable[[str], str]) -> str:
        return "".join(escape(part) if isinstance(part, str) else f"${{{part.words}}}" for part in value.parts)

    whole = "".join(part for part in value.parts if isinstance(part, str))
    if "\n" in whole[:-1] and not _HIDDEN.search(whole):
        block = _text_block(joined(_escaped_block))
        if block is not None:
            return block
    return f'"{joined(_escaped)}"'
