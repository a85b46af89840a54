"""``tfdsl graph``: formats, files, several jobs and targets, and what is wrong with a command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from tests.unit.cli.shell import JOB, tfdsl

if TYPE_CHECKING:
    from pathlib import Path

TWO = JOB + JOB.replace("job mnist", "job other").replace("replicas = 2", "replicas = 3")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "mnist.tfjob").write_text(JOB)
    (tmp_path / "two.tfjob").write_text(TWO)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ((), "flowchart TB\n"),
        (("--format", "mermaid"), "flowchart TB\n"),
        (("--format", "svg"), "<svg xmlns="),
        (("--format", "dot"), "digraph tfdsl {\n"),
        (("--format", "json", "-o", "-"), '{\n  "version": 1,\n'),
    ],
)
def test_formats_on_standard_output(here: Path, words: tuple[str, ...], start: str) -> None:
    ran = tfdsl("graph", "mnist.tfjob", *words, cwd=here)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(start)
    assert tfdsl("graph", "mnist.tfjob", *words, cwd=here) == ran


@pytest.mark.parametrize(
    ("name", "words", "start"),
    [
        ("job.svg", (), "<svg "),
        ("JOB.SVG", (), "<svg "),
        ("job.mmd", (), "flowchart"),
        ("job.gv", (), "digraph"),
        ("job.json", (), "{"),
        ("job", ("--format", "dot"), "digraph"),
        ("job.txt", ("--format", "mermaid"), "flowchart"),
    ],
)
def test_a_file_has_the_format_of_its_name(here: Path, name: str, words: tuple[str, ...], start: str) -> None:
    assert tfdsl("graph", "mnist.tfjob", "-o", name, *words, cwd=here) == (0, "", "")
    assert (here / name).read_text(encoding="utf-8").startswith(start)


def test_all_jobs_are_in_one_file_or_each_in_its_own(here: Path) -> None:
    assert tfdsl("graph", "two.tfjob", "-o", "all.svg", cwd=here).status == 0
    drawn = ElementTree.parse(here / "all.svg").getroot()
    assert drawn.get("aria-label") == "mnist, other"
    assert tfdsl("graph", "two.tfjob", "-o", "out/", "-t", "tfjob", "-t", "volcano", cwd=here).status == 0
    names = sorted(str(path.relative_to(here / "out")) for path in (here / "out").rglob("*.svg"))
    assert names == [f"{target}/{job}.svg" for target in ("tfjob-1.9", "volcano-1.15") for job in ("mnist", "other")]
    assert tfdsl("graph", "two.tfjob", "--job", "other", "--format", "json", cwd=here).out.count('"job":') == 1


def test_json_has_the_line_of_each_statement(here: Path) -> None:
    document = json.loads(tfdsl("graph", "mnist.tfjob", "--format", "json", cwd=here).out)
    (graph,) = document["graphs"]
    roles = {box["name"]: box["place"] for box in graph["boxes"]}
    assert roles == {"chief": {"path": "mnist.tfjob", "line": 4}, "worker": {"path": "mnist.tfjob", "line": 5}}


def test_standard_input_and_json_are_jobs_too(here: Path) -> None:
    assert "chief" in tfdsl("graph", "-", cwd=here, stdin=JOB.encode()).out
    data = {"name": "mnist", "roles": [{"name": "worker", "image": "a/b:1", "replicas": 7}]}
    ran = tfdsl("graph", "-", cwd=here, stdin=json.dumps(data).encode())
    assert "worker ×7" in ran.out


# --- what is wrong ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "status", "parts"),
    [
        (("-o", "job.png"), 2, ("output-place", "job.png does not say which kind of picture it is", "-o job.svg")),
        (("-o", "job"), 2, ("output-place", "job does not say", "-o job.svg")),
        (("-o", ""), 2, ("output-place", "empty path")),
        (("--format", "png"), 2, ("bad-argument", "svg")),
        (("-t", "nomad"), 2, ("there is no target nomad",)),
        (("--job", "nope"), 1, ("unknown-job", "the job is mnist")),
        (("-o", "mnist.tfjob", "--format", "svg"), 2, ("output-not-written", "mnist.tfjob")),
        (("-o", "missing.tfjob/x.svg"), 0, ()),
    ],
)
def test_wrong_words(here: Path, words: tuple[str, ...], status: int, parts: tuple[str, ...]) -> None:
    ran = tfdsl("graph", "mnist.tfjob", *words, cwd=here)
    assert ran.status == status
    assert ran.out == ""
    assert [part for part in parts if part not in ran.err] == []
    assert (here / "mnist.tfjob").read_text() == JOB


def test_errors_of_the_job_and_of_the_target_are_reported(here: Path) -> None:
    (here / "bad.tfjob").write_text("job mnist { role worker { replicas = -1 } }\n")
    assert "out-of-range" in tfdsl("graph", "bad.tfjob", cwd=here).err
    (here / "none.tfjob").write_text("let a = 1\n")
    assert tfdsl("graph", "none.tfjob", cwd=here).status == 1
    (here / "hdfs.tfjob").write_text(JOB.replace("role chief", 'mount hdfs "hdfs://nn/x" at "/x"\n  role chief'))
    ran = tfdsl("graph", "hdfs.tfjob", "-t", "volcano", "-o", "x.svg", cwd=here)
    assert (ran.status, ran.out) == (1, "")
    assert "VOL008" in ran.err
    assert not (here / "x.svg").exists()


def test_secrets_of_the_command_line_are_not_drawn(here: Path) -> None:
    text = 'param token: string = "x"\n' + JOB.replace("role chief", 'mount host "/${token}" at "/x"\n  role chief')
    (here / "token.tfjob").write_text(text)
    for form in ("svg", "mermaid", "dot", "json"):
        ran = tfdsl("graph", "token.tfjob", "--set", "token=hunter2hunter2", "--format", form, cwd=here)
        assert ran.status == 0
        assert "hunter2" not in ran.out
