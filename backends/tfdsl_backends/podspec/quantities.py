"""Amounts as ``resource.Quantity`` of apimachinery reads them: ``1000m`` is ``1``, and so is the number 1."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Final

from tfdsl.patterns import regex
from tfdsl.vocabulary.quantities import BINARY, DECIMAL

_FORM: Final = regex(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?[0-9]{1,3}))?")
_SMALL: Final = {"m": 1000, "u": 1000**2, "n": 1000**3}
_SCALES: Final[Mapping[str, int | Fraction]] = {
    **BINARY,
    **DECIMAL,
    **{suffix: Fraction(1, parts) for suffix, parts in _SMALL.items()},
}
_LONGEST: Final = 64
_MOST: Final = 10**48
_MOST_BITS: Final = 200
"""Of an int that may be an amount; Python does not write ints of any length."""


def amount(value: object) -> Fraction | None:
    """The amount of a text or number; ``None`` if it is not a quantity."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return None
    text = str(value)
    parts = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
    if parts is None:
        return None
    number, suffix, power = parts.groups()
    scale = _SCALES[suffix] if suffix else Fraction(10) ** int(power or 0)
    sign, digits = (-1, number[1:]) if number[0] == "-" else (1, number.removeprefix("+"))
    return sign * Fraction("0" + digits if digits[0] == "." else digits.rstrip(".")) * scale


def canonical(value: object, *, rounded: bool = False) -> str | None:
    """The shortest spelling of an amount, ``None`` where it is none.

    ``rounded``: up to thousandths, as amounts of resources are (``SetDefaults_ResourceList``).
    """
    fraction = amount(value)
    if fraction is None:
        return None
    size = abs(fraction)
    if size > _MOST:
        return None
    if rounded:
        size = Fraction(ceil(size * 1000), 1000)
    return "-" + _spelled(size) if fraction < 0 else _spelled(size)


def _spelled(value: Fraction) -> str:
    if value.denominator != 1:
        for suffix, parts in _SMALL.items():
            if (value * parts).denominator == 1:
                return f"{value * parts}{suffix}"
        return f"{ceil(value * _SMALL['n'])}n"
    whole = value.numerator
    spellings = [str(whole)]
    for suffixes in (BINARY, DECIMAL):
        fitting = [f"{whole // size}{suffix}" for suffix, size in suffixes.items() if whole and whole % size == 0]
        spellings += fitting[-1:]
    return min(spellings, key=len)
