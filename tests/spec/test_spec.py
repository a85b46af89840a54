"""The pages of the specification, executed: each example says what it says, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spec.page import MAIN, Example, Expected, code_of, examples
from tests.spec.running import at, constant, flows, jobs, matches, run
from tfdsl.diagnostics.render.text import render

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic

PAGES = sorted(Path(__file__).parent.glob("[0-9]*.md"))
CONTENTS = Path(__file__).with_name("README.md")
EXAMPLES = [example for page in PAGES for example in examples(page)]
every_example = pytest.mark.parametrize("example", EXAMPLES, ids=[example.title for example in EXAMPLES])


@every_example
def test_diagnostics(example: Example) -> None:
    found = run(example.files, example.options).diagnostics
    if example.rendered is not None:
        assert render(found, [MAIN]) == example.rendered
        return
    wrong: list[str] = []
    for mark in example.expected():
        match = next((one for one in found if _is(mark, one)), None)
        if match is None:
            wrong.append(f"line {_line(example, mark)}: missing {mark.level}: {mark.slug} at {mark.text}")
            continue
        found.remove(match)
        wrong += [f"line {_line(example, mark)}: {problem}" for problem in _differences(mark, match)]
    wrong += [f"not asserted:\n{render([one], [MAIN])}" for one in found]
    assert not wrong, "\n".join(wrong)


def _line(example: Example, mark: Expected) -> int | str:
    return mark.line + example.offset if mark.file == MAIN else f"{mark.line} of {mark.file}"


def _is(mark: Expected, found: Diagnostic) -> bool:
    span = found.span
    line, column = span.source.position(span.start)
    return (
        (span.source.path, line, found.level, found.rule.slug) == (mark.file, mark.line, mark.level, mark.slug)
        and mark.column in (None, column)
        and (mark.text is None or _covers(span.text, mark.text))
    )


def _covers(covered: str, text: str) -> bool:
    return covered.startswith(text[:-1]) if text.endswith("…") else covered == text


def _differences(mark: Expected, found: Diagnostic) -> list[str]:
    wrong = [f"the message is {found.message!r}" for message in mark.messages if message != found.message]
    wrong += [f"no help {help_!r} in {list(found.helps)}" for help_ in mark.helps if help_ not in found.helps]
    labels = [f"{label.message} at {label.span.text}" for label in found.labels]
    return wrong + [f"no note {note!r} in {labels}" for note in mark.notes if note not in labels]


FIXABLE = [example for example in EXAMPLES if any(one.fixes for one in run(example.files, example.options).diagnostics)]


@pytest.mark.parametrize("example", FIXABLE, ids=[example.title for example in FIXABLE])
def test_fixes(example: Example) -> None:
    """What a fix is for is gone when it was applied."""
    before = run(example.files, example.options).diagnostics
    for found in before:
        fix = found.fixes[0] if found.fixes else None
        files = dict(example.files)
        if fix is None or any(edit.span.source.path not in files for edit in fix.edits):
            continue  # what is wrong on a command line is not edited
        for edit in sorted(fix.edits, key=lambda edit: -edit.span.start):
            path = edit.span.source.path
            files[path] = files[path][: edit.span.start] + edit.text + files[path][edit.span.end :]
        after = run(files, example.options).diagnostics
        assert _count(after, found) < _count(before, found), f"still there after the fix:\n{render([found])}"
        for mark in example.expected():
            if mark.fixed and _is(mark, found):
                line = files[mark.file].splitlines()[mark.line - 1]
                assert code_of(line) == mark.fixed[0]


def _count(diagnostics: list[Diagnostic], like: Diagnostic) -> int:
    return sum(one.rule is like.rule and one.message == like.message for one in diagnostics)


def test_every_promised_fix_is_there() -> None:
    for example in EXAMPLES:
        found = run(example.files, example.options).diagnostics
        for mark in example.expected():
            if mark.fixed:
                assert any(_is(mark, one) and one.fixes for one in found), f"{example.title}: {mark.slug} has no fix"


CLEAN = [example for example in EXAMPLES if not run(example.files, example.options).errors]


@pytest.mark.parametrize("example", CLEAN, ids=[example.title for example in CLEAN])
def test_values(example: Example) -> None:
    """What checks clean lowers, for every target; and the values are those that the page shows."""
    made = jobs(example)
    in_order = flows(example)
    for path, expected in example.values.items():
        if path in ("jobs", "flows"):
            assert [one.name for one in (made if path == "jobs" else in_order.values())] == expected
            continue
        name, colon, inner = path.partition(": ")
        of_flow = in_order.get(name.removeprefix("flow "))
        job = of_flow or (next(one for one in made if one.name == name) if colon else made[0])
        actual = at(job, inner if colon else path)
        assert matches(actual, expected), f"{path} is {actual!r}"


def test_values_are_only_shown_of_clean_examples() -> None:
    assert [example.title for example in EXAMPLES if example.values and example not in CLEAN] == []


CONSTANTS = [(example, name) for example in EXAMPLES for name in example.constants()]


@pytest.mark.parametrize(("example", "name"), CONSTANTS, ids=[f"{example.title} {name}" for example, name in CONSTANTS])
def test_constants(example: Example, name: str) -> None:
    assert constant(example, name) == example.constants()[name]


def test_the_contents_name_every_page_in_order() -> None:
    listed = re.findall(r"^(\d+)\. \[(.*)\]\((.*)\)$", CONTENTS.read_text(encoding="utf-8"), re.M)
    titles = [page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for page in PAGES]
    assert listed == [
        (str(number), title, page.name) for number, (title, page) in enumerate(zip(titles, PAGES, strict=True), 1)
    ]
