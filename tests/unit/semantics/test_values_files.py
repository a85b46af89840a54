"""Files of values for params: what is wrong in one is reported there, and values that do not count are checked too."""

from __future__ import annotations

import pytest

from tfdsl.compiling import pipeline
from tfdsl.semantics.request import Given, Request
from tfdsl.text import Source

JOB = """param workers: int = 1 { max = 64 }
param zones: list<string> = []
param api_token: string = "x"
job j { image = "i:1", args = zones, role worker { replicas = workers } }
"""


def said(*files: str, params: tuple[Given, ...] = (), job: str = JOB) -> list[tuple[str, str, str]]:
    """Path, slug and marked text of each error."""
    program = pipeline.load(Source("job.tfjob", job), lambda path: "no such file")
    values = tuple(Source(f"{number}.params", text) for number, text in enumerate(files))
    done = pipeline.run(program, Request(params=params, values=values))
    errors = [one for one in done.diagnostics if one.level == "error"]
    return [(one.span.source.path, one.rule.slug, one.span.text) for one in errors]


@pytest.mark.parametrize(
    ("text", "slug", "at"),
    [
        ("worker = 3", "unknown-param", "worker"),
        ("workers = 3\nworkers = 4", "duplicate-key", "workers"),
        ("workers = 65", "param-out-of-range", "65"),
        ('workers = "3"', "wrong-type", '"3"'),
        ("zones = none", "unknown-name", "none"),
        ("workers =", "missing-value", ""),
        ("workers: 3", "colon-for-equals", ":"),
        ("job x { }", "not-a-value", "job"),
        ("workers = 3 when true", "no-condition", "when true"),
        ("workers = 1 / 0", "division-by-zero", "0"),
        ("workers = workers", "name-cycle", "workers"),
        ('zones = ["\x00"]', "forbidden-character", "\x00"),
    ],
)
def test_what_is_wrong_is_reported_in_the_file(text: str, slug: str, at: str) -> None:
    assert ("0.params", slug, at) in said(text)


@pytest.mark.parametrize("text", ["", "\n# nothing\n\n", "\ufeff".strip("\ufeff"), "workers = 3 # three\n"])
def test_what_is_right(text: str) -> None:
    assert said(text) == []


def test_values_that_do_not_count_are_checked_too() -> None:
    assert said("workers = 65", "workers = 2") == [("0.params", "param-out-of-range", "65")]
    given = (Given("workers", Source("--set workers", "2")),)
    assert said("workers = 65", params=given) == [("0.params", "param-out-of-range", "65")]


def test_a_job_as_data_has_no_params() -> None:
    from tfdsl.compiling import front_end

    source = Source("job.json", '{"name": "j", "roles": [{"name": "worker", "image": "i:1"}]}')
    given = front_end.read(source, lambda path: "no such file")
    done = front_end.run(given, Request(values=(Source("v.params", "workers = 1"),)))
    assert [(one.span.source.path, one.rule.slug) for one in done.diagnostics] == [("v.params", "unknown-param")]
