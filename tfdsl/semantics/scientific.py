"""Numbers written with an exponent, which are inserted into a text as written.

A module of its own because ``decimal`` is loaded only by programs that have such numbers.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

MOST_DIGITS = 60
"""The most digits before and after the decimal point when the number is written out."""


class Scientific(Decimal):
    """A decimal with the literal it was read from; what is computed from it is a plain ``Decimal``."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        """The number of the literal ``text``."""
        made = super().__new__(cls, text)
        made.text = text
        return made


def fits(number: Decimal) -> bool:
    """Whether ``number`` can be written out with at most ``MOST_DIGITS`` digits on each side of the decimal point."""
    exponent = number.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -MOST_DIGITS and number.adjusted() < MOST_DIGITS
