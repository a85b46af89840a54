"""A file of values for params in an editor: for which job it is, what is wrong, and what may be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.wire import Wire
from tfdsl.compiling import pipeline
from tfdsl.lsp.features.params_file import complete, hover, problems
from tfdsl.semantics.project import Program
from tfdsl.text import Source

JOB = """\
edition 1
param workers: int = 2 { description = "training replicas", max = 8 }
param big: bool = false
param data: string = "/d"
job a { image = "x:1", role worker { replicas = workers } }
"""
OTHER = JOB.replace("param data", "param lr: number = 1\nparam data").replace("workers", "replicas")


def program(path: str, text: str) -> Program:
    return pipeline.load(Source(path, text, path), lambda _: "there is no such file")


PROGRAMS = [program("/w/a/job.tfjob", JOB), program("/w/a/other.tfjob", OTHER), program("/v/job.tfjob", OTHER)]


def marked(text: str, path: str = "/w/a/prod.params") -> tuple[Source, int]:
    return Source(path, text.replace("▮", ""), path), text.find("▮")


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("workers = 4\nbig = true\n", "/w/a/prod.params", []),
        ("workers = 9\n", "/w/a/prod.params", [("param-out-of-range", "9")]),
        ("workers = true\n", "/w/a/deep/prod.params", [("wrong-type", "true")]),
        ("workers = 1\nworker = 4\n", "/w/a/prod.params", [("unknown-param", "worker")]),
        ("workers = 1\nworkers = 2\n", "/w/a/prod.params", [("duplicate-key", "workers")]),
        ("lr = 2\nreplicas = 3\n", "/w/a/prod.params", []),
        ("workers = \n", "/w/a/prod.params", [("missing-value", "")]),
        ("workers = 9\nworker = 3\n", "/nowhere/prod.params", []),
    ],
    ids=[
        "right",
        "too large",
        "wrong type, in a folder below",
        "unknown",
        "twice",
        "of another job",
        "syntax",
        "no job",
    ],
)
def test_what_is_wrong(text: str, path: str, expected: list[tuple[str, str]]) -> None:
    found = problems(Source(path, text, path), PROGRAMS)[path]
    assert [(one.diagnostic.rule.slug, one.diagnostic.span.text.strip()) for one in found] == expected


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("▮", {"workers", "big", "data"}),
        ("workers = 3\nb▮", {"big", "data"}),
        ("workers = 1\nbig = ▮", {"true", "false"}),
    ],
)
def test_what_may_be_written(text: str, labels: set[str]) -> None:
    source, offset = marked(text)
    found = complete(source, PROGRAMS, offset)
    assert found is not None
    assert labels <= {item.label for item in found.items}
    assert not {"job", "role", "lr"} & {item.label for item in found.items}
    assert (found.span.source, found.span.end) == (source, offset)


def test_what_it_means() -> None:
    source, offset = marked("wor▮kers = 3\n")
    about = hover(source, PROGRAMS, offset)
    assert about is not None
    assert "training replicas" in about.text
    assert about.span.text == "workers"


@pytest.mark.slow
def test_in_a_session(tmp_path: Path) -> None:
    (tmp_path / "job.tfjob").write_text(JOB)
    wire = Wire()
    try:
        wire.begin(rootUri=tmp_path.as_uri())
        wire.open((tmp_path / "prod.params").as_uri(), "workers = 9\n")
        found = wire.published(1)
        assert "param-out-of-range" in str(found)
    finally:
        wire.close()
