"""Some inputs of each kind. ``make fuzz`` goes on with others as long as one likes."""

from __future__ import annotations

import pytest

from tests.fuzz.case import Finding
from tests.fuzz.registry import KINDS, case, order
from tfdsl import source_files, writing
from tfdsl.cli import inputs
from tfdsl.comparing import repository
from tfdsl.diagnostics.render import concise
from tfdsl.importing import compare
from tfdsl.settings import tables
from tfdsl.syntax import format as layout

pytestmark = pytest.mark.slow

INPUTS = {
    "brief": 400,
    "given": 250,
    "settings": 250,
    "reading": 100,
    "trees": 60,
    "documents": 40,
    "imported": 120,
    "layout": 20,
    "shown": 40,
    "cost": 15,
    "writing": 60,
    "process": 2,
}
"""How many; "whole" and "mending" have tests of their own."""


@pytest.mark.parametrize("kind", INPUTS)
def test_what_holds_for_every_input_of_a_kind(kind: str) -> None:
    for number in range(INPUTS[kind]):
        case(kind, "make test", number).prove()


def test_each_kind_has_its_turn() -> None:
    assert {*order()} == {*KINDS} == {*INPUTS, "whole", "mending"}


def test_most_jobs_that_are_made_up_are_sound() -> None:
    """What is proved of sound jobs would hold for none."""
    sound = [case("documents", "sound", number).prove() for number in range(40)]
    assert sound.count(True) > 15


def _broken(*words: object) -> object:
    raise ValueError("broken")


SPOILED = {
    "what lies outside is read": ("reading", source_files, "_refusal", lambda path, real, roots: None, 60),
    "links of a folder are followed": ("trees", source_files, "_refusal", lambda path, real, roots: None, 300),
    "git is read": ("trees", source_files, "_is_git", lambda name: False, 600),
    "git reads elsewhere": ("trees", repository._Look, "problem", lambda look: None, 2000),
    "links lead out": ("writing", writing, "_is_inside", lambda place, root: True, 200),
    "nothing is taken back": ("writing", writing._Batch, "take_back", lambda batch: [], 200),
    "nothing is swept": ("writing", writing, "_sweep", lambda folder: None, 500),
    "control characters are shown": ("shown", concise, "visible", lambda text: text, 60),
    "a settings file is not read": ("settings", tables, "place_of", _broken, 60),
    "a command ends otherwise": ("given", inputs, "named_files", _broken, 100),
    "lists are not compared": ("imported", compare, "_differ_lists", lambda wanted, got, path: iter(()), 200),
    "the layout is lost": ("layout", layout, "_format", lambda text: f"{text}\n", 20),
}
"""What is spoiled: the kind that sees it, the place, what stands there instead, and after how many inputs at most."""


@pytest.mark.parametrize("what", SPOILED)
def test_a_defect_is_seen(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    kind, owner, name, spoiled, most = SPOILED[what]
    assert hasattr(owner, name)
    monkeypatch.setattr(owner, name, spoiled)
    with pytest.raises((Finding, ValueError, AssertionError)):
        _prove(kind, most)


def _prove(kind: str, most: int) -> None:
    for number in range(most):
        case(kind, "spoiled", number).prove()
