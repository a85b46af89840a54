"""Every public shape compiles, and its output holds what the original says; few need a patch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import tfdsl
from tests.migration.shape import Shape, shapes

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = pytest.mark.slow

SHAPES = shapes()

FEWEST = 50
"""The shapes that there must be."""

WITHOUT_PATCH = 0.9
"""The part of them that must do without a patch."""


def compiled(shape: Shape) -> tfdsl.Result:
    return tfdsl.compile(
        text=shape.job, target=shape.target, profile=shape.fields.get("profile", "").strip("`") or None
    )


def missing(wanted: Any, made: Any, at: str = "") -> list[str]:
    """The places of ``wanted`` that are not so in ``made``.

    Of a map the named keys count, of a list of maps each element in any place; a text that is JSON is compared as data.
    """
    if isinstance(wanted, dict):
        if isinstance(made, str) and made.lstrip().startswith("{"):
            made = json.loads(made)
        if not isinstance(made, dict):
            return [f"{at}: {made!r} is not a map"]
        return [gap for key, value in wanted.items() for gap in missing(value, made.get(key), f"{at}.{key}")]
    if isinstance(wanted, list) and any(isinstance(each, dict) for each in wanted):
        elements: list[Any] = made if isinstance(made, list) else []
        gaps = [closest(value, elements, f"{at}[{n}]") for n, value in enumerate(wanted)]
        return [gap for these in gaps for gap in these]
    if isinstance(wanted, list):
        same = isinstance(made, list) and [str(each) for each in made] == [str(each) for each in wanted]
        return [] if same else [f"{at}: {made!r} instead of {wanted!r}"]
    return [] if str(wanted) == str(made) else [f"{at}: {made!r} instead of {wanted!r}"]


def closest(wanted: Any, made: Iterable[Any], at: str) -> list[str]:
    """What is missing in the element that holds most of ``wanted``."""
    return min((missing(wanted, each, at) for each in made), key=len, default=[f"{at}: absent"])


def test_there_are_enough() -> None:
    assert len(SHAPES) >= FEWEST
    assert sum(not shape.patches for shape in SHAPES) >= WITHOUT_PATCH * len(SHAPES)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_output_holds_what_the_original_says_and_every_warning_is_named(shape: Shape) -> None:
    result = compiled(shape)
    files = {Path(document.file).name: document.data for document in result.documents}
    documents = [document.data for document in result.documents]
    gaps: list[str] = []
    assert shape.holds
    for holds in shape.holds:
        if not holds.file:
            for wanted in yaml.safe_load_all(holds.text):
                kind = [each for each in documents if isinstance(each, dict) and each["kind"] == wanted["kind"]]
                gaps += closest(wanted, kind, wanted["kind"])
        elif holds.language == "yaml":
            gaps += missing(yaml.safe_load(holds.text), files[holds.file], holds.file)
        else:
            gaps += [
                f"{holds.file}: {line}" for line in holds.text.splitlines() if not has_line(files[holds.file], line)
            ]
    assert gaps == []
    told, warned = (
        {f"{one.code} {one.slug}" for one in result.diagnostics if one.level in levels}
        for levels in (("warning", "info"), ("warning",))
    )
    assert warned <= {*shape.warnings}
    assert {*shape.warnings} <= told  # what no edit of the file ends is a note


def has_line(script: object, wanted: str) -> bool:
    """Whether a script has a flag on a line of its own, or anything else anywhere."""
    assert isinstance(script, str)
    return wanted in script if not wanted.startswith("-") else wanted in map(str.strip, script.splitlines())


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_job_is_formatted(shape: Shape) -> None:
    assert tfdsl.format(text=shape.job) == shape.job
