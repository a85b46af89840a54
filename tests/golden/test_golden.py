"""The examples compile to what stands beside them; ``make generate`` writes it anew."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tfdsl import targets

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_spec = importlib.util.spec_from_file_location("generate_examples", EXAMPLES / "generate.py")
assert _spec is not None
assert _spec.loader is not None
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages without colours, wherever the tests run."""
    monkeypatch.setenv("NO_COLOR", "1")


OUTPUTS = [(name, target) for name in generate.NAMES for target in generate.wanted(name)]


@pytest.mark.parametrize(("name", "target"), OUTPUTS)
def test_example(name: str, target: str) -> None:
    """It compiles without an error for each target that it is for."""
    assert generate.produced(name, target) == generate.read(EXAMPLES / name / "expected" / target)


def test_nothing_else_is_expected() -> None:
    there = {(path.parents[1].name, path.name) for path in EXAMPLES.glob("*/expected/*")}
    assert there == set(OUTPUTS)


def test_the_index_is_fresh() -> None:
    assert (EXAMPLES / "README.md").read_text(encoding="utf-8") == generate.index()


@pytest.mark.parametrize(("copy", "original"), generate.COPIES.items())
def test_a_program_that_several_examples_have_is_the_same(copy: str, original: str) -> None:
    assert (EXAMPLES / copy).read_bytes() == (EXAMPLES / original).read_bytes()


@pytest.mark.parametrize("name", generate.NAMES)
def test_a_target_that_an_example_names_is_there(name: str) -> None:
    assert set(generate.wanted(name)) <= set(targets.names())
