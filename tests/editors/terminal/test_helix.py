"""docs/editors.md in a real Helix, which has no scripts: its screen is read and its keys are pressed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.editors.terminal import job
from tests.editors.terminal.screen import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.editors.terminal.home import Home

THEME = "dark_plus"
"""One with a colour for each kind of word; the standard theme shows most kinds of names like plain text."""


@pytest.fixture(scope="module")
def home(followed: Callable[[str], Home]) -> Home:
    made = followed("Helix")
    (made.folder / ".config/helix/config.toml").write_text(f'theme = "{THEME}"\n', encoding="utf-8")
    return made


@pytest.fixture
def helix(home: Home) -> Iterator[Terminal]:
    """A Helix that has the job open and has had the first answers of the server."""
    path = home.job(job.NAME, job.TEXT)
    with Terminal(["hx", str(path)], home.jobs, home.environment) as terminal:
        terminal.wait(lambda: re.search(rf"^● +{job.MISTAKE_LINE} ", terminal.text(), re.M) is not None)
        yield terminal


def press(helix: Terminal, keys: str, shown: str) -> None:
    """Press keys and wait until the screen shows a text."""
    helix.type(keys)
    helix.wait(lambda: re.search(shown, helix.text()) is not None)


def test_nothing_but_the_grammar_was_built(home: Home) -> None:
    built = (home.folder / ".config/helix/runtime/grammars").iterdir()
    assert [path.name for path in built] == ["tfjob.so"]


def test_health(home: Home) -> None:
    said = re.sub(r"\x1b\[[0-9;]*m", "", home.run("hx", "--health", "tfjob"))
    for line in ("✓ tfdsl: ", "Tree-sitter parser: ✓", "Highlight queries: ✓", "Indent queries: ✓"):
        assert line in said


def test_colours(helix: Terminal) -> None:
    job.assert_colours(helix.colour)


def test_diagnostics(helix: Terminal) -> None:
    press(helix, "/retris\r", job.MISTAKE[0])


def test_hover(helix: Terminal) -> None:
    press(helix, "/replicas\r", r"NOR.*10:\d+|NOR.*11:\d+")
    press(helix, " k", r"replicas \(role\)")


def test_completion(helix: Terminal) -> None:
    press(helix, "/retris\r", rf"{job.MISTAKE_LINE}:\d+")
    press(helix, "cretr", r"retr = 3")
    press(helix, "\x18", r"retries +property")  # Ctrl-X asks; without it a menu comes after a pause


def test_formatting(helix: Terminal, home: Home) -> None:
    press(helix, ":format\r", r"\n.* {6}replicas = 2")
    press(helix, ":w\r", "written")
    assert (home.jobs / job.NAME).read_text(encoding="utf-8") == job.formatted()


def test_a_new_line_in_a_block_is_indented(helix: Terminal) -> None:
    press(helix, "/role ps\r", rf"{1 + job.TEXT[: job.TEXT.index('role ps')].count(chr(10))}:\d+\n")
    press(helix, "ox", r"14 {6}x\n")


def test_comments(helix: Terminal) -> None:
    press(helix, f"{job.MISTAKE_LINE}G", f"{job.MISTAKE_LINE}:1")
    press(helix, "\x03", "  # retris")
