"""The name that is proposed for one that cannot be: every target takes it."""

from __future__ import annotations

import pytest

from tests.unit.backends.jobs import job, role, unit
from tests.unit.backends.verdicts import report
from tfdsl import targets
from tfdsl.rules.values import as_label, label_problem
from tfdsl.vocabulary.attributes import ROLES

WRONG = ("My_" + "x" * 80, "3d_unet", "2024-run", "-a-", "Größe", "a" * 39 + "-" * 20 + "b", "1" * 70, "ResNet.50")


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("target", targets.names())
def test_every_target_takes_it(name: str, target: str) -> None:
    proposed = as_label(name)
    assert label_problem(proposed) is None
    made = job(*(role(row.name, 1 if row.single else 100) for row in ROLES if row.name != "master"), name=proposed)
    about = [one.message for one in report(unit(made, target)) if one.level == "error" and proposed in one.message]
    names = [text for text in about if "characters" in text or "letter" in text]
    assert names == []


def test_nothing_is_proposed_for_nothing() -> None:
    assert as_label("___") == ""
