"""Located values: what is absent, and what path an entry has."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from tfdsl.emit.located import Located, at, located, plain, unless_empty
from tfdsl.record import Record
from tfdsl.vocabulary.quantities import Quantity


class Role(Record):
    """Stands in for a node of the IR."""

    path: str
    value: object


@pytest.mark.parametrize("value", [None, "", (), {}, MappingProxyType({})])
def test_what_a_job_does_not_set_is_absent(value: object) -> None:
    assert at(Role("roles[ps]", value), "value") is None


@pytest.mark.parametrize("value", [False, 0, 0.0, "x", Quantity(0, "0")])
def test_false_and_zero_are_values(value: object) -> None:
    assert at(Role("roles[ps]", value), "value") == Located(value, "roles[ps].value")


def test_the_job_has_the_empty_path() -> None:
    assert at(Role("", "gpu"), "value") == Located("gpu", "value")


def test_entries_have_paths_of_their_own() -> None:
    assert at(Role("", ("a", "b")), "value") == ([("a", "value[0]"), ("b", "value[1]")], "value")
    assert at(Role("r", MappingProxyType({"k": 1})), "value") == ({"k": (1, "r.value[k]")}, "r.value")


def test_absent_values_are_dropped_and_empty_ones_kept() -> None:
    data = {
        "a": None,
        "b": Located(None, "b"),
        "c": {},
        "d": [None, 1, ()],
        "e": Located(Located(Quantity(1, "1m"), "x"), "y"),
    }
    assert plain(data) == {"c": {}, "d": [1, []], "e": "1m"}
    assert plain(None) is None
    assert located(None, "p") is None


@pytest.mark.parametrize("data", [{}, [], "", {"a": None}, [Located(None, "x")], Located({}, "x"), None])
def test_unless_empty_drops(data: object) -> None:
    assert unless_empty(data) is None


@pytest.mark.parametrize("data", [{"a": {}}, [0], "a", Located([1], "x"), 0, False])
def test_unless_empty_keeps(data: object) -> None:
    assert unless_empty(data) is data
