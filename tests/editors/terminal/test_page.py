"""Every fenced block of docs/editors.md is tried by a test, and what follows them in other editors is sound."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.editors.terminal.page import PAGE, ROOT, Block, blocks, section

if TYPE_CHECKING:
    from tests.editors.terminal.home import Home

TRIED = {
    "Language server": "test_neovim.py",
    "VS Code": "test_page.py, and grammar/vscode/test/editor",
    "Neovim": "test_neovim.py",
    "Emacs": "test_emacs.py",
    "Helix": "test_helix.py",
    "Kate": "test_kate.py",
    "Zed": "test_zed.py",
    "tree-sitter": "test_page.py",
    "Pygments": "test_page.py",
}
"""Where the blocks of each section are tried."""
PARTS = ("Language server", "VS Code")
"""Sections with blocks that are a part of a file or of the protocol."""


def test_each_block_is_tried() -> None:
    assert {block.section for block in blocks()} == set(TRIED)


def test_each_block_is_run_or_belongs_into_a_file() -> None:
    def known(block: Block) -> bool:
        return block.language == "sh" or block.file is not None or block.section in PARTS

    assert [block for block in blocks() if not known(block)] == []
    assert PAGE.read_text(encoding="utf-8").count("\n```") == 2 * len(blocks())


def test_the_task_of_vs_code_is_one_that_the_extension_has() -> None:
    contributes = json.loads((ROOT / "grammar/vscode/package.json").read_text(encoding="utf-8"))["contributes"]
    (task,) = (json.loads(block.text) for block in section("VS Code") if block.language == "json")
    (kind,) = (row for row in contributes["taskDefinitions"] if row["type"] == task["type"])
    assert set(task) - {"type", "problemMatcher", "label"} <= set(kind["properties"])
    assert task["problemMatcher"] in [f"${row['name']}" for row in contributes["problemMatchers"]]


def test_the_tree_sitter_command(home: Home) -> None:
    (block,) = section("tree-sitter")
    said = home.checkout(block.text)
    assert "✓" in said
    assert "✗" not in said
    assert "(job_name " in said
    assert "ERROR" not in said


def test_pygments(home: Home) -> None:
    (block,) = section("Pygments")
    said = home.checkout(block.text)
    assert "\x1b[" in said
    assert re.sub(r"\x1b\[[0-9;]*m", "", said) == (ROOT / "examples/mnist/main.tfjob").read_text(encoding="utf-8")
