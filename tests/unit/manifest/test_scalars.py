"""What is read for a word is what the API server reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.manifest.reading import values
from tests.unit.manifest.spellings import KEYS, VALUES
from tfdsl.manifest.nodes import Mapping
from tfdsl.manifest.yaml import read
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic


def read_here(text: str) -> object:
    """The value of the document; ``None`` where something is wrong with it."""
    diagnostics: list[Diagnostic] = []
    found = read(Source("x.yaml", text), diagnostics.append)
    return None if any(one.level != "info" for one in diagnostics) else values(found[0].node)


def as_in_the_server(value: object) -> object:
    """A number of its answer that has no 64 bits is a float there, whose digits it writes without an exponent."""
    return float(value) if isinstance(value, int) and not -(2**63) <= value < 2**63 else value


@pytest.mark.parametrize(("written", "value"), VALUES)
def test_values(written: str, value: list[object] | None) -> None:
    result = read_here(f"a: {written}\n")
    assert repr(result) == repr({"a": as_in_the_server(value[0])} if value is not None else None)


@pytest.mark.parametrize(("written", "name"), KEYS)
def test_keys(written: str, name: str | None) -> None:
    result = read_here(f"? {written}\n: 1\n")
    assert result == ({name: 1} if name is not None else None)
    assert name is None or isinstance(result, dict)


def test_an_escape_of_json_is_read_although_the_server_refuses_it_in_yaml() -> None:
    assert read_here('a: "\\/"\n') == {"a": "/"}


@pytest.mark.parametrize(
    ("written", "value"),
    [("123456789012345678.0", 123456789012345680), ("1e18", 10**18), ("9007199254740993.0", 2**53)],
)
def test_floats_become_the_digits_that_go_writes(written: str, value: int) -> None:
    assert repr(read_here(f"a: {written}\n")) == repr({"a": value})


def test_types_are_those_of_the_server() -> None:
    found = read(Source("x.yaml", "a: 1.0\nb: 1.5\nc: 1e30\nd: 1e3\n"), lambda _: None)
    assert isinstance(found[0].node, Mapping)
    assert [type(entry.value.value) for entry in found[0].node.entries.values()] == [int, float, float, int]  # type: ignore[union-attr]
