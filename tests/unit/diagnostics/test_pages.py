"""Every message has its page, and what a page shows is true: Bad gives the message, Good is clean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.diagnostics.pages import diagnostics, example, ran, sections
from tfdsl import diagnostics as package
from tfdsl.diagnostics.registry import rules

if TYPE_CHECKING:
    from tfdsl.diagnostics import Rule

FOLDER = Path(package.__file__).parent / "pages"
RULES = rules()
NO_EXAMPLE = {
    *("internal-error", "output-not-removed", "unusable-target", "not-a-job", "claim-not-in-job", "claim-not-mounted"),
    *("run-not-started", "target-without-flows"),
    *("client-missing", "cluster-refuses", "job-exists", "job-not-ours", "target-not-operated", "no-job-there"),
}
"""What no file of the language gives."""

OF_MACHINE = {
    *("run-mount-denied", "run-no-object", "run-no-source", "run-no-key", "run-empty-mount", "run-not-mounted"),
    *("run-not-copied", "run-extra-mount", "run-memory-unlimited", "run-not-limited", "run-hidden-folder"),
    "run-no-tensorflow",
}
"""What depends on the machine that runs a job."""
NO_EXAMPLE |= OF_MACHINE
SHOWN = [rule for rule in RULES if rule.slug not in NO_EXAMPLE]


def page(rule: Rule) -> dict[str, str]:
    return sections((FOLDER / f"{rule.slug}.md").read_text(encoding="utf-8"))


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {f"{rule.slug}.md" for rule in RULES}


def test_no_two_rules_share_a_code_or_a_slug() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.slug for rule in RULES}) == len(RULES)


def test_form() -> None:
    for rule in RULES:
        parts = page(rule)
        parts_of_rule = ["", "Why"] if rule.slug in NO_EXAMPLE else ["", "Why", "Bad", "Good"]
        assert list(parts) == parts_of_rule, rule.slug
        assert parts[""].endswith("."), rule.slug
        assert parts["Why"].strip().endswith("."), rule.slug


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.slug)
def test_bad_gives_the_message(rule: Rule, tmp_path: Path) -> None:
    bad = example(page(rule)["Bad"])
    if bad.commands:
        assert f"[{rule.code}] {rule.slug}: " in ran(bad, tmp_path)[1]
    else:
        assert rule.slug in [found.rule.slug for found in diagnostics(bad)]


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.slug)
def test_good_is_clean(rule: Rule, tmp_path: Path) -> None:
    good = example(page(rule)["Good"])
    if good.commands:
        status, messages = ran(good, tmp_path)
        assert status == 0, messages
        assert rule.code not in messages
    else:
        told = [found for found in diagnostics(good) if found.target is None or found.level != "info"]
        assert [f"{found.rule.slug}: {found.message}" for found in told] == []
