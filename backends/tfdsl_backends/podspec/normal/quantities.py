"""Amounts in one spelling: ``1000m`` is ``1``, ``1024Mi`` is ``1Gi``, and the number 2 is the text ``2``.

Source: ``resource.Quantity`` of apimachinery, which compares by value; amounts of resources are rounded up to
thousandths (``SetDefaults_ResourceList``).
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil
from typing import Final

_FORM: Final = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?\d{1,3}))?", re.ASCII)
_BINARY: Final = {suffix: 1024**power for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)}
_DECIMAL: Final = {suffix: 1000**power for power, suffix in enumerate(("k", "M", "G", "T", "P", "E"), 1)}
_SMALL: Final = {"m": 1000, "u": 1000**2, "n": 1000**3}
_LONGEST: Final = 64
_LARGEST_POWER: Final = 30


def canonical(text: str, *, rounded: bool = False) -> str | None:
    """The shortest spelling of the amount ``text``, ``None`` where it is none; ``rounded``: up to thousandths."""
    found = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    sign, digits, suffix, power = found.groups()
    value = Fraction("0" + digits if digits.startswith(".") else digits.rstrip("."))
    if suffix in _SMALL:
        value /= _SMALL[suffix]
    elif suffix is not None:
        value *= _BINARY.get(suffix) or _DECIMAL[suffix]
    elif power is not None:
        if abs(int(power)) > _LARGEST_POWER:
            return None
        value *= Fraction(10) ** int(power)
    if rounded:
        value = Fraction(ceil(value * 1000), 1000)
    return "-" + _spelled(value) if sign == "-" and value else _spelled(value)


def _spelled(value: Fraction) -> str:
    if value.denominator != 1:
        for suffix, parts in _SMALL.items():
            if (value * parts).denominator == 1:
                return f"{value * parts}{suffix}"
        return f"{ceil(value * _SMALL['n'])}n"
    whole = value.numerator
    spellings = [str(whole)]
    for suffixes in (_BINARY, _DECIMAL):
        fitting = [f"{whole // size}{suffix}" for suffix, size in suffixes.items() if whole and whole % size == 0]
        spellings += fitting[-1:]
    return min(spellings, key=len)
