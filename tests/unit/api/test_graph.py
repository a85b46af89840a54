"""``tfdsl.graph``: the same pictures as those of the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tfdsl
from tests.unit.cli.shell import JOB, tfdsl as command

if TYPE_CHECKING:
    from pathlib import Path


def test_each_job_has_a_picture() -> None:
    made = tfdsl.graph(text=JOB + JOB.replace("job mnist", "job other"))
    assert [(one.job, one.like, one.target) for one in made] == [("mnist", ("other",), None)]
    assert repr(made[0]) == "<tfdsl.Graph mnist and 1 like it>"
    assert made[0]._repr_svg_() == made[0].svg()


@pytest.mark.parametrize("target", [None, "volcano@1.9"])
def test_the_command_draws_the_same(target: str | None, tmp_path: Path) -> None:
    path = tmp_path / "mnist.tfjob"
    path.write_text(JOB)
    (made,) = tfdsl.graph(path, target)
    words = () if target is None else ("-t", target)
    for form, text in (("svg", made.svg()), ("mermaid", made.mermaid()), ("dot", made.dot())):
        assert command("graph", "mnist.tfjob", *words, "--format", form, cwd=tmp_path).out == text


def test_boxes_and_links_are_data() -> None:
    (made,) = tfdsl.graph(text=JOB, target="tfjob")
    data = made.data()
    assert [(box["name"], box["count"], box["place"]["line"]) for box in data["boxes"] if box["kind"] == "role"] == [
        ("chief", 1, 4),
        ("worker", 2, 5),
    ]
    assert data["links"][0]["kind"] == "peers"


def test_a_job_made_in_python_is_drawn() -> None:
    job = tfdsl.ir.Job(name="mnist", roles=(tfdsl.ir.Role(name="worker", image="a/b:1", replicas=3),))
    (made,) = tfdsl.graph(job)
    assert "×3" in made.svg()


def test_errors() -> None:
    with pytest.raises(tfdsl.CompileError, match="cannot draw <text>"):
        tfdsl.graph(text="job mnist { role worker { replicas = -1 } }")
    with pytest.raises(tfdsl.UsageError):
        tfdsl.graph(text=JOB, target="nothing")
    with pytest.raises(TypeError, match="belongs to a target"):
        tfdsl.graph(text=JOB, options={"tf_config": "static"})


def test_secrets_are_hidden() -> None:
    text = 'param token: string = "x"\n' + JOB.replace("role chief", 'mount host "/${token}" at "/x"\n  role chief')
    (made,) = tfdsl.graph(text=text, params={"token": "hunter2hunter2"})
    assert "hunter2" not in made.svg() + made.mermaid() + made.dot() + str(made.data())
