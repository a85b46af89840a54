"""A folder that has just been opened shows nothing of what lies outside of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tfdsl.lsp.features.completion import complete
from tfdsl.lsp.features.hover import hover
from tfdsl.lsp.features.inlay_hints import inlay_hints
from tfdsl.lsp.features.navigation import definition, search
from tfdsl.lsp.snapshot import read_settings
from tfdsl.lsp.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from tfdsl.lsp.snapshot import Snapshot

USES = 'job a {{ image = "x:1", env = {{ A = {value} }}, role worker {{ }} }}\n'


@pytest.fixture
def inner(tmp_path: Path) -> Path:
    """A folder that is opened, beside a file that is none of its business."""
    inner = tmp_path / "project"
    inner.mkdir()
    (tmp_path / "outside.tfjob").write_text('let stolen = "s3cret"\n')
    (inner / "link.tfjob").symlink_to("../outside.tfjob")
    (inner / "up").symlink_to("..")
    return inner


def snapshot(folder: Path, text: str, **settings: object) -> Snapshot:
    """``text`` as ``main.tfjob``, opened in the folder."""
    workspace = Workspace()
    workspace.folders = [str(folder)]
    workspace.settings = read_settings(settings)
    uri = (folder / "main.tfjob").as_uri()
    workspace.documents.open(uri, text, 1)
    made = workspace.snapshot(uri)
    assert made is not None
    return made


@pytest.mark.parametrize("path", ["../outside.env", "link.env", "up/outside.env"])
def test_a_file_of_variables_that_leads_out_is_not_read(inner: Path, path: str) -> None:
    (inner.parent / "outside.env").write_text("PLAIN=stolen\n")
    (inner / "link.env").symlink_to("../outside.env")
    made = snapshot(inner, f'let read = env_file("{path}")\n' + USES.format(value="read.PLAIN"))
    assert f"it is outside {inner}" in made.diagnostics[0].message
    shown = hover(made, 4)
    assert shown is not None
    assert "stolen" not in shown.text


def test_secrets_of_a_file_of_variables_are_not_shown(inner: Path) -> None:
    (inner / "a.env").write_text("API_TOKEN=s3cr3t-value\nMODE=fast\n")
    made = snapshot(inner, 'let read = env_file("a.env")\nlet token = read.API_TOKEN\n' + USES.format(value="token"))
    assert "s3cr3t" not in repr([(one.message, one.helps) for one in made.diagnostics])
    shown = hover(made, 4)
    assert shown is not None
    assert "fast" in shown.text
    hints = [hint.text for hint in inlay_hints(made, 0, len(made.source.text))]
    assert '= "***"' in hints
    assert not any("s3cr3t" in text for text in (shown.text, *hints, *(one.message for one in made.diagnostics)))


@pytest.mark.parametrize("path", ["../outside.tfjob", "link.tfjob", "up/outside.tfjob"])
def test_an_include_that_leads_out_is_not_read(inner: Path, path: str) -> None:
    made = snapshot(inner, f'include "{path}"\n' + USES.format(value="stolen"))
    assert [file.source.path for file in made.program.files] == [str(inner / "main.tfjob")]
    assert f"it is outside {inner}" in made.diagnostics[0].message
    assert definition(made, 12) == []


def test_a_file_that_is_open_in_the_editor_is_outside_all_the_same(inner: Path) -> None:
    workspace = Workspace()
    workspace.documents.open((inner.parent / "outside.tfjob").as_uri(), "let stolen = 1\n", 1)
    uri = (inner / "main.tfjob").as_uri()
    workspace.documents.open(uri, 'include "../outside.tfjob"\n' + USES.format(value="stolen"), 1)
    made = workspace.snapshot(uri)
    assert made is not None
    assert "it is outside" in made.diagnostics[0].message


def test_the_setting_allows_a_folder(inner: Path) -> None:
    text = 'include "../outside.tfjob"\n' + USES.format(value="stolen")
    assert snapshot(inner, text, allowRead=[str(inner.parent)]).diagnostics == ()


@pytest.mark.parametrize("path", ["../", "up/", "../../../../../../etc/"])
def test_completion_lists_no_folder_outside(inner: Path, path: str) -> None:
    text = f'include "{path}"\n'
    assert complete(snapshot(inner, text), len(text) - 2).items == ()


def test_the_workspace_follows_no_link_out_of_it_and_waits_for_nobody(inner: Path) -> None:
    os.mkfifo(inner / "pipe.tfjob")
    (inner / "zero.tfjob").symlink_to("/dev/zero")
    (inner / "plain.tfjob").write_text("let known = 1\n")
    workspace = Workspace()
    workspace.folders = [str(inner)]
    assert [symbol.name for symbol in search(workspace.declared(), "")] == ["known"]


def test_a_file_of_values_is_read_below_the_root(inner: Path) -> None:
    (inner / "prod.params").write_text('tag = "2.0" + suffix\nother = 1\n')
    (inner.parent / "outside.params").write_text('tag = "stolen"\n')
    text = 'let suffix = "-a"\nparam tag: string = "1"\n' + USES.format(value="tag")
    made = snapshot(inner, text, paramsFile="prod.params")
    assert made.diagnostics == ()
    assert '= "2.0-a"' in [hint.text for hint in inlay_hints(made, 0, len(text))]
    over = snapshot(inner, text, paramsFile="prod.params", params={"tag": "3"})
    assert '= "3"' in [hint.text for hint in inlay_hints(over, 0, len(text))]
    for path in ("../outside.params", "none.params", "\x00"):
        hints = inlay_hints(snapshot(inner, text, paramsFile=path), 0, len(text))
        assert not any("stolen" in hint.text for hint in hints)
