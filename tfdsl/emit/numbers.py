"""Numbers as every reader of every format takes them for the same number."""

from __future__ import annotations


def without_exponent(value: float) -> str:
    """A finite float without exponent: some readers of YAML take ``1e-4`` for a text."""
    digits = repr(value)
    if "e" not in digits:
        return digits
    from decimal import Decimal  # costs a millisecond, paid only for very large and very small numbers

    written = format(Decimal(digits), "f")
    return written if "." in written else f"{written}.0"
