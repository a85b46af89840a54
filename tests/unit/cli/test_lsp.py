"""``tfdsl lsp`` begins and ends; what it answers in between is the matter of ``tests/lsp``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.lsp.wire import Wire
from tests.unit.cli.shell import process

if TYPE_CHECKING:
    from pathlib import Path


def test_good_bye_ends_the_server_with_0() -> None:
    wire = Wire()
    try:
        wire.begin()
        assert wire.end() == 0
    finally:
        wire.close()


def test_nobody_there_is_no_error(tmp_path: Path) -> None:
    assert process("lsp", cwd=tmp_path) == (0, "", "")
