"""The words in the editor grammars: all of them, and none but them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tfdsl.vocabulary import attributes, functions, statements

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "grammar/editor_words.py"
TEXTMATE = ROOT / "grammar/vscode/syntaxes/tfjob.tmLanguage.json"
HIGHLIGHTS = ROOT / "grammar/tree-sitter/queries/highlights.scm"
HELIX = ROOT / "grammar/helix/queries/tfjob/highlights.scm"
ZED = ROOT / "grammar/zed/languages/tfjob/highlights.scm"
KATE = ROOT / "grammar/kate/tfjob.xml"
TARGETS = ROOT / "grammar/vscode/src/targets.ts"
PLAYGROUND = ROOT / "site/playground/ui/words.ts"


def test_grammars_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_stale_grammar_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "grammar"
    written = (TEXTMATE, HIGHLIGHTS, HELIX, ZED, KATE, TARGETS, PLAYGROUND)
    for path in (SCRIPT, *(ROOT / "grammar/editors").iterdir(), *written):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    stale = folder / HIGHLIGHTS.relative_to(ROOT / "grammar")
    stale.write_text(stale.read_text(encoding="utf-8").replace('"replicas" ', ""), encoding="utf-8")
    command = [sys.executable, folder / SCRIPT.name]
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'backends'}"}
    done = subprocess.run([*command, "--check"], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1
    assert "tree-sitter/queries/highlights.scm: stale" in done.stderr
    assert subprocess.run(command, check=False, env=environment).returncode == 0
    assert stale.read_bytes() == HIGHLIGHTS.read_bytes()


def every_word() -> list[str]:
    return [
        *(row.name for row in attributes.ATTRIBUTES),
        *(row.name for row in attributes.ROLES),
        *(row.name for row in statements.EVENTS),
        *(word for row in statements.ACTIONS for word in row.name.split()),
        *(row.name for row in statements.MOUNT_KINDS),
        *(row.name for row in functions.FUNCTIONS),
        *statements.PARAM_TYPES,
    ]


@pytest.mark.parametrize("path", [TEXTMATE, HIGHLIGHTS, KATE], ids=lambda path: path.name)
def test_every_word_is_in_the_grammar(path: Path) -> None:
    found = set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    assert [word for word in every_word() if word not in found] == []


def test_longer_words_stand_before_those_that_begin_them() -> None:
    # `cpu|cpu_limit` would take the first three letters of `cpu_limit` and stop.
    repository = json.loads(TEXTMATE.read_text(encoding="utf-8"))["repository"]
    choice = re.findall(r"\w+", repository["key"]["patterns"][0]["match"].split(")")[0].removeprefix("\\b"))
    assert choice.index("cpu_limit") < choice.index("cpu")
    assert choice.index("image_pull_secrets") < choice.index("image")
