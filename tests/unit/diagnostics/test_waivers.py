"""Waivers (language reference, "Values the compiler promises", 2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.unit.diagnostics.texts import DUPLICATE, SLOW, TOLD, duplicate, place, source
from tfdsl.diagnostics.registry import by_name
from tfdsl.diagnostics.waivers import apply
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic

RULES = by_name([DUPLICATE, SLOW, TOLD])


def told(of: Source, *found: Diagnostic, looked_at: bool = True) -> list[str]:
    """What is left, as ``slug@line``; comments begin at every ``#``."""
    comments = [Span(of, match.start(), match.end()) for match in re.finditer("#[^\n]*", of.text)]
    left = apply(found, comments, lambda names: RULES, lambda rule, path, lines: looked_at)
    return [f"{one.rule.slug}@{of.position(one.span.start)[0]}" for one in left]


@pytest.mark.parametrize("name", ["slow", "TFJ3001", "told, slow", "told TFJ3001"])
def test_on_the_line(name: str) -> None:
    of = source(f"gpu = 1 # tfdsl: allow[{name}] we know\n")
    assert "slow@1" not in told(of, SLOW(place(of, "1")))


def test_above_the_line_also_stacked() -> None:
    of = source("# tfdsl: allow[slow] a\n# why\n# tfdsl: allow[told] b\n\ngpu = 1\n")
    assert told(of, SLOW(place(of, "1")), TOLD(place(of, "1"))) == []


def test_only_that_line() -> None:
    of = source("gpu = 1 # tfdsl: allow[slow] a\ncpu = 2\n")
    assert told(of, SLOW(place(of, "1")), SLOW(place(of, "2"))) == ["slow@2"]


def test_only_that_file() -> None:
    of, other = source("gpu = 1 # tfdsl: allow[slow] a\n"), source("gpu = 1\n", "other.tfjob")
    assert told(of, SLOW(place(other, "1"))) == ["slow@1", "stale-waiver@1"]


def test_errors_stay() -> None:
    of = source("gpu = 1 # tfdsl: allow[duplicate-mount-path] a\n")
    assert told(of, duplicate(place(of, "1"))) == ["duplicate-mount-path@1", "stale-waiver@1"]


def test_stale() -> None:
    of = source("gpu = 1 # tfdsl: allow[slow] a\n")
    assert told(of) == ["stale-waiver@1"]


def test_not_stale_when_the_rule_was_not_asked() -> None:
    of = source("gpu = 1 # tfdsl: allow[slow] a\n")
    assert told(of, looked_at=False) == []


def test_unknown_name() -> None:
    of = source("gpu = 1 # tfdsl: allow[slo] a\n")
    assert told(of, SLOW(place(of, "1"))) == ["slow@1", "unknown-waiver@1"]


def test_reason_is_asked_for() -> None:
    of = source("gpu = 1 # tfdsl: allow[slow]\n")
    assert told(of, SLOW(place(of, "1"))) == ["bad-waiver@1"]


@pytest.mark.parametrize(
    "comment", ["# tfdsl: alow[slow] a", "# tfdsl: allow slow", "# tfdsl: allow[] a", "#tfdsl:allow["]
)
def test_misspelt(comment: str) -> None:
    of = source(f"gpu = 1 {comment}\n")
    assert told(of, SLOW(place(of, "1"))) == ["slow@1", "bad-waiver@1"]


def test_other_comments_are_left_alone() -> None:
    of = source("gpu = 1 # tfdsl is fine, allow[slow]\n")
    assert told(of, SLOW(place(of, "1"))) == ["slow@1"]
