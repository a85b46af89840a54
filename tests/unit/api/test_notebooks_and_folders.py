"""What a notebook shows, and what ``Result.write`` says of the folder that it writes into."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import warnings
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tfdsl

JOB = """
job {name} {{
  image = "a:1"
  role chief {{ command = "echo <b>${{task.index}}</b>" }}
  role worker {{ replicas = 2 }}
}}
"""
TAGS = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "br", "p"}
KUSTOMIZATION = "# ours\nresources:\n  - old.yaml # stays\nnamePrefix: dev-\n"


def cells(html: str) -> list[list[str]]:
    """The texts of a table, which is well-formed and has nothing else in it."""
    root = ElementTree.fromstring(f"<div>{html}</div>")
    assert {one.tag for one in root.iter()} <= TAGS
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]


def test_a_job_is_a_table_of_its_roles() -> None:
    result = tfdsl.compile(text=JOB.format(name="a"), target="kubernetes")
    (job,) = result.jobs
    assert cells(job._repr_html_()) == [
        ["name", "replicas", "image", "command"],
        ["chief", "1", "a:1", "echo <b>${task.index}</b>"],
        ["worker", "2", "a:1", ""],
    ]
    assert job._repr_html_() in result._repr_html_()
    assert repr(result) == f"<tfdsl.Result {job.name} on {result.target} {result.version}>"


def test_messages_are_a_table() -> None:
    text = 'job a {\n  image = "a:1"\n  role worker { replicsa = 2 }\n  labels = { "<script>\u202e" = "x" }\n}\n'
    found = tfdsl.check(text=text)
    rows = cells(found._repr_html_())
    assert rows[0] == ["severity", "place", "message", "what to do"]
    assert rows[1][:2] == ["error", "<text>:3:17"]
    assert ("replicsa" in rows[1][2], "did you mean replicas?" in rows[1][3]) == (True, True)
    assert ("<script>" in rows[2][2], "\u202e" in found._repr_html_()) == (True, False)
    assert cells(found[0]._repr_html_()) == rows[:2]
    assert tfdsl.load(text=text)._repr_html_() == found._repr_html_()


def test_a_graph_is_a_picture() -> None:
    (graph,) = tfdsl.graph(text=JOB.format(name="a"))
    assert graph._repr_svg_().startswith("<svg")


def written(project: Path, *names: str, **how: bool) -> list[tfdsl.OutputWarning]:
    """Write the jobs of these names into ``k`` of the project; what is warned of, at this line."""
    (project / "n.tfjob").write_text("".join(JOB.format(name=name) for name in names))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        tfdsl.compile(project / "n.tfjob", "kubernetes").write(project / "k", **how)
    assert {one.filename for one in found} <= {__file__}
    return [one.message for one in found if isinstance(one.message, tfdsl.OutputWarning)]


@pytest.fixture(name="project")
def _project(tmp_path: Path) -> Path:
    (tmp_path / "tfdsl.toml").touch()
    (tmp_path / "k").mkdir()
    return tmp_path


def test_files_that_are_left_over_are_warned_of_once(project: Path) -> None:
    assert written(project, "a", "b", "c") == []
    (warning,) = written(project, "c")
    assert (warning.diagnostic.slug, warning.diagnostic.level) == ("left-over-output", "warning")
    assert "a.yaml" in str(warning)
    assert "b.yaml" in str(warning)
    assert written(project, "c", prune=True) == []
    assert [path.name for path in (project / "k").iterdir()] == ["c.yaml"]


def test_what_is_warned_of_is_a_line_that_acts_on_no_terminal() -> None:
    place = tfdsl.Span("a.tfjob", 1, 1, 1, 1)
    found = tfdsl.Diagnostic("TFJ4000", "some", "warning", "a\nb\x1b[2J", place, help=("rm c\x1b[2J\nd",))
    assert str(tfdsl.OutputWarning(found)) == "a.tfjob:1:1: warning[TFJ4000] some: a b␛[2J; rm c␛[2J d"


def test_a_kustomization_that_does_not_list_what_was_written(project: Path) -> None:
    (project / "k" / "kustomization.yaml").write_text(KUSTOMIZATION)
    found = {one.diagnostic.slug: one for one in written(project, "a")}
    assert set(found) == {"kustomize-renames", "kustomize-unlisted"}
    assert 'compile(…, name="dev-a")' in str(found["kustomize-renames"])
    assert "write(…, kustomization=True)" in str(found["kustomize-unlisted"])
    assert [one.diagnostic.slug for one in written(project, "a", kustomization=True)] == ["kustomize-renames"]
    text = KUSTOMIZATION.replace("stays\n", "stays\n  - a.yaml\n")
    assert (project / "k" / "kustomization.yaml").read_text() == text


def test_what_cannot_be_known_or_written_is_an_error(project: Path) -> None:
    (project / "n.tfjob").write_text(JOB.format(name="a"))
    renamed = tfdsl.compile(project / "n.tfjob", "kubernetes", name="b")
    with pytest.raises(tfdsl.UsageError, match="cannot know which jobs are gone"):
        renamed.write(project / "k", prune=True)
    with pytest.raises(OSError, match="nothing was written"):
        tfdsl.compile(project / "n.tfjob", "kubernetes", name="kustomization").write(project / "k")
    assert list((project / "k").iterdir()) == []
