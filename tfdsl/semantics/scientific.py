"""Numbers that were written with an exponent: in a text they stay as they were written.

A module of its own because ``decimal`` is loaded only by programs that have such numbers.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

MOST_DIGITS = 60
"""Digits before the decimal point, and behind it, when the number is written out."""


class Scientific(Decimal):
    """A decimal with the literal it was read from; what is computed from it is a plain ``Decimal``."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        """The number that the literal ``text`` says."""
        made = super().__new__(cls, text)
        made.text = text
        return made


def fits(number: Decimal) -> bool:
    """Whether ``number`` can be written out with at most ``MOST_DIGITS`` digits on each side of the point."""
    exponent = number.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -MOST_DIGITS and number.adjusted() < MOST_DIGITS
