"""Every rule of names and values has an example; a rule without one cannot be told from one that never fires."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.spec.running import run
from tests.spec.test_spec import EXAMPLES
from tfdsl.diagnostics import Rule, name_rules, value_rules

if TYPE_CHECKING:
    from types import ModuleType

REPORTED_ELSEWHERE = {
    "no-job": "of a file without a job that is to be compiled, see tests/unit/semantics",
    "unknown-job": "by the command line, of --job",
    "name-for-several-jobs": "by the command line, of --name",
    "include-without-folder": "of a text from standard input, see tests/unit/semantics",
}


def _rules(module: ModuleType) -> list[Rule]:
    return [value for value in vars(module).values() if isinstance(value, Rule)]


RULES = [*_rules(name_rules), *_rules(value_rules)]


@pytest.fixture(scope="module")
def shown() -> set[str]:
    """The slugs of everything that the examples make the compiler say."""
    return {found.rule.slug for example in EXAMPLES for found in run(example.files, example.options).diagnostics}


@pytest.mark.parametrize("rule", RULES, ids=[rule.slug for rule in RULES])
def test_has_an_example(rule: Rule, shown: set[str]) -> None:
    assert (rule.slug in shown) is (rule.slug not in REPORTED_ELSEWHERE)


def test_messages_are_short_and_have_no_full_stop() -> None:
    found = [one for example in EXAMPLES for one in run(example.files, example.options).diagnostics]
    wrong = [one.message for one in found if one.message.endswith(".") or not one.message]
    assert wrong == []
