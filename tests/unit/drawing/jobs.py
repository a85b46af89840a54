"""Pictures of jobs for the tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tfdsl.compiling import front_end
from tfdsl.compiling.front_end import choice_of
from tfdsl.drawing.graphs import graphs
from tfdsl.semantics.request import Choice, Request
from tfdsl.source_files import Inputs
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.drawing.picture import Box, Picture

EXAMPLES = Path(__file__).parents[3] / "examples"
HEAD = 'image = "registry.example.com/mnist:1.4"\ncommand = ["python", "train.py"]\n'


def pictures_of(text: str, *targets: str) -> list[Picture]:
    """The pictures of the jobs of a text."""
    source = Source("main.tfjob", text)
    choices = [choice_of(target, Span(Source("-t", target), 0, len(target))) for target in targets]
    found = graphs(
        front_end.read(source, Inputs(source)), Request(), [one for one in choices if isinstance(one, Choice)]
    )
    errors = [one.message for one in found.diagnostics if one.level == "error"]
    assert errors == []
    return [one.picture for one in found.graphs]


def picture_of(body: str, *targets: str) -> Picture:
    """The picture of one job called ``mnist``, with an image and a command."""
    (found,) = pictures_of(f"job mnist {{\n{HEAD}{body}\n}}\n", *targets)
    return found


def picture_of_example(name: str) -> Picture:
    """The picture of the first job of a shipped example."""
    return pictures_of((EXAMPLES / name / "main.tfjob").read_text(encoding="utf-8"))[0]


def links_of(picture: Picture) -> set[tuple[str, str, str]]:
    """Who is linked to whom, by name, and how."""
    names = {box.id: box.name for box in picture.boxes} | {"job": "job"}
    return {(names[link.source], link.kind, names[link.target]) for link in picture.links}


def box(picture: Picture, name: str) -> Box:
    """The box of that name."""
    return next(one for one in picture.boxes if one.name == name)


def texts(picture: Picture, name: str) -> list[str]:
    """The lines of the box of that name."""
    return [line.text for line in box(picture, name).lines]
