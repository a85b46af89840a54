"""Jobs in the language's own terms, as no target has a say in them."""

from __future__ import annotations

import json

import pytest

from tfdsl.compiling import front_end
from tfdsl.compiling.jobs import PlainFlows, plain_flows
from tfdsl.semantics.request import Request
from tfdsl.source_files import Inputs
from tfdsl.text import Argument, Source, Span

TEXT = """\
job mnist {
  image = "registry.example.com/mnist:1.4"
  matrix { lr = [1, 2] }
  role worker { replicas = 3 }
  target volcano { role worker { replicas = 9 } }
}
job other {
  image = "registry.example.com/mnist:1.4"
  role worker { }
}
"""


def jobs_of(text: str, request: Request | None = None) -> PlainFlows:
    source = Source("main.tfjob", text)
    return plain_flows(front_end.read(source, Inputs(source)), request or Request())


def asked(name: str) -> Argument:
    return Argument(name, Span(Source("job", name), 0, len(name)))


def test_target_blocks_change_nothing() -> None:
    made = jobs_of(TEXT)
    assert [(one.job.name, one.job.roles[0].replicas) for one in made.beside] == [
        ("mnist-0", 3),
        ("mnist-1", 3),
        ("other", 1),
    ]
    assert made.beside[0].origins.span("roles[worker].replicas").text == "3"


@pytest.mark.parametrize(("name", "found"), [("mnist", ["mnist-0", "mnist-1"]), ("mnist-1", ["mnist-1"])])
def test_one_job_is_chosen_by_name(name: str, found: list[str]) -> None:
    assert [one.job.name for one in jobs_of(TEXT, Request(job=asked(name))).beside] == found


def test_a_job_as_json_gets_the_name_that_is_asked_for() -> None:
    text = json.dumps({"name": "mnist", "roles": [{"name": "worker", "image": "a/b:1"}]})
    made = jobs_of(text, Request(name=asked("renamed")))
    assert [one.job.name for one in made.beside] == ["renamed"]


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("let a = 1\n", "no-job"),
        ("job mnist { role worker { replicas = -1 } }\n", "out-of-range"),
        ('{"name": "mnist"}', "not-a-job"),
    ],
)
def test_errors_leave_no_job(text: str, slug: str) -> None:
    made = jobs_of(text)
    assert made.beside == ()
    assert slug in [one.rule.slug for one in made.diagnostics]
