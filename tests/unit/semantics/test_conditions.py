"""Conditions of jobs against what the command line asks for, and in the jobs of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Argument, Source, Span

if TYPE_CHECKING:
    from pathlib import Path

JOBS = """\
param prod: bool = false
job train when !prod { image = "a:1", role worker { } }
job train when prod { image = "a:2", role worker { } }
job nightly when prod { image = "a:1", role worker { } }
"""


def outcome(text: str, job: str | None = None, name: str | None = None) -> pipeline.Outcome:
    program = pipeline.load(Source("a.tfjob", text), lambda path: "there is no other file")
    target = targets.find("volcano")
    assert target is not None
    return pipeline.run(program, Request(job=asked(job), name=asked(name)), [Choice(target)])


def asked(text: str | None) -> Argument | None:
    return None if text is None else Argument(text, Span(Source("argument", text), 0, len(text)))


def errors(text: str, job: str | None = None, name: str | None = None) -> list[str]:
    return [one.message for one in outcome(text, job, name).diagnostics if one.level == "error"]


def test_a_job_that_is_asked_for_must_be_there() -> None:
    assert errors(JOBS, job="nightly") == ["job nightly is absent: prod is false"]
    assert errors(JOBS, job="train") == []
    assert [made.unit.job.name for made in outcome(JOBS).made] == ["train"]


def test_an_absent_job_needs_no_name_of_its_own() -> None:
    assert errors(JOBS, job="train", name="mine") == errors(JOBS, name="mine") == []
    assert [made.unit.job.name for made in outcome(JOBS, name="mine").made] == ["mine"]


MATRIX = """\
job sweep when matrix.lr < 3 {
  matrix { lr = [1, 2, 3] }
  image = "a:${matrix.lr}"
  role worker { cpu = 1 when matrix.lr == 2, memory = 1Gi when lr == 1 }
  role ps when matrix.lr == 1 { }
  on ps failed => restart container
}
"""


def test_the_jobs_of_a_matrix_have_their_own_conditions() -> None:
    text = MATRIX.replace(", memory = 1Gi when lr == 1", "")
    made = outcome(text).made
    assert [(one.unit.job.name, len(one.unit.job.roles)) for one in made] == [("sweep-0", 2), ("sweep-1", 1)]
    assert [str(one.unit.job.roles[0].cpu) for one in made][1] == "1"
    dropped = [one for one in outcome(text).diagnostics if one.rule.slug == "dropped-item"]
    assert [[label.message for label in one.labels] for one in dropped] == [
        ["this condition is false", "job sweep-1, where lr = 2"]
    ]


def test_a_wrong_condition_is_reported_once_for_all_jobs_of_a_matrix() -> None:
    assert errors(MATRIX) == ["lr is not defined"]


def test_all_profiles_must_leave_a_job(tmp_path: Path) -> None:
    profiles = "profile on { a = true }\nprofile off { a = false }\n"
    text = f'param a: bool\n{profiles}job j when a {{ image = "x:1", role worker {{ }} }}\n'
    done = tfdsl("check", "-", "--all-profiles", cwd=tmp_path, stdin=text.encode())
    assert done.status == 1
    assert "job j is absent: a is false" in done.err


HOSTILE = ("when", "when =", "when true when true", "when {", 'when "${', "when [", "when job.name.x")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_conditions(text: str) -> None:
    assert errors(f'job a {{ image = "x:1", role worker {{ gpu = 1 {text} }} }}\n')


def test_lint_looks_at_what_is_there_and_counts_names_in_conditions_as_used() -> None:
    text = """\
param prod: bool = false
let big = prod
let size = 4
template heavy { gpu = size }
job a {
  image = "registry.example.com/a:1"
  use heavy when big
  cpu = 500m when big
  role worker { image = "registry.example.com/a:latest" when prod }
  role ps when prod { gpu = 1 }
}
"""
    assert [one.rule.slug for one in outcome(text).diagnostics if one.level != "info"] == []
    used = text.replace("image = ", "memory = 8Gi, image = ").replace(":latest", ":2").replace("gpu = 1", "cpu = 1")
    assert not [one for one in outcome(used).diagnostics if one.rule.slug.startswith("unused")]


WAIVERS = """\
param prod: bool = false
template heavy {
  shm = 1Gi
  image = "r/heavy"  # tfdsl: allow[floating-image-tag] in a template
}
job nightly when prod {
  image = "r/nightly"  # tfdsl: allow[floating-image-tag] in a job
  role worker { cpu = 1 }
}
job train {
  image = "r/train:1"
  image = "r/train" when prod  # tfdsl: allow[floating-image-tag] at an attribute
  # tfdsl: allow[floating-image-tag] above a step
  sidecar log when prod { image = "r/log" }
  role worker { cpu = 1 }
  role ps when prod {
    use heavy
    cpu = 1
  }
  role evaluator { cpu = 2 }  # tfdsl: allow[floating-image-tag] at what is there
}
"""


@pytest.mark.parametrize("prod", ["false", "true"])
def test_a_waiver_at_what_is_absent_is_not_stale(prod: str) -> None:
    text = WAIVERS.replace("bool = false", f"bool = {prod}").replace('"r/train:1"', f'"r/train:1" when {prod} == false')
    program = pipeline.load(Source("a.tfjob", text), lambda path: "there is no other file")
    checked = pipeline.run(program, Request())
    diagnostics = pipeline.settle([checked], [program], strict=False)
    waivers = [one.span.source.position(one.span.start)[0] for one in diagnostics if one.rule.slug == "stale-waiver"]
    assert waivers == [20]
    assert not [one for one in diagnostics if one.rule.slug == "floating-image-tag"]


def test_a_waiver_at_what_some_job_of_a_matrix_has_can_be_stale() -> None:
    text = """\
job "train-${matrix.size}" {
  matrix { size = [1, 2] }
  image = "r/a:1"
  shm = 1Gi when matrix.size == 2  # tfdsl: allow[floating-image-tag] nothing here has an image
  role worker { cpu = matrix.size }
}
"""
    program = pipeline.load(Source("a.tfjob", text), lambda path: "there is no other file")
    diagnostics = pipeline.settle([pipeline.run(program, Request())], [program], strict=False)
    assert [one.rule.slug for one in diagnostics] == ["stale-waiver"]
