"""Every rule of names and values has an example; a rule without one cannot be told from one that never fires."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.spec.running import run
from tests.spec.test_spec import EXAMPLES
from tfdsl.diagnostics import Diagnostic, Rule, name_rules, value_rules

if TYPE_CHECKING:
    from types import ModuleType

REPORTED_ELSEWHERE = {
    "no-job": "of a file without a job that is to be compiled, see tests/unit/semantics",
    "unknown-flow": "by the command line, of --flow",
    "absent-flow": "by the command line, of --flow",
    "target-without-flows": "when documents are made, see tests/unit/test_flows.py",
    "name-for-several-jobs": "by the command line, of --name",
    "include-without-folder": "of a text from standard input, see tests/unit/semantics",
}


def _rules(module: ModuleType) -> list[Rule]:
    return [value for value in vars(module).values() if isinstance(value, Rule)]


RULES = [*_rules(name_rules), *_rules(value_rules)]


@pytest.fixture(scope="module")
def found() -> list[Diagnostic]:
    """Everything that the examples make the compiler say."""
    return [one for example in EXAMPLES for one in run(example.files, example.options).diagnostics]


def test_each_rule_has_an_example(found: list[Diagnostic]) -> None:
    shown = {one.rule.slug for one in found}
    assert {rule.slug for rule in RULES} - shown == {rule.slug for rule in RULES} & set(REPORTED_ELSEWHERE)


def test_messages_are_short_and_have_no_full_stop(found: list[Diagnostic]) -> None:
    wrong = [one.message for one in found if one.message.endswith(".") or not one.message]
    assert wrong == []
