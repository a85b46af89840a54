r"""How a single value is spelt in YAML so that every reader takes it for the same value.

Readers disagree: YAML 1.1 (PyYAML, older Go) takes ``y``, ``012``, ``1_000`` and ``1:30`` for a bool and numbers,
YAML 1.2 takes ``0o14`` and ``1e3`` for numbers. A text is written plain only when it is made of harmless characters
and nobody could take it for anything else; otherwise in double quotes, or in single quotes (as kubectl does) when it
holds ``"`` or ``\``, so that JSON in a manifest stays readable.
"""

from __future__ import annotations

import re
from typing import Final

from tfdsl.emit.numbers import without_exponent
from tfdsl.patterns import regex

_HARMLESS: Final = regex(
    r"(?:[A-Za-z_/$]|-(?=[-A-Za-z])|\.(?=[/A-Za-z])|(?=[0-9]))"  # the first character decides most
    r"(?:[A-Za-z0-9_./@%+=,~^$()\-]|:(?=[^ ])| (?=[^ ]))*\Z"  # no "x: ", no "#", no blank at the end
)
_HARMLESS_KEY: Final = regex(r"[A-Za-z_./0-9][A-Za-z0-9_./\-]*\Z")
_MAYBE_NUMBER: Final = regex(r"[-+.]?[0-9][0-9_,.:eExXoObBa-fA-F+\-TtZz ]*\Z")
_WORDS: Final = frozenset(
    ("true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity", ".nan", ".inf", "-.inf")
)
_LONGEST_WORD: Final = 8

# Patterns as texts: most files need neither, and compiling them costs a millisecond of every start.
_UNREADABLE: Final = r"\x7f-\xa0\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\uffff"
_ESCAPED: Final = rf'["\\\x00-\x1f{_UNREADABLE}]'
_NOT_IN_BLOCK: Final = rf"[\x00-\x08\x0b-\x1f{_UNREADABLE}]"
_NAMED: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0", "\x1b": "\\e"}

LONGEST_SIMPLE_KEY: Final = 1000
"""Readers look at most 1024 characters ahead for the ``:`` after a key (YAML 1.1 §9.3, 1.2 §7.4.2)."""


def text(value: str) -> str:
    """A text on one line: plain, single or double quoted. Lone surrogates are escaped, not every reader has them."""
    if _HARMLESS.match(value) and not _taken_for_else(value):
        return value
    if ('"' in value or "\\" in value) and _is_simple(value):
        return "'" + value.replace("'", "''") + "'"
    return _double_quoted(value)


def key(value: str) -> str:
    """The same for the key of a map; fewer characters stay plain."""
    if _HARMLESS_KEY.match(value) and not _taken_for_else(value):
        return value
    return _double_quoted(value)


def number(value: float) -> str:
    """A bool, whole number or float, which has a ``.`` and no exponent."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if value != value:
        return ".nan"
    if value in (float("inf"), float("-inf")):
        return ".inf" if value > 0 else "-.inf"
    return without_exponent(value)


def block(value: str) -> tuple[str, list[str]] | None:
    """The header (``|``, ``|-``, ``|2`` …) and the lines of the literal form, or ``None`` where that is not exact.

    Lines are without indentation; the caller indents what is not empty by two more than the collection it is in, which
    is what the indicator ``2`` means. Not exact (or not safe with every reader): characters that a block cannot
    escape, a carriage return, a first or last line of blanks only (which readers get right and people do not see).
    """
    body = value.rstrip("\n")
    lines = body.split("\n")
    if not body or (not all(map(_is_simple, lines)) and re.search(_NOT_IN_BLOCK, body)):
        return None
    if not lines[0].strip(" \t") or not lines[-1].strip(" \t"):
        return None
    # A blank in front would be taken for indentation, and libyaml refuses a tab where it looks for indentation.
    indicator = "2" if value[0] in " \t" else ""
    breaks = len(value) - len(body)
    if breaks == 1:
        return "|" + indicator, lines
    if breaks == 0:
        return f"|{indicator}-", lines
    return f"|{indicator}+", lines + [""] * (breaks - 1)


def comment(line: str) -> str:
    """One line of comment; what would end it or cannot be read is escaped."""
    return "# " + re.sub(_NOT_IN_BLOCK, _escape, line.replace("\n", "\\n")) if line else "#"


def _is_simple(value: str) -> bool:
    """Nothing but blanks and visible ASCII. (What else is printable depends on the version of Python.)"""
    return value.isascii() and value.isprintable()


def _double_quoted(value: str) -> str:
    if _is_simple(value) and '"' not in value and "\\" not in value:
        return f'"{value}"'
    return '"' + re.sub(_ESCAPED, _escape, value) + '"'


def _taken_for_else(value: str) -> bool:
    first = value[0]
    if first.isdigit() or first in "-.":
        return bool(_MAYBE_NUMBER.match(value)) or value.lower() in _WORDS or value.startswith("---")
    return len(value) <= _LONGEST_WORD and value.lower() in _WORDS


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    named = _NAMED.get(char)
    if named is not None:
        return named
    code = ord(char)
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}"
