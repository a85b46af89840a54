"""docs/editors.md in a real Neovim."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.editors.terminal import job
from tests.editors.terminal.page import section

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.editors.terminal.home import Home

DRIVER = Path(__file__).with_name("neovim.lua")
KINDS = {
    "comment": "comment",
    "keyword": "keyword",
    "string": "string",
    "number": "number",
    "attribute": "property",
    "name": "type",
    "function": "function",
}
PREVIEW = [json.loads(block.text) for block in section("Language server") if block.language == "json"]


@pytest.fixture(scope="module")
def answers(followed: Callable[[str], Home]) -> dict[str, Any]:
    home = followed("Neovim")
    path = home.job(job.NAME, job.TEXT)
    file = home.folder / "answers.json"
    asked = {"ANSWERS": str(file), "WORDS": "\n".join(job.COLOURS), "REQUEST": json.dumps(PREVIEW[0])}
    home.run("nvim", "--headless", path, "-c", f"luafile {DRIVER}", more=asked)
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert "wrong" not in found
    return found


def test_the_server_starts_with_the_settings(answers: dict[str, Any]) -> None:
    assert answers["attached"] is True
    assert answers["settings"] == {"tfdsl": {"targets": ["volcano"]}}


@pytest.mark.parametrize(("text", "kind"), job.COLOURS.items())
def test_colours(answers: dict[str, Any], text: str, kind: str) -> None:
    assert [name.partition(".")[0] for name in answers["colours"][text] if name != "spell"][:1] == [KINDS[kind]]


def test_everything_is_open_and_can_be_folded(answers: dict[str, Any]) -> None:
    assert answers["folds"]["open"] is True
    assert max(answers["folds"]["levels"]) == 2
    assert answers["folds"]["closed"] == 1 + job.TEXT[: job.TEXT.index("role worker")].count("\n")


def test_diagnostics(answers: dict[str, Any]) -> None:
    assert [(each["line"], each["code"]) for each in answers["diagnostics"]] == [(job.MISTAKE_LINE, job.MISTAKE[0])]
    assert answers["mended"] is True


def test_hover(answers: dict[str, Any]) -> None:
    assert answers["hover"]["contents"]["value"].startswith("**replicas** (role)")


def test_completion(answers: dict[str, Any]) -> None:
    assert "retries" in answers["completion"]


def test_formatting(answers: dict[str, Any]) -> None:
    assert "\n".join(answers["formatted"]) + "\n" == job.formatted()


def test_comments_and_indentation(answers: dict[str, Any]) -> None:
    assert answers["comment"].startswith("  # ")
    assert answers["tab"] == "    "


def test_the_settings_of_the_project(answers: dict[str, Any]) -> None:
    assert [(each["line"], each["code"]) for each in answers["project"]] == [(2, "TFJ3904")]
    assert "unused-let" in answers["rules"]
    assert answers["other"] == 0, "the server is for no other TOML file"


def test_the_preview_has_the_form_that_the_page_shows(answers: dict[str, Any]) -> None:
    shown, got = PREVIEW[1], answers["preview"]
    assert got.keys() == shown.keys()
    assert [got[name] for name in ("target", "version")] == [shown[name] for name in ("target", "version")]
    assert got["outputs"][0].keys() == shown["outputs"][0].keys()
    assert got["outputs"][0]["map"].keys() == shown["outputs"][0]["map"].keys()
    constant = ("job", "name", "languageId", "executable")
    assert [got["outputs"][0][name] for name in constant] == [shown["outputs"][0][name] for name in constant]
    text = shown["outputs"][0]["text"].replace("mnist.tfjob", "main.tfjob").partition("…")[0]
    assert got["outputs"][0]["text"].startswith(text)
    assert all(len(line) == 4 for line in got["outputs"][0]["map"]["lines"])
