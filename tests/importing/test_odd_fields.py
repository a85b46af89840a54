"""One odd field in a manifest costs no other: a few inputs of the fuzzer, which ``make fuzz`` goes on with."""

from __future__ import annotations

from random import Random

import pytest

from tests.fuzz.kinds import imported

EVERY = 10
"""Of so many manifests one gets odd fields here."""


@pytest.mark.parametrize("number", range(12))
def test_an_odd_field_is_kept_or_named(number: int) -> None:
    imported.make(Random(f"odd {number}"), EVERY).prove()


def test_the_fuzzer_finds_what_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that the imported job does not have and no message names is a finding."""
    base = imported.bases(EVERY)[0]
    odd = imported.Odd(("metadata", "labels"), {"team": "a"})
    assert imported.lost(base, odd) == []
    monkeypatch.setattr(imported, "compiled", lambda result, target: [])
    assert "metadata.labels.team = a" in imported.lost(base, odd)
