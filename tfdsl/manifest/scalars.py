"""What the API server reads for a word of YAML.

kubectl and the API server turn YAML into JSON first (sigs.k8s.io/yaml on go-yaml v2), and then read that. So there are
two steps: what the word is to go-yaml, mostly YAML 1.1 without numbers in base 60, and what its JSON is: ``1e3``
becomes the whole number 1000, ``.inf`` cannot be sent. ``tests/conformance/kubernetes/test_scalars.py`` asks a server.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from collections.abc import Iterable
from typing import Final, TypeAlias

from tfdsl.patterns import regex

Value: TypeAlias = str | int | float | bool | None

PREFIX: Final = "tag:yaml.org,2002:"
"""What ``!!`` stands for."""
STR: Final = f"{PREFIX}str"
MERGE: Final = f"{PREFIX}merge"


class UnreadableError(Exception):
    """The server does not read this; the argument is its reason in our words."""


def _words() -> Iterable[tuple[str, Value]]:
    for value, spellings in (
        (True, "y Y yes Yes YES true True TRUE on On ON"),
        (False, "n N no No NO false False FALSE off Off OFF"),
        (None, "~ null Null NULL"),
        (math.nan, ".nan .NaN .NAN"),
        (math.inf, ".inf .Inf .INF +.inf +.Inf +.INF"),
        (-math.inf, "-.inf -.Inf -.INF"),
    ):
        for spelling in spellings.split():
            yield spelling, value
    yield "", None


WORDS: Final = dict(_words())

_BEGINS_NUMBER: Final = frozenset("+-.0123456789")
_INT: Final = regex(r"([+-]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_FLOAT: Final = regex(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_POINT_FIRST: Final = regex(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
_SIGN_INSIDE: Final = regex(r"0b([+-][01]+)")
_DATE: Final = regex(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]| +)[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})?)?")
_BASES: Final = ((2, 16), (3, 2), (4, 8), (5, 10))
_LOWEST, _HIGHEST, _HIGHEST_UNSIGNED = -(2**63), 2**63 - 1, 2**64 - 1
# From here on Go writes a float with an exponent, which then is no whole number any more.
_EXPONENT_FROM: Final = 1e21


def plain(text: str) -> Value:
    """What go-yaml makes of a word without quotes and tag."""
    if text in WORDS:
        return WORDS[text]
    if text[0] not in _BEGINS_NUMBER:
        return text
    if text[0] == ".":
        number = _float(text.replace("_", "")) if _POINT_FIRST.fullmatch(text) else None
        return text if number is None else number
    digits = text.replace("_", "")
    whole = _whole(digits)
    if whole is not None:
        return whole
    number = _float(digits) if _FLOAT.fullmatch(digits) else None
    return text if number is None else number


def tagged(tag: str, text: str) -> Value:
    """What go-yaml makes of a word with a tag, quoted or not.

    Raises:
        UnreadableError: The word is not what its tag says.
    """
    kind = tag.removeprefix(PREFIX)
    if kind == "binary":
        return _decoded(text)
    if kind not in ("bool", "int", "float", "null", "timestamp"):  # a tag that is not known is passed over
        return text
    if kind == "timestamp":
        if not _DATE.fullmatch(text):
            raise UnreadableError("it is not a date")
        return text
    value = plain(text)
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if _kind(value) != kind:
        raise UnreadableError(f"it is not a value of the tag !!{kind}")
    return value


def sent(value: Value) -> Value:
    """What the server has after ``value`` went through JSON.

    Raises:
        UnreadableError: JSON has no such number.
    """
    if isinstance(value, int) and not _LOWEST <= value <= _HIGHEST:
        return float(value)
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        raise UnreadableError("the API has no infinite numbers")
    whole = _as_written(value) if value.is_integer() and abs(value) < _EXPONENT_FROM else None
    return whole if whole is not None and _LOWEST <= whole <= _HIGHEST else value


def key(value: Value) -> str:
    """The name of a field whose key is ``value`` to go-yaml.

    Raises:
        UnreadableError: A key cannot be this.
    """
    if isinstance(value, str):
        return value
    if value is None:
        raise UnreadableError("a key cannot be null")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if value > _HIGHEST:
            raise UnreadableError("a key cannot be a number of more than 63 bits")
        return str(value)
    return _shortest(value)


def _whole(digits: str) -> int | None:
    match = _INT.fullmatch(digits)
    if match is None:
        inside = _SIGN_INSIDE.fullmatch(digits)
        return int(inside[1], 2) if inside is not None and len(inside[1]) <= 64 else None
    group, base = next((group, base) for group, base in _BASES if match[group] is not None)
    if len(match[group]) > 64:  # beyond 64 bits in every base
        return None
    value = int(match[group], base)
    if match[1] == "-":
        value = -value
    return value if _LOWEST <= value <= (_HIGHEST if match[1] else _HIGHEST_UNSIGNED) else None


def _float(digits: str) -> float | None:
    """The number; ``None`` where it is too large for one."""
    value = float(digits)
    return None if math.isinf(value) else value


def _as_written(value: float) -> int:
    """The whole number whose digits Go writes for ``value``: the fewest that tell it apart, then zeros."""
    digits, _, exponent = repr(value).partition("e")
    before, _, after = digits.partition(".")
    return int(before + after) * 10 ** (int(exponent) - len(after)) if exponent else int(before)


def _kind(value: Value) -> str:
    """The tag of ``value``, without ``!!``."""
    return "null" if value is None else type(value).__name__


def _decoded(text: str) -> str:
    try:
        data = base64.b64decode(text.replace("\n", "").replace("\r", "").encode(), validate=True)
    except (binascii.Error, ValueError):
        raise UnreadableError("it is not base64") from None
    return data.decode("utf-8", "replace")


def _shortest(value: float) -> str:
    """A float as Go writes it with the fewest digits that 32 bits tell apart, with an exponent outside of 1e-4…1e6."""
    if math.isnan(value):
        return ".nan"
    try:
        single: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if math.isinf(single):
        return ".inf" if value > 0 else "-.inf"
    precision = next((digits for digits in range(9) if _single(float(f"{single:.{digits}e}")) == single), 9)
    mantissa, exponent = f"{single:.{precision}e}".split("e")
    if -4 <= int(exponent) < 6:
        return f"{float(f'{mantissa}e{exponent}'):.{max(0, precision - int(exponent))}f}"
    return f"{mantissa}e{int(exponent):+03d}"


def _single(value: float) -> float:
    single: float = struct.unpack("f", struct.pack("f", value))[0]
    return single
