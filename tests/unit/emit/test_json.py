"""The JSON writer against Python's reader."""

from __future__ import annotations

import json as reader

import pytest
from hypothesis import given, settings, strategies as st

from tfdsl.emit import json
from tfdsl.emit.located import Located, plain
from tfdsl.vocabulary.quantities import Quantity

TEXT = st.text(max_size=12) | st.sampled_from(
    ["", '"', "\\", "\n", "\u2028", "\x00", "\x7f", "😀", "</script>", "${X}"]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))


@pytest.mark.slow
@settings(deadline=None)
@given(DATA)
def test_any_data_reads_the_same(data: object) -> None:
    written = json.write(data)
    assert written.text.count("\n") == len(written.lines)
    written.text.encode()
    if data is None:
        assert written.text == ""
    else:
        assert reader.loads(written.text) == plain(data)
        assert reader.loads(json.compact(data)) == plain(data)


def test_layout_and_places() -> None:
    data = {
        "components": {"ps": Located({"yarn.memory": Located("2048", "roles[ps].memory"), "gone": None}, "roles[ps]")},
        "none": Located({}, "x"),
        "list": [1, Located("训练", "l"), {"a": []}],
        "memory": Quantity(1, "4Gi"),
    }
    written = json.write(data)
    assert list(zip(written.text.splitlines(), written.lines, strict=True)) == [
        ("{", None),
        ('  "components": {', None),
        ('    "ps": {', "roles[ps]"),
        ('      "yarn.memory": "2048"', "roles[ps].memory"),
        ("    }", "roles[ps]"),
        ("  },", None),
        ('  "none": {},', "x"),
        ('  "list": [', None),
        ("    1,", None),
        ('    "训练",', "l"),
        ("    {", None),
        ('      "a": []', None),
        ("    }", None),
        ("  ],", None),
        ('  "memory": "4Gi"', None),
        ("}", None),
    ]


def test_compact_is_what_tf_config_wants() -> None:
    config = {"cluster": {"worker": ["h:1"], "ps": ["é:1"]}, "environment": None}
    assert json.compact(config) == '{"cluster":{"worker":["h:1"],"ps":["\\u00e9:1"]}}'
    assert json.compact(config, sort_keys=True) == '{"cluster":{"ps":["\\u00e9:1"],"worker":["h:1"]}}'


def test_lone_surrogates_can_be_encoded() -> None:
    written = json.write({"\udc80": "\ud83d"})
    assert reader.loads(written.text.encode().decode()) == {"\udc80": "\ud83d"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_does_not_have(value: float) -> None:
    with pytest.raises(ValueError, match=str(value)):
        json.write([value])
    with pytest.raises(ValueError):
        json.compact(value)
