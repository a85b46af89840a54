"""What editors offer as settings is what the server heeds, and what the page about editors shows can be read."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tfdsl.lsp.snapshot import Settings, read_settings
from tfdsl.record import fields_of

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = json.loads((ROOT / "grammar/vscode/package.json").read_text(encoding="utf-8"))
PROPERTIES = {
    name.removeprefix("tfdsl."): row for name, row in MANIFEST["contributes"]["configuration"]["properties"].items()
}
OF_THE_CLIENT = {"server.command", "trace.server", "compileOnSave"}
OTHER: dict[str, object] = {
    "targets": ["volcano"],
    "profile": "prod",
    "params": {"workers": 16},
    "paramsFile": "prod.params",
    "strict": True,
    "inlayHints": False,
    "codeLens": False,
    "allowRead": ["/srv/shared"],
    "checkAllFiles": True,
}
"""A value for each setting that is not its default."""


def test_defaults_are_the_defaults_of_the_server() -> None:
    assert read_settings({name: row["default"] for name, row in PROPERTIES.items()}) == Settings()


@pytest.mark.parametrize("name", sorted(set(PROPERTIES) - OF_THE_CLIENT))
def test_the_server_heeds_each_setting(name: str) -> None:
    assert read_settings({name: OTHER[name]}) != Settings()


def test_no_setting_of_the_server_is_missing() -> None:
    assert len(set(PROPERTIES) - OF_THE_CLIENT) == len(fields_of(Settings))


def test_the_configuration_of_helix_is_toml() -> None:
    page = (ROOT / "docs/editors.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    read = tomllib.loads(text)
    assert read["language"][0]["language-servers"] == ["tfdsl"]
    assert read_settings(read["language-server"]["tfdsl"]["config"]) == Settings(targets=("volcano",))


def test_the_versions_are_that_of_tfdsl() -> None:
    from tfdsl import __version__

    grammar = json.loads((ROOT / "grammar/tree-sitter/tree-sitter.json").read_text(encoding="utf-8"))
    zed = tomllib.loads((ROOT / "grammar/zed/extension.toml").read_text(encoding="utf-8"))
    crate = tomllib.loads((ROOT / "grammar/zed/Cargo.toml").read_text(encoding="utf-8"))
    written = {MANIFEST["version"], grammar["metadata"]["version"], zed["version"], crate["package"]["version"]}
    assert written == {__version__}
