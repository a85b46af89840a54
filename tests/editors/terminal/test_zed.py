"""What docs/editors.md says for Zed, as far as it goes without a Zed: the extension has what it names."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

from tests.editors.terminal.page import ROOT, section
from tfdsl.lsp.snapshot import Settings, read_settings

if TYPE_CHECKING:
    from tests.editors.terminal.home import Home


def test_zed_can_fetch_the_grammar(home: Home) -> None:
    home.follow("Zed")
    extension = tomllib.loads((home.folder / "tfjob-zed/extension.toml").read_text(encoding="utf-8"))
    grammar = extension["grammars"]["tfjob"]
    clone = home.folder / "clone"
    home.run("git", "init", "--quiet", clone)
    home.run("git", "fetch", "--quiet", "--depth", "1", grammar["repository"], grammar["rev"], folder=clone)
    home.run("git", "checkout", "--quiet", grammar["rev"], folder=clone)
    assert (clone / grammar["path"] / "src/parser.c").read_bytes()
    assert "@" not in json.dumps(extension)


def test_names_agree() -> None:
    extension = tomllib.loads((ROOT / "grammar/zed/extension.toml").read_text(encoding="utf-8"))
    language = tomllib.loads((ROOT / "grammar/zed/languages/tfjob/config.toml").read_text(encoding="utf-8"))
    assert [language["grammar"]] == list(extension["grammars"])
    ((server, row),) = extension["language_servers"].items()
    assert row["languages"] == [language["name"]]
    assert f'const SERVER: &str = "{server}";' in (ROOT / "grammar/zed/src/lib.rs").read_text(encoding="utf-8")
    (settings,) = (json.loads(block.text) for block in section("Zed") if block.file)
    assert read_settings(settings["lsp"][server]["settings"]["tfdsl"]) == Settings(targets=("volcano",))
