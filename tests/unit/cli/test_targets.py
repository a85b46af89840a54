"""``tfdsl targets`` and installed targets that cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.cli.shell import tfdsl
from tfdsl import targets

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_every_target_is_listed(tmp_path: Path) -> None:
    ran = tfdsl("targets", cwd=tmp_path)
    assert ran.status == 0
    heads = [line.split(":")[0].split(" ")[0] for line in ran.out.splitlines() if line and not line.startswith(" ")]
    assert heads == [target.name for target in targets.every()]


def test_one_that_cannot_be_used_is_an_error_beside_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "problems", lambda: ("the target one of ext-one cannot be loaded",))
    ran = tfdsl("targets", cwd=tmp_path)
    assert ran.status == 2
    assert "[TFJ0911] unusable-target: the target one of ext-one cannot be loaded" in ran.err
    assert "volcano" in ran.out
