"""Where a secret can be written as plain text, and that each place is reported once."""

from __future__ import annotations

import pytest

from tfdsl.compiling.pipeline import check, load
from tfdsl.lint.runner import lint
from tfdsl.semantics.request import Choice, Request
from tfdsl.targets import find
from tfdsl.text import Source

JOB = 'job j {{\n image = "i:1"\n {job}\n role chief {{ {role} }}\n role worker {{ }}\n {target}\n}}\n'


def found(job: str = "", role: str = "", target: str = "", compiled: str = "volcano") -> list[tuple[str, str]]:
    """The messages' first words and the marked texts."""
    text = JOB.format(job=job, role=role, target=target)
    program = load(Source("job.tfjob", text), lambda path: "no such file")
    backend = find(compiled)
    assert backend is not None
    done = check(program, Request(), [Choice(backend)])
    assert not [one for one in (*program.diagnostics, *done.diagnostics) if one.level == "error"]
    told = [one for one in lint(program, done.jobs, done.used) if one.rule.slug == "plain-secret"]
    return [(one.message.removesuffix(" looks like a secret in plain text"), one.span.text) for one in told]


@pytest.mark.parametrize(
    ("job", "role", "target", "expected"),
    [
        ('env = { DB_PASSWORD = "x1" }', "", "", [("DB_PASSWORD", '"x1"')]),
        ('env = { PLACE = "s3://u:p@h/x" }', "", "", [("the value of PLACE", '"s3://u:p@h/x"')]),
        ('env = { DB_PASSWORD = secret("db", "password"), B = "${env.TOKEN}" }', "", "", []),
        ('env = { DB_PASSWORD = "${env.TOKEN}" }', "", "", []),
        ('args = ["--token", "abc"]', "", "", [("--token", '"abc"')]),
        ("", 'args = ["--token=abc"]', "", [("--token", '"--token=abc"')]),
        ("", 'command = "TOKEN=abc train"', "", [("TOKEN", '"TOKEN=abc train"')]),
        ('annotations = { "db-password" = "abc" }', "", "", [("db-password", '"abc"')]),
        ("", 'labels = { token = "abc" }', "", [("token", '"abc"')]),
        ('build { from = "i:2", run "TOKEN=abc make" }', "", "", [("TOKEN", '"TOKEN=abc make"')]),
        ('build { from = "i:2", run "git clone https://u:p@h/x" }', "", "",
         [("a step of build", '"git clone https://u:p@h/x"')]),
        ('build { from = "i:2", entrypoint = ["x", "--token=abc"] }', "", "", [("--token", '"--token=abc"')]),
        ('checkpoint = "s3://u:p@h/x"', "", "", [("checkpoint", '"s3://u:p@h/x"')]),
        ("", "", 'target volcano { patch "metadata.annotations.token" = "abc" }', [("token", '"abc"')]),
        ("", "", 'target volcano { patch pod "spec.containers[0].env" += [{ name = "TOKEN", value = "abc" }] }',
         [("TOKEN", '"abc"')]),
    ],
)  # fmt: skip
def test_places(job: str, role: str, target: str, expected: list[tuple[str, str]]) -> None:
    assert found(job, role, target) == expected


def test_a_map_that_is_an_option_of_the_target() -> None:
    block = (
        'target slider { config_files = { "s3.json" = { "fs.secret.key" = "abc", place = "s3://u:p@h/x", a = "b" } } }'
    )
    told = found(target=block, compiled="slider")
    assert told == [("fs.secret.key", '"abc"'), ("the value of place", '"s3://u:p@h/x"')]
    assert found(target=block) == [], "volcano does not use it"
