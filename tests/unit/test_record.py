"""Frozen value classes."""

from __future__ import annotations

import inspect

import pytest

from tfdsl.record import Record, replace


class Point(Record):
    x: int
    y: int


class Shifted(Point):
    by: int = 2
    seen: dict[str, int] = {}  # noqa: RUF012  (each record gets its own)


class Named(Record):
    name: str
    other: str = "none"


def test_fields_are_set_by_place_and_by_name() -> None:
    assert (Point(1, 2).x, Point(1, y=2).y) == (1, 2)
    assert (Named("a").name, Named("a").other, Named("a", other="b").other) == ("a", "none", "b")
    assert (Shifted(1, 2).by, Shifted(1, 2, 3).by) == (2, 3)


def test_records_with_as_many_fields_do_not_share_names_or_defaults() -> None:
    assert list(inspect.signature(Point).parameters) == ["x", "y"]
    assert list(inspect.signature(Named).parameters) == ["name", "other"]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        Point(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Named("a", z=1)  # type: ignore[call-arg]


def test_each_has_a_dict_of_its_own() -> None:
    first, second = Shifted(1, 2), Shifted(1, 2)
    first.seen["a"] = 1
    assert second.seen == {}


def test_a_field_without_a_default_comes_first() -> None:
    with pytest.raises(TypeError, match="a field without a default follows one with a default: a, b"):
        type("Wrong", (Record,), {"__annotations__": {"a": "int", "b": "int"}, "a": 1})


def test_replaced_fields() -> None:
    assert replace(Point(1, 2), y=3) == Point(1, 3)
