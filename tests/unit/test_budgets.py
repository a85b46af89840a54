"""The table of budgets: it is what the documentation says, its command lines work, and breaking it is noticed.

What commands cost is measured by ``make budgets``, alone.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, cast

import pytest

from benchmarks import budgets
from benchmarks.budgets import BUDGETS, MIB, PAIRS, Bench, Cost, broken
from tests.unit.cli.shell import COMMAND, ROOT, tfdsl

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.budgets import Budget


def test_the_documented_table_is_the_one_that_is_held() -> None:
    assert budgets.documented() in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_no_page_states_a_limit_of_its_own() -> None:
    pages = {*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "CHANGELOG.md"}
    stating = [page for page in pages if re.search(r"\d (times|x) `?python -c pass", page.read_text(encoding="utf-8"))]
    assert stating == []


def test_a_budget_is_below_its_limit() -> None:
    for one in BUDGETS:
        assert one.nominal < one.worst < one.limit


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("budgets")
    budgets.write_inputs(made)
    budgets.write_client(made, COMMAND)
    return made


@pytest.mark.parametrize("one", BUDGETS, ids=lambda one: one.name)
def test_the_command_lines_work(one: Budget, folder: Path) -> None:
    if "long.tfjob" not in one.words:  # see below
        ran = tfdsl(*one.words, cwd=folder, PATH=f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
        assert ran.status == 0
        assert one.words[0] != "status" or re.search(
            r"\n  worker: 4,000 running\n$|worker\[3\] +running +node-3\n$", ran.out
        )


def test_the_texts_are_as_long_as_they_are_called(folder: Path) -> None:
    assert (folder / "long.tfjob").read_text().count("\n") == budgets.LINES
    assert (folder / "short.tfjob").read_text().count("\n") == budgets.FEW_LINES
    (folder / "small.tfjob").write_text(budgets.long_text("small", 20))
    assert tfdsl("check", "small.tfjob", cwd=folder).status == 0


class Measured(Bench):
    """Costs that nobody has measured: ``python -c pass`` costs one second, and every command ``seconds``."""

    def __init__(self, seconds: float, memory: int, growth: float) -> None:
        self.nothing, self.tfdsl = ("python",), ("tfdsl",)
        lines = [one.words for one in BUDGETS]
        self.least = {self.nothing: Cost(1, 0)} | {(*self.tfdsl, *words): Cost(seconds, memory) for words in lines}
        for pair in PAIRS:
            self.least.setdefault((*self.tfdsl, *pair.small), Cost(1, 0))
            self.least[*self.tfdsl, *pair.large] = Cost(self.of(pair.small).seconds * growth, 0)


def test_what_is_within_its_limits_breaks_none() -> None:
    assert broken(cast("Bench", Measured(1, 45 * MIB, 1))) == []


@pytest.mark.parametrize(
    ("bench", "told"),
    [
        (Measured(27.7, 0, 1), ["compile -t volcano costs 27.7 times python -c pass, of 27.6"]),
        (Measured(1, 46 * MIB, 1), ["compile -t volcano takes 46.0 MiB, of 45"]),
        (Measured(1, 81 * MIB, 1), ["status of 4,000 pods takes 81.0 MiB, of 80"]),
        (Measured(1, 0, 1.2), ["compile of 3,000 workers instead of 4 costs 1.20 times as much, of 1.15"]),
        (Measured(1, 0, 4.7), ["check of 10,000 lines instead of 2,500 costs 4.70 times as much, of 4.6"]),
    ],
)
def test_what_costs_too_much_is_named(bench: Bench, told: list[str]) -> None:
    assert set(told) <= set(broken(bench))
