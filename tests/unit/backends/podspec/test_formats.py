"""The forms of values in Kubernetes objects; quantities as ``resource.ParseQuantity`` reads them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tfdsl_backends.podspec import quantities


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("5", 5),
        (5, 5),
        ("1.5Gi", 3 * 2**29),
        ("100m", Fraction("0.1")),
        ("2E", 2 * 10**18),
        ("1Ei", 2**60),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1e-3", Fraction("0.001")),
        ("1Gigs", None),
        ("", None),
        (True, None),
        (None, None),
        ([], None),
    ],
)
def test_quantities(text: object, amount: object) -> None:
    assert quantities.amount(text) == amount
