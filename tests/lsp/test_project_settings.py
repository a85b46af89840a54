"""What the settings of a project, open in the editor or not, decide for the texts in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tfdsl.lsp.snapshot import Settings, Snapshot, read_settings
from tfdsl.text import Source

if TYPE_CHECKING:
    from pathlib import Path

JOB = 'job a {\n  image = "i:1"\n  labels = { a = "b" }\n  role worker { command = ["true"], gpu = 4, shm = 8Gi }\n}\n'


def codes(folder: Path, toml: str, settings: Settings | None = None, *, is_open: bool = False) -> dict[str, str]:
    """The level of each message by its code, under the settings of a project."""
    path = folder / "tfdsl.toml"
    path.write_text("targets = 1\n" if is_open else toml)  # what is open counts as it is shown
    source = Source(str(folder / "a.tfjob"), JOB, str(folder / "a.tfjob"))
    shown = {str(path): toml} if is_open else {}
    snapshot = Snapshot(source, lambda path, roots: "no such file", settings, shown=shown.get)
    return {one.rule.code: one.level for one in snapshot.diagnostics}


@pytest.mark.parametrize("is_open", [False, True])
def test_the_targets_of_the_project_are_checked(tmp_path: Path, *, is_open: bool) -> None:
    assert "SLM002" in codes(tmp_path, 'targets = ["slurm"]\n', is_open=is_open)
    assert "SLM002" not in codes(tmp_path, "", is_open=is_open)


def test_targets_of_the_editor_replace_them(tmp_path: Path) -> None:
    found = codes(tmp_path, 'targets = ["slurm"]\n', read_settings({"targets": ["tfjob"]}))
    assert "SLM002" not in found
    assert any(code.startswith("KTF") for code in found)


def test_strict_levels_and_nodes(tmp_path: Path) -> None:
    plain = codes(tmp_path, 'targets = ["slurm"]\n')
    assert (plain["SLM002"], "TFJ3117" in plain) == ("warning", False)
    assert codes(tmp_path, 'targets = ["slurm"]\nstrict = true\n')["SLM002"] == "error"
    assert "SLM002" not in codes(tmp_path, 'targets = ["slurm"]\n[lint]\nslurm-labels = "off"\n')
    assert codes(tmp_path, "gpus_per_node = 2\n")["TFJ3117"] == "warning"
