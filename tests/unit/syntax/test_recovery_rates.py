"""How well does the parser get over errors? Files with six broken places each, scored.

The bounds are those that the project set for itself; the figures of the run are printed (pytest -s).
"""

from __future__ import annotations

import random

import pytest

from tests.unit.syntax.mutations import blocks, good_text, mutate
from tfdsl.syntax import parse
from tfdsl.text import Source

pytestmark = pytest.mark.slow

FILES = 30
SEED = 20


class Score:
    """Counts over all files."""

    def __init__(self) -> None:
        self.broken = self.reported = self.reports = self.true = 0
        self.kept: list[float] = []

    def add(self, broken_lines: list[int], report_lines: list[int], kept: float) -> None:
        self.broken += len(broken_lines)
        self.reported += sum(any(0 <= report - line <= 1 for report in report_lines) for line in broken_lines)
        self.reports += len(report_lines)
        self.true += sum(any(0 <= report - line <= 1 for line in broken_lines) for report in report_lines)
        self.kept.append(kept)

    def __str__(self) -> str:
        kept = sum(self.kept) / len(self.kept)
        return (
            f"reported {self.reported / self.broken:.1%}, true {self.true / self.reports:.1%}, "
            f"blocks kept {kept:.1%}, reports per broken place {self.reports / self.broken:.2f}"
        )


@pytest.mark.parametrize("count", [1, 6])
def test_most_broken_places_are_reported_once_and_most_blocks_kept(count: int) -> None:
    chance = random.Random(SEED)
    text = good_text()
    whole = blocks(parse(Source("good", text)).file.declarations)
    score = Score()
    for _ in range(FILES):
        broken = mutate(text, count, chance)
        source = Source("broken", broken.text)
        parsed = parse(source)
        lines = [source.position(found.span.start)[0] for found in parsed.diagnostics]
        kept = whole & blocks(parsed.file.declarations)
        score.add(broken.lines, lines, kept.total() / whole.total())
    print(f"\n{count} broken places: {score}")
    assert score.reported / score.broken >= 0.94
    assert score.true / score.reports >= 0.80
    assert sum(score.kept) / len(score.kept) >= 0.95
