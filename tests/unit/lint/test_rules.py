"""Every lint rule by its own page: the bad example gives its diagnostic, the good one does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.lint.linting import found
from tfdsl.lint import runner
from tfdsl.semantics.check import check
from tfdsl.semantics.project import load
from tfdsl.semantics.request import Request
from tfdsl.text import Source

EXAMPLE = re.compile(r"## (Bad|Good)\n\n```tfjob\n(.*?)```", re.S)
FOLDER = Path(runner.__file__).parent / "rules"


def examples(slug: str) -> dict[str, str]:
    return dict(EXAMPLE.findall(runner.load(slug).page))


@pytest.mark.parametrize("slug", runner.SLUGS)
def test_page(slug: str) -> None:
    pages = examples(slug)
    assert slug in found(pages["Bad"])
    assert slug not in found(pages["Good"])


@pytest.mark.parametrize("slug", runner.SLUGS)
def test_the_good_example_is_clean(slug: str) -> None:
    assert found(examples(slug)["Good"]) == []


@pytest.mark.parametrize(
    ("policies", "told"),
    [
        ("on chief completed => restart job", True),
        ("on worker completed => restart job", False),
        ("on chief completed => restart job\n on worker completed => complete job", False),
    ],
)
def test_a_job_that_starts_again_each_time(policies: str, told: bool) -> None:
    text = f'job j {{\n image = "i:1"\n role chief {{ }}\n role worker {{ }}\n {policies}\n}}\n'
    assert ("never-completes" in found(text)) == told


@pytest.mark.parametrize(
    ("replicas", "policies", "told"),
    [
        (1, "on worker failed => restart pod\n on worker[0] failed => fail job", ["dead-policy"]),
        (1, "on worker exit 1 => restart pod\n on worker[0] failed => fail job", ["dead-policy"]),
        (2, "on worker failed => restart pod\n on worker[0] failed => fail job", []),
        (1, "on worker failed => restart pod\n on worker[0] exit 1 => fail job", []),
        (1, "on worker evicted => restart pod\n on worker[0] failed => fail job", []),
        (
            2,
            "on worker failed => restart pod\n on worker[0] failed => fail job\n on worker[1] failed => fail job",
            ["dead-policy"],
        ),
    ],
)
def test_a_policy_that_those_of_the_replicas_overrule(replicas: int, policies: str, told: list[str]) -> None:
    text = f'job j {{\n image = "i:1"\n role worker {{ replicas = {replicas} }}\n {policies}\n}}\n'
    assert [slug for slug in found(text) if slug == "dead-policy"] == told


def test_the_table_names_every_module() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} - {"__init__"} == set(runner.RULES.values())


def test_codes_ascend() -> None:
    codes = [rule.code for rule in runner.rules()]
    assert codes == sorted(set(codes))


def test_a_level_can_be_changed_or_switched_off() -> None:
    text = examples("unused-let")["Bad"]
    program = load(Source("job.tfjob", text), lambda path: "no such file")
    done = check(program, Request())
    error = runner.lint(program, done.jobs, done.used, {"unused-let": "error"})
    assert [(d.rule.slug, d.level) for d in error] == [("unused-let", "error")]
    assert runner.lint(program, done.jobs, done.used, {"TFJ3001": "off"}) == []


def test_removing_an_unused_let_takes_its_line() -> None:
    text = examples("unused-let")["Bad"]
    program = load(Source("job.tfjob", text), lambda path: "no such file")
    done = check(program, Request())
    (diagnostic,) = runner.lint(program, done.jobs, done.used)
    (edit,) = diagnostic.fixes[0].edits
    assert text[: edit.span.start] + edit.text + text[edit.span.end :] == examples("unused-let")["Good"]


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("GOOGLE_APPLICATION_CREDENTIALS", "/secrets/key.json", False),
        ("API_TOKEN", "/var/run/secrets/token", False),
        ("DB_PASSWORD", "./password.txt", False),
        ("HUB_TOKEN", "~/.hub/token", False),
        ("DB_PASSWORD", "", False),
        ("DB_PASSWORD", "s3cr3t", True),
        ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", True),
        ("DB_SECRET", "postgres://ada:s3cr3t@db/x", True),
    ],
)
def test_where_a_secret_is_is_not_the_secret(name: str, value: str, told: bool) -> None:
    text = f'job j {{\n image = "i:1"\n env = {{ {name} = "{value}" }}\n role worker {{ }}\n}}\n'
    assert found(text) == (["plain-secret"] if told else [])
