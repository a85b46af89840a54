"""``tfdsl explain``: every message and every word has something to read, and its examples are true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl
from tests.unit.diagnostics.pages import Example, diagnostics, part
from tfdsl import pipeline
from tfdsl.cli import word_examples
from tfdsl.cli.message_pages import every_backend, page_of, spoken
from tfdsl.cli.word_pages import pages_of, words
from tfdsl.ir.fields import all_keys
from tfdsl.vocabulary import attributes, functions, policies, roles, statements

if TYPE_CHECKING:
    from pathlib import Path

    from tfdsl.diagnostics import Rule

RULES = sorted({rule.code: rule for rule in pipeline.every_rule().values()}.values(), key=lambda rule: rule.code)
EXAMPLES = {
    **{f"attribute {one.name}": word_examples.of_attribute(one) for one in attributes.ATTRIBUTES},
    **{f"event {name}": text for name, text in word_examples.EVENTS.items()},
    **{f"action {name}": text for name, text in word_examples.ACTIONS.items()},
    **{f"role {name}": text for name, text in word_examples.ROLES.items()},
    **{f"mount {name}": text for name, text in word_examples.MOUNTS.items()},
    **{f"function {name}": text for name, text in word_examples.FUNCTIONS.items()},
    **word_examples.OTHERS,
    **word_examples.PATCHES,
}


@pytest.mark.parametrize("word", words())
def test_a_word_has_a_page(word: str) -> None:
    for page in pages_of(word):
        assert len(page.splitlines()) >= 3
    assert pages_of(word)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_clean(name: str) -> None:
    files = {"main.tfjob": part(EXAMPLES[name] + "\n"), "train.sh": 'exec python /app/train.py "$@"\n'}
    found = diagnostics(Example(files, (), ""))
    assert [f"{one.rule.slug}: {one.message}" for one in found] == []


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (word_examples.EVENTS, policies.EVENTS),
        (word_examples.ACTIONS, policies.ACTIONS),
        (word_examples.ROLES, roles.ROLES),
        (word_examples.MOUNTS, statements.MOUNT_KINDS),
        (word_examples.FUNCTIONS, functions.FUNCTIONS),
    ],
)
def test_the_examples_are_about_what_there_is(table: dict[str, str], rows: tuple[policies.Event, ...]) -> None:
    assert list(table) == [row.name for row in rows]
    assert all(name in text for name, text in table.items())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_message_has_a_page(rule: Rule) -> None:
    page = page_of(rule)
    assert "{" not in page.partition("\n")[0]
    assert len([line for line in page.splitlines() if line.strip()]) >= 3


def test_a_refusal_says_who_can() -> None:
    """``cleanup`` on Volcano: its text, its advice, and a target that does what is asked for."""
    rule = pipeline.every_rule()["volcano-cleanup"]
    page = page_of(rule)
    assert page.startswith(f"{rule.code} volcano-cleanup (warning)\n\nvolcano: ")
    assert "\nInstead: " in page
    assert "\n  cleanup: all, none\n" in page
    assert "\n  tfjob      translated as spec.runPolicy.cleanPodPolicy" in page


def test_lint_pages_are_the_docstrings() -> None:
    assert "## Bad\n\n```tfjob\n" in page_of(pipeline.every_rule()["TFJ3028"])


def test_keys_are_told_as_they_are_written() -> None:
    said = {key: spoken(key) for key in all_keys()}
    assert not [key for key, text in said.items() if "[]" in text or text.startswith(("job.", "roles", "policies"))]
    assert said["policies[failed].restart pod"] == "on failed => restart pod"
    assert said["roles[].args{task.index}"] == "args with ${task.index}"


def test_every_target_is_named_for_an_attribute() -> None:
    page = pages_of("gpu")[0]
    assert all(f"\n  {backend.name} " in page for backend in every_backend())


def test_a_word_of_another_tool_is_understood(tmp_path: Path) -> None:
    ran = tfdsl("explain", "nodeSelector", cwd=tmp_path)
    assert ran.status == 2
    assert "did you mean node_selector?" in ran.err


def test_a_code_in_small_letters_is_found(tmp_path: Path) -> None:
    ran = tfdsl("explain", "tfj2104", cwd=tmp_path)
    assert ran.status == 0
    assert ran.out.startswith("TFJ2104 duplicate-mount-path (error)\n\nTwo mounts of a role at one path.\n")
