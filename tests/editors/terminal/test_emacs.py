"""docs/editors.md in a real Emacs, in a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.editors.terminal import job
from tests.editors.terminal.page import ROOT, section
from tests.editors.terminal.screen import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.editors.terminal.home import Home

DRIVER = Path(__file__).with_name("emacs.el")
FACES = {
    "comment": "font-lock-comment-face",
    "keyword": "font-lock-keyword-face",
    "string": "font-lock-string-face",
    "number": "font-lock-number-face",
    "attribute": "font-lock-property-name-face",
    "name": "font-lock-type-face",
    "function": "font-lock-function-call-face",
}


@pytest.fixture(scope="module")
def answers(followed: Callable[[str], Home]) -> dict[str, Any]:
    home = followed("Emacs")
    path = home.job(job.NAME, job.TEXT)
    file = home.folder / "answers.json"
    asked = {"ANSWERS": str(file), "WORDS": "\n".join(job.COLOURS)}
    with Terminal(["emacs", "-nw", "-l", str(DRIVER), str(path)], home.jobs, {**home.environment, **asked}) as terminal:
        terminal.wait(lambda: "Connected!" in terminal.text())
        terminal.type("\x1bxlook-and-leave\r")
        terminal.wait_end()
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert "wrong" not in found
    return found


def test_the_server_starts_with_the_settings(answers: dict[str, Any]) -> None:
    assert answers["mode"] == "tfjob-mode"
    assert answers["attached"] is True
    assert answers["settings"] == {"targets": ["volcano"]}


@pytest.mark.parametrize(("text", "kind"), job.COLOURS.items())
def test_colours(answers: dict[str, Any], text: str, kind: str) -> None:
    assert answers["colours"][text] == FACES[kind]


def test_every_word_of_the_grammar_is_in_the_snippet() -> None:
    (text,) = (block.text for block in section("Emacs") if block.language == "elisp")
    kinds = json.loads((ROOT / "grammar/tree-sitter/src/node-types.json").read_text(encoding="utf-8"))
    words = {row["type"] for row in kinds if not row["named"] and row["type"].isalpha()} - {"true", "false"}
    assert words
    missing = words - set(re.findall(r'"(\w+)"', text))
    assert missing == set()


def test_diagnostics(answers: dict[str, Any]) -> None:
    (found,) = answers["diagnostics"]
    assert found["line"] == job.MISTAKE_LINE
    assert all(part in found["text"] for part in job.MISTAKE)
    assert answers["mended"] is True


def test_the_settings_of_the_project(answers: dict[str, Any]) -> None:
    (found,) = answers["project"]
    assert found["line"] == 2
    assert "there is no message unused-lets" in found["text"]


def test_hover(answers: dict[str, Any]) -> None:
    assert answers["hover"].startswith("**replicas** (role)")


def test_completion(answers: dict[str, Any]) -> None:
    assert answers["completion"] == ["restricted", "retries"]


def test_formatting(answers: dict[str, Any]) -> None:
    assert answers["formatted"] == job.formatted()


def test_comments(answers: dict[str, Any]) -> None:
    assert answers["comment"].startswith("  # ")
