"""Trees without places, to compare what texts mean."""

from __future__ import annotations

from tfdsl.record import Record
from tfdsl.text import Span


def shape(value: object) -> object:
    """A node as nested tuples of its class and fields, without spans; a tuple of nodes likewise."""
    if isinstance(value, Span):
        return "here"
    if isinstance(value, Record):
        fields = type(value).__fields__
        return (type(value).__name__, *(shape(getattr(value, field)) for field in fields if field != "span"))
    if isinstance(value, tuple):
        return tuple(shape(each) for each in value)
    return value
