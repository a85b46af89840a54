"""Which known version a version of a target behaves like."""

from __future__ import annotations

import pytest

from tfdsl.vocabulary import versions

KNOWN = ("1.5.0", "1.6", "1.9", "1.12.0", "1.12.4", "1.13.0", "1.13.2", "1.14", "1.15")


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("1.15", "1.15"),
        ("v1.15", "1.15"),
        ("1.15.0", "1.15"),
        ("v1.15.12", "1.15"),  # a later patch of the newest
        ("1.13", "1.13.2"),  # without a patch level: the newest patch
        ("1.13.0", "1.13.0"),
        ("1.13.1", "1.13.0"),
        ("1.13.9", "1.13.2"),
        ("1.12", "1.12.4"),
        ("1.12.3", "1.12.0"),
        ("1.11", "1.9"),
        ("1.11.7", "1.9"),
        ("1.10.2", "1.9"),
        ("1.5", "1.5.0"),
        ("1.5.8", "1.5.0"),
        ("1.6.0", "1.6"),
    ],
)
def test_behaves_like(text: str, known: str) -> None:
    found = versions.find(text, KNOWN)
    assert found is not None
    assert (found.known, found.shown) == (known, text.removeprefix("v"))


@pytest.mark.parametrize(
    "text",
    [
        *("", "v", "1", "1.4", "1.4.9", "0.9", "1.16", "1.16.0", "2.0", "latest", "1.15.", "1.15.x", "vv1.15"),
        *("1.15.0.1", "1.15-rc1", "1.15 ", "1.15\n", "1." + "9" * 5000, "１.15", "-1.15"),
    ],
)
def test_unknown(text: str) -> None:
    assert versions.find(text, KNOWN) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("1.15", "v1.15", True),
        ("1.15", "1.15.0", True),
        ("1.13", "1.13.2", True),
        ("1.10", "v1.10.0", True),
        ("1.13", "1.13.0", False),
        ("1.12.1", "1.12.2", False),  # alike, but two versions
    ],
)
def test_two_spellings_of_one_version(one: str, other: str, same: bool) -> None:
    first, second = versions.find(one, KNOWN), versions.find(other, KNOWN)
    assert first is not None
    assert second is not None
    assert (first.exact == second.exact) is same


def test_older_known_version_with_a_patch_level() -> None:
    assert versions.find("2.10.2", ("2.10.1", "3.4.2")) is not None
    assert versions.find("2.10.0", ("2.10.1", "3.4.2")) is None
