"""Quantities and durations within their bounds. ``what`` names the place in messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.rules.broken import Broken
from tfdsl.vocabulary.types import CPU, a_value

if TYPE_CHECKING:
    from tfdsl.vocabulary.quantities import Duration, Quantity


def memory(amount: Quantity, what: str) -> Broken | None:
    """A number of bytes above 0."""
    return _below(what, "more than 0", amount) if amount.milli <= 0 else None


def cpu(amount: Quantity, what: str) -> Broken | None:
    """A number of CPUs, in thousandths, above 0."""
    if amount.text[-1:].isalpha() and not amount.text.endswith("m"):
        values = {"what": what, "expected": a_value(CPU), "given": amount.text}
        return Broken(name_rules.WRONG_TYPE, (), values).help("for example 4, 0.5 or 500m")
    return _below(what, "more than 0", amount) if amount.milli <= 0 else None


def count(amount: Quantity, what: str) -> Broken | None:
    """Any number of things."""
    return _below(what, "at least 0", amount) if amount.milli < 0 else None


def limit(length: Duration, what: str) -> Broken | None:
    """A time limit above 0."""
    return _below(what, "more than 0", length) if length.ms <= 0 else None


def delay(length: Duration, what: str) -> Broken | None:
    """A time that can be 0."""
    return _below(what, "at least 0", length) if length.ms < 0 else None


def _below(what: str, expected: str, given: Quantity | Duration) -> Broken:
    return Broken(value_rules.OUT_OF_RANGE, (), {"what": what, "expected": expected, "given": given.text})
