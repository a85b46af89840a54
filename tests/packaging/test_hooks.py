"""The hooks that other repositories take from this one with pre-commit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.unit.cli.shell import JOB, ROOT, tfdsl

if TYPE_CHECKING:
    from pathlib import Path

HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
REQUIRED = {"id", "name", "entry", "language"}
OPTIONAL = {
    "description",
    "files",
    "exclude",
    "types",
    "types_or",
    "args",
    "require_serial",
    "pass_filenames",
    "stages",
}
"""Keys of a hook: pre-commit.com, "Creating new hooks"."""


def test_the_hooks() -> None:
    assert [hook["id"] for hook in HOOKS] == ["tfdsl-check", "tfdsl-fmt", "tfdsl-compile"]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_is_valid(hook: dict[str, Any]) -> None:
    assert set(hook) >= REQUIRED
    assert set(hook) <= REQUIRED | OPTIONAL
    assert hook["language"] == "python"  # the only one that installs this package
    assert re.search(hook["files"], "jobs/mnist.tfjob")
    assert not re.search(hook["files"], "jobs/mnist.tfjob.bak")


@pytest.mark.parametrize(
    "hook", [hook for hook in HOOKS if hook.get("pass_filenames", True)], ids=lambda hook: hook["id"]
)
def test_a_hook_fails_on_a_broken_file(hook: dict[str, Any], tmp_path: Path) -> None:
    program, *words = hook["entry"].split()
    assert program == "tfdsl"
    (tmp_path / "good.tfjob").write_text(JOB)
    (tmp_path / "bad.tfjob").write_text("job {\n")
    assert tfdsl(*words, "good.tfjob", cwd=tmp_path).status == 0
    assert tfdsl(*words, "good.tfjob", "bad.tfjob", cwd=tmp_path).status == 1
