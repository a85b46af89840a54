"""No text makes the checks raise or hang, and what checks clean lowers for every target."""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import process_time
from typing import TYPE_CHECKING

import pytest

from tests.sampled import sampled
from tests.spec.page import examples
from tests.unit.semantics.bombs import BOMBS
from tests.unit.semantics.programs import clean_program, mutated, program
from tfdsl import targets
from tfdsl.compiling.lower import lower
from tfdsl.ir.model import Job
from tfdsl.semantics.check import Checked, check
from tfdsl.semantics.project import load
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic

pytestmark = pytest.mark.slow

SPEC = Path(__file__).parents[2] / "spec"
TARGETS = targets.names()


def checked(text: str, target: str | None = None) -> tuple[Checked, list[Diagnostic]]:
    source = Source("main.tfjob", text, "main.tfjob")
    loaded = load(source, lambda path: "there is no such file")
    rows = targets.find(target) if target is not None else None
    wanted = () if rows is None else (Choice(rows),)
    done = check(loaded, Request(), wanted)
    return done, [*loaded.diagnostics, *done.diagnostics]


def lowers_if_clean(text: str, target: str | None) -> bool:
    done, found = checked(text, target)
    for one in found:
        assert 0 <= one.span.start <= one.span.end <= len(one.span.source.text)
        assert "poison" not in one.message.lower()
        # The word for a value that has been reported already; there is an event of that name, too, and a text may have
        # it as an action.
        if one.rule.slug != "unknown-action":
            assert " unknown " not in one.message.replace("policy on unknown", ""), one.message
    if any(one.level == "error" for one in found):
        return False
    for job in done.jobs:
        made, _ = lower(job)  # raises where a rule of the models is broken
        assert Job.model_validate_json(made.model_dump_json()) == made
    return True


@pytest.mark.parametrize("seed", sampled(range(40), 5))
def test_random_programs(seed: int) -> None:
    random = Random(seed)
    for _ in range(25):
        lowers_if_clean(program(random), random.choice((None, *TARGETS)))


def test_clean_programs_lower_for_every_target() -> None:
    random = Random(7)
    for _ in range(150):
        text = clean_program(random)
        refused = [target for target in (None, *TARGETS) if not lowers_if_clean(text, target)]
        assert not refused, f"{refused} of\n{text}"


PAGES = [example for page in sorted(SPEC.glob("[0-9]*.md")) for example in examples(page)]


@pytest.mark.parametrize("seed", sampled(range(20), 5))
def test_mutated_examples(seed: int) -> None:
    random = Random(seed)
    for _ in range(25):
        text = random.choice(PAGES).files["main.tfjob"]
        lowers_if_clean(mutated(random, text), random.choice((None, *TARGETS)))


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(name: str) -> None:
    """At most 2 s of computing for each 100 kB (and never less than that)."""
    text = BOMBS[name]
    start = process_time()
    lowers_if_clean(text, None)
    assert process_time() - start < 2 * max(1, len(text) / 100_000)
