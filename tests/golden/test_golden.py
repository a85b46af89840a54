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


@pytest.mark.parametrize("target", targets.names())
@pytest.mark.parametrize("name", generate.NAMES)
def test_example(name: str, target: str) -> None:
    assert generate.produced(name, target) == generate.read(EXAMPLES / name / "expected" / target)


def test_nothing_else_is_expected() -> None:
    folders = {path.name for name in generate.NAMES for path in (EXAMPLES / name / "expected").glob("*")}
    assert folders <= set(targets.names())
