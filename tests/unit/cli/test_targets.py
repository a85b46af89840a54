"""``tfdsl targets`` and installed targets that cannot be used."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.unit.cli.shell import tfdsl
from tfdsl import targets

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_every_target_is_listed(tmp_path: Path) -> None:
    ran = tfdsl("targets", cwd=tmp_path)
    assert ran.status == 0
    head, *rows, _, more = ran.out.splitlines()
    assert head.split() == ["TARGET", "SYSTEM", "VERSIONS", "OUTPUT"]
    assert [row.split()[0] for row in rows] == [target.name for target in targets.every()]
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "tfdsl targets TARGET" in more


def test_a_target_that_is_named_is_shown_in_full(tmp_path: Path) -> None:
    ran = tfdsl("targets", "kubeflow", "volcano", cwd=tmp_path)
    assert [line.split(":")[0] for line in ran.out.splitlines() if line[:1] not in ("", " ")] == [
        "tfjob (also kubeflow)",
        "volcano",
    ]
    assert "    gang_scheduler: string." in ran.out
    assert "  every job (docs/targets/volcano.md)\n    a limit of memory or cpu that is not written" in ran.out
    data = json.loads(tfdsl("targets", "volcano", "--format", "json", cwd=tmp_path).out)
    assert [target["name"] for target in data["targets"]] == ["volcano"]
    with_version = tfdsl("targets", "kubernetes@1.30", cwd=tmp_path)
    assert with_version == tfdsl("targets", "kubernetes", cwd=tmp_path)
    assert "kubernetes 9 is not a known version" in tfdsl("targets", "kubernetes@9", cwd=tmp_path).err
    wrong = tfdsl("targets", "volcan", cwd=tmp_path)
    assert (wrong.status, "did you mean volcano?" in wrong.err) == (2, True)


def test_one_that_cannot_be_used_is_an_error_beside_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "problems", lambda: ("the target one of ext-one cannot be loaded",))
    ran = tfdsl("targets", cwd=tmp_path)
    assert ran.status == 2
    assert "[TFJ0911] unusable-target: the target one of ext-one cannot be loaded" in ran.err
    assert "volcano" in ran.out
