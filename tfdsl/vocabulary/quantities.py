"""Quantities and durations: exact integers with the text they are written as.

A *quantity* is counted in thousandths (``500m`` is 500, ``4Gi`` is 4 · 2³⁰ · 1000), a *duration* in milliseconds.
``10m`` alone can be either; it stays an :class:`Undecided` until the other operand or its place decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tfdsl.record import Record

if TYPE_CHECKING:
    from decimal import Decimal

BINARY = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60}
DECIMAL = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}

QUANTITY_UNITS: dict[str, int] = {"m": 1, "": 1000} | {unit: size * 1000 for unit, size in (DECIMAL | BINARY).items()}
"""Thousandths in one of each unit."""

DURATION_UNITS: dict[str, int] = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
"""Milliseconds in one of each unit, largest first."""

UNITS = {"quantity": tuple(unit for unit in QUANTITY_UNITS if unit), "duration": tuple(DURATION_UNITS)}
"""Type → the units of its values, as texts list them."""


Measure = TypeVar("Measure", "Quantity", "Duration")

LONGEST_AMOUNT = 60
"""Characters that any amount can be written with."""


class Quantity(Record):
    """An amount of a resource. ``milli``: thousandths; ``text``: as written, or the largest whole unit.

    Made of its text alone, as ``Quantity("16Gi")``, or of both.
    """

    milli: int
    text: str

    def __init__(self, milli: int | str, text: str = "") -> None:
        if isinstance(milli, str):
            text = milli
            milli = _alone(text, Quantity, "a quantity such as 16Gi").milli
        elif not text:  # a bare number would have no unit, and nothing to be written as
            raise TypeError('write Quantity("16Gi")')
        object.__setattr__(self, "milli", milli)
        object.__setattr__(self, "text", text)

    def __eq__(self, other: object) -> bool:
        """Equal amounts are equal, however they are written (``1Gi`` and ``1024Mi``)."""
        return isinstance(other, Quantity) and self.milli == other.milli

    def __hash__(self) -> int:
        return hash(self.milli)

    def __str__(self) -> str:
        return self.text

    @property
    def whole(self) -> int:
        """The amount in whole units (bytes, CPUs …), rounded up."""
        return -(-self.milli // 1000)


class Duration(Record):
    """A length of time. ``ms``: milliseconds; ``text``: as written, or in decreasing units.

    Made of its text alone, as ``Duration("1h30m")``, or of both.
    """

    ms: int
    text: str

    def __init__(self, ms: int | str, text: str = "") -> None:
        if isinstance(ms, str):
            text = ms
            ms = _alone(text, Duration, "a duration such as 1h30m").ms
        elif not text:  # a bare number would have no unit, and nothing to be written as
            raise TypeError('write Duration("1h30m")')
        object.__setattr__(self, "ms", ms)
        object.__setattr__(self, "text", text)

    def __eq__(self, other: object) -> bool:
        """Equal lengths are equal, however they are written (``90m`` and ``1h30m``)."""
        return isinstance(other, Duration) and self.ms == other.ms

    def __hash__(self) -> int:
        return hash(self.ms)

    def __str__(self) -> str:
        return self.text

    @property
    def seconds(self) -> int:
        """The length in whole seconds, rounded up."""
        return -(-self.ms // 1000)


class Undecided(Record):
    """``<count>m``: thousandths of a unit or minutes. ``count`` is exact; a fraction like ``1.5m`` is a duration."""

    count: int
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def quantity(self) -> Quantity:
        """The number as thousandths of a unit."""
        return Quantity(self.count, self.text)

    @property
    def duration(self) -> Duration:
        """The number as minutes."""
        return Duration(self.count * 60_000, self.text)


def quantity(milli: int) -> Quantity:
    """A computed quantity, written in its largest whole unit (binary units for what is a whole ``Ki``)."""
    if milli % 1000:
        return Quantity(milli, f"{milli}m")
    whole = milli // 1000
    for units in (BINARY, DECIMAL):
        for unit, size in reversed(units.items()):
            if whole and whole % size == 0:
                return Quantity(milli, f"{whole // size}{unit}")
    return Quantity(milli, str(whole))


def duration(ms: int) -> Duration:
    """A computed duration, written in its largest whole unit."""
    for unit, size in DURATION_UNITS.items():
        if ms % size == 0 and ms:
            return Duration(ms, f"{ms // size}{unit}")
    return Duration(ms, "0s")


_NEAREST = {
    "gb": "G", "mb": "M", "kb": "k", "tb": "T", "gib": "Gi", "mib": "Mi", "kib": "Ki", "tib": "Ti", "gi": "Gi",
    "mi": "Mi", "ki": "Ki", "ti": "Ti", "g": "G", "k": "k", "t": "T", "min": "m", "mins": "m", "minutes": "m",
    "minute": "m", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "hour": "h", "hours": "h", "hr": "h",
    "hrs": "h", "day": "d", "days": "d",
}  # fmt: skip


def nearest_unit(text: str) -> str | None:
    """``16GB`` as ``16G``, ``1 hour`` as ``1h``, ``1_000`` as ``1000``, ``1:30:00`` as ``1h30m``; else ``None``."""
    plain = text.replace(" ", "")
    if plain.replace("_", "").isdecimal():
        return plain.replace("_", "") if "_" in plain else None
    clock = _clock(plain)
    if clock is not None:
        return clock
    number = plain.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
    unit = plain[len(number) :]
    if not number or not number.replace(".", "", 1).isdecimal():
        return None
    nearest = _NEAREST.get(unit.lower())
    return None if nearest in (None, unit) else f"{number}{nearest}"


def _clock(text: str) -> str | None:
    """``[D-]H:MM:SS`` in the units of durations."""
    days, _, rest = text.rpartition("-")
    parts = [days or "0", *rest.split(":")]
    if len(parts) != 4 or not all(part.isascii() and part.isdecimal() and len(part) < 6 for part in parts):
        return None
    return "".join(f"{int(part)}{unit}" for part, unit in zip(parts, "dhms", strict=True) if int(part)) or None


def parse_unit(text: str) -> Quantity | Duration | Undecided | None:
    """The value of a number with a unit, or ``None`` when the unit, its order or its precision is not valid."""
    head = len(text)
    for at, char in enumerate(text):
        if not (char.isdigit() or char == "."):
            head = at
            break
    number, unit = text[:head], text[head:]
    if unit == "m" and "." not in number:
        return Undecided(int(number), text)
    if unit in DURATION_UNITS or any(char.isdigit() for char in unit):
        return _parse_duration(text)
    if unit in QUANTITY_UNITS:
        milli = _scaled(number, QUANTITY_UNITS[unit])
        return None if milli is None else Quantity(milli, text)
    return None


def _alone(text: str, kind: type[Measure], form: str) -> Measure:
    """The value of a text that comes alone; a ``ValueError`` when it is none of the ``kind``."""
    value = _amount(text)
    if isinstance(value, Undecided):
        value = value.quantity if kind is Quantity else value.duration
    if not isinstance(value, kind):
        message = f"not {form}: {text!r}"
        raise ValueError(message)
    return value


def parse_amount(text: str) -> int | Decimal | Quantity | Duration | Undecided | None:
    """The number, quantity or duration that a text is, as a literal of the language; ``None`` for another text."""
    whole, point, fraction = text.partition(".")
    if not text.isascii() or len(text) > LONGEST_AMOUNT or text.endswith("."):
        return None
    if text.isdigit():
        return int(text)
    if point and whole.isdigit() and fraction.isdigit():
        from decimal import Decimal

        return Decimal(text)
    return _amount(text)


def _amount(text: str) -> Quantity | Duration | Undecided | None:
    """The value of a text that nobody has looked at; ``None`` when it does not begin with a number."""
    head = text.partition(".")[0]
    if not (text.isascii() and head[:1].isdigit()) or len(text) > LONGEST_AMOUNT:
        return None
    try:
        return parse_unit(text)
    except ValueError:  # of int(), for what has two points in a number
        return None


def _scaled(number: str, size: int) -> int | None:
    """``number`` (decimal text) times ``size`` as an exact integer, else ``None``."""
    whole, _, fraction = number.partition(".")
    quotient, rest = divmod(int(whole + fraction) * size, 10 ** len(fraction))
    return None if rest else quotient


def _parse_duration(text: str) -> Duration | None:
    total = 0
    last = 1 << 62
    at = 0
    while at < len(text):
        begin = at
        while at < len(text) and (text[at].isdigit() or text[at] == "."):
            at += 1
        number = text[begin:at]
        begin = at
        while at < len(text) and text[at].isalpha():
            at += 1
        size = DURATION_UNITS.get(text[begin:at])
        if not number or size is None or size >= last:
            return None
        amount = _scaled(number, size)
        if amount is None:
            return None
        total += amount
        last = size
    return Duration(total, text)
