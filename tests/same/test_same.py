"""The comparison finds what differs, and nothing where nothing does."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.same.__main__ import ROOT, compared
from tests.same.cases import KINDS, MAIN, Case, cases, line
from tests.same.comparing import Result, compare, shown
from tests.unit.cli.shell import JOB

if TYPE_CHECKING:
    from pathlib import Path

    from tests.same.comparing import Compared


def result(text: str, command: str = "tfdsl check", case: str = "first") -> Result:
    return Result("examples", case, command, text)


def of(base: list[Result], here: list[Result]) -> Compared:
    return compare([(base, here)])


def test_equal_results_are_the_same() -> None:
    found = of([result("a\n")], [result("a\n")])
    assert found.same
    assert found.counts == {"examples": (1, 0)}


def test_a_changed_line_is_shown_between_its_neighbours() -> None:
    found = of([result("one\ntwo\nthree\n")], [result("one\n2\nthree\n")])
    assert shown(found).splitlines()[2:] == [
        "",
        "== examples, first: tfdsl check",
        "@@ -1,3 +1,3 @@",
        " one",
        "-two",
        "+2",
        " three",
    ]


def test_a_change_that_many_results_have_is_shown_once() -> None:
    base = [result(f"{number}\nold\n", case=str(number)) for number in range(40)]
    here = [one._replace(text=one.text.replace("old", "new")) for one in base]
    found = of(base, here)
    assert len(found.changes) == 1
    assert "== examples, 0: tfdsl check (and 39 more)" in shown(found)
    assert found.counts == {"examples": (40, 40)}


def test_json_is_spread_out() -> None:
    base = '{"files": {"a.yaml": "one\\ntwo\\n"}, "version": 1}'
    here = base.replace("two", "three").replace("1}", "2}")
    [(change, _)] = of([result(base)], [result(here)]).changes.values()
    assert set(change.key) == {"-two", "+three", '- "version": 1', '+ "version": 2'}


@pytest.mark.parametrize(("old", "new"), [("a\r\n", "a\n"), ('{"a": 1}', '{"a":1}'), ("a", "a\n")])
def test_every_byte_counts(old: str, new: str) -> None:
    assert not of([result(old)], [result(new)]).same


def test_a_command_that_only_one_revision_runs_is_a_difference() -> None:
    more = result("", "tfdsl explain new-word")
    found = of([result("a")], [result("a"), more])
    assert "nothing: this command line was not run" in shown(found)


@pytest.mark.slow
def test_every_kind_has_cases_of_names_that_differ() -> None:
    made = cases(ROOT)
    assert len({(case.kind, case.name) for case in made}) == len(made)
    assert {case.kind for case in made} == set(KINDS)


# --- the whole way ---------------------------------------------------------------------------------------------

SEEDS = {
    "tfdsl/diagnostics/name_rules.py": ("has no {what} {name}", "knows no {what} {name}"),
    "backends/tfdsl_backends/volcano/lower.py": ('"schedulerName": plain', '"scheduler": plain'),
    "tfdsl/diagnostics/pages/unknown-attribute.md": ("misspelt attribute", "misspelled attribute"),
}
"""Changes of one word: of a message, of a field that is emitted, of a page."""

CASES = [
    Case("examples", "good", {MAIN: JOB}, [line(f"compile {MAIN} -t volcano"), line(f"check {MAIN} -t volcano")]),
    Case("examples", "bad", {MAIN: JOB.replace("cpu", "cpuu")}, [line(f"check {MAIN} --format json")]),
    Case("commands", "page", {}, [line("explain unknown-attribute")]),
]

EDITED = Case("examples", "edited", {MAIN: JOB}, [["edit"]])
"""Its messages have links into the tree, wherever that is."""


@pytest.mark.slow
def test_seeded_changes_are_found(tmp_path: Path) -> None:
    for name in ("tfdsl", "backends"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    assert compared((ROOT, tmp_path), [*CASES, EDITED], shares=1).same
    for name, (old, new) in SEEDS.items():
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert old in text, f"choose another word in {name}"
        (tmp_path / name).write_text(text.replace(old, new), encoding="utf-8")
    found = compared((ROOT, tmp_path), CASES, shares=2)
    assert found.counts == {"examples": (3, 2), "commands": (1, 1)}
    lines = shown(found).splitlines()
    assert "-  schedulerName: volcano" in lines
    assert "+  scheduler: volcano" in lines
    assert any(text.startswith("+") and "a role knows no attribute cpuu" in text for text in lines)
    assert any(text.startswith("+") and "misspelled attribute" in text for text in lines)
