"""A refusal names a target that can what is refused, or says that none can."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import job, policy, role, unit
from tfdsl import targets
from tfdsl.compiling.pipeline import judge, names_other

if TYPE_CHECKING:
    from tfdsl.backend import Backend, Row

WRITTEN = ("job.suspend", "job.priority", "policies[0]", "policies[0].event", "policies[0].action", "policies[0].index")


def backend(name: str) -> Backend:
    found = targets.find(name)
    assert found is not None
    return found


def refusals() -> list[tuple[str, Row]]:
    """The rows of all targets that refuse, each rule once."""
    rows = {(name, row.rule.code): row for name in targets.names() for row in backend(name).support.rows
            if row.fate == "refused" and row.rule is not None}  # fmt: skip
    return [(name, row) for (name, _), row in rows.items()]


@pytest.mark.parametrize(("target", "row"), refusals(), ids=lambda value: getattr(value, "slug", ""))
def test_a_target_that_is_named_can(target: str, row: Row) -> None:
    """Those that a row names itself; the others are worked out for the job at hand."""
    words = re.findall(r"\w+", " ".join(re.findall(r"compile to ([^;(]*)", row.instead.lower())))
    named = [name for name in targets.names() if name != target and name in words]
    if row.key == "policies[restarted]":  # another way of bounding restarts is named
        named = [name for name in named if name != "kubernetes"]
    assert all(any(one.fate != "refused" for one in backend(name).support[row.key]) for name in named)


def helps(target: str, *policies: object, **fields: object) -> list[str]:
    made = job(role("chief"), role("worker", 2), policies=policies, **fields)
    found = judge(backend(target), unit(made, target, written=WRITTEN))
    return [text for one in found if one.level == "error" for text in one.helps]


def test_the_targets_that_can_are_worked_out() -> None:
    """A policy of one replica: the scripts of Slider and YARN have it, plain Jobs and Volcano's tasks do not."""
    (said,) = [
        text for text in helps("kubernetes", policy("failed", "fail job", role="worker", index=1)) if "compile" in text
    ]
    assert "slider" in said
    assert "yarn" in said
    assert "tfjob" not in said


@pytest.mark.parametrize("target", targets.names())
@pytest.mark.parametrize("event", ["failed", "evicted", "unknown"])
@pytest.mark.parametrize("action", ["abort job", "restart job", "ignore"])
def test_every_refusal_names_one_or_none(target: str, event: str, action: str) -> None:
    made = job(role("chief"), role("worker", 2), policies=(policy(event, action),))
    for one in judge(backend(target), unit(made, target, written=WRITTEN)):
        if one.level == "error":
            assert any(names_other(text, target) for text in one.helps), one.message
