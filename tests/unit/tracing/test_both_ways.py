"""What one way finds, the other way finds too, for every line of every example on every target that takes it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tfdsl import targets
from tfdsl.compiling import front_end, pipeline
from tfdsl.semantics.request import Choice, Request
from tfdsl.source_files import Inputs, read
from tfdsl.text import Source
from tfdsl.tracing import back
from tfdsl.tracing.files import Destination, candidates
from tfdsl.tracing.forward import Forward, Question, line_span
from tfdsl.tracing.trace import line_count, lines_of

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples").glob("*/main.tfjob"))
NAMED = [pytest.param(path, id=path.parent.name) for path in EXAMPLES]
WEIGHED = [
    pytest.param(
        path, id=path.parent.name, marks=[] if path.parent.name in ("mnist", "two-clusters") else [pytest.mark.slow]
    )
    for path in EXAMPLES
]


class Compiled(NamedTuple):
    """An example, compiled for a target."""

    given: front_end.Input
    source: Source
    choice: Choice
    outcome: pipeline.Outcome


def compiled(path: Path) -> list[Compiled]:
    """An example for each target that takes it."""
    source = read(str(path))
    assert isinstance(source, Source)
    given = front_end.read(source, Inputs(source))
    found = []
    for backend in targets.built_in():
        choice = Choice(backend)
        outcome = front_end.compiled(given, Request(), [choice])
        if not pipeline.has_errors(outcome.diagnostics):
            found.append(Compiled(given, source, choice, outcome))
    assert found
    return found


@pytest.mark.parametrize("path", WEIGHED)
def test_each_line_of_the_output_is_made_by_the_line_it_comes_from(path: Path) -> None:
    for one in compiled(path):
        made_by_its_line(*one)


def made_by_its_line(given: front_end.Input, source: Source, choice: Choice, outcome: pipeline.Outcome) -> None:
    made: dict[int, set[tuple[str, int]]] = {}
    for number in range(1, line_count(source) + 1):
        question = Question(given, line_span(source, number), Request())
        forward = Forward(question, Destination().files, lambda other, choice: None)
        answer = forward.answer(choice, outcome)
        assert bool(answer.lines) == (answer.reason is None)
        lines = [line for group in answer.lines for line in group.lines]
        made[number] = {(line.place.path, line.place.line) for line in lines}
        assert len(made[number]) == len(lines), "each line once"
    found = [line for one in Destination().files(outcome.outputs) for line in lines_of(one)]
    assert any(line.origin is not None for line in found)
    for line in found:
        if line.origin is not None:
            assert line.origin.path == source.path
            assert line.origin.text == source.line(line.origin.line)
            assert (line.place.path, line.place.line) in made[line.origin.line], line


@pytest.mark.parametrize("path", NAMED)
def test_a_file_is_found_by_its_text_and_an_edited_one_by_what_is_left(path: Path) -> None:
    for one in compiled(path):
        known = list(candidates(one.outcome.outputs))
        for made, file in known:
            text = file.written.text
            found = back.match(text, f"x/{file.name}", 1, known)
            assert found is not None
            assert (found.file.written.text, found.line, found.same) == (text, 1, True)
            edited = back.match(f"# by hand\n{text}", f"x/{file.name}", 2, known)
            if text.strip():
                assert edited is not None
                assert (edited.line, edited.same) == (1, False)
            assert made.unit.target == one.choice.backend.name
