"""JSON with the place of each value."""

from __future__ import annotations

import pytest

from tests.unit.manifest.reading import document, documents, messages
from tfdsl.manifest.nodes import plain, view


def test_spans() -> None:
    text = '{\n\t"a": [1, {"b": "x"}],\n\t"😀": {}\n}\n'
    root = view(document(text).node)
    assert root.span.text == text.strip()
    assert root["a"].span.text == '[1, {"b": "x"}]'
    assert root["a"][1]["b"].span.text == '"x"'
    assert root.key("😀").text == '"😀"'


def test_objects_follow_each_other() -> None:
    assert [plain(one.node) for one in documents('{"a": 1}\n{"b": 2}{"c": 3}\n', "jobs.json")] == [
        {"a": 1},
        {"b": 2},
        {"c": 3},
    ]


def test_keys_and_texts_of_any_length() -> None:
    key, value = "k" * 5_000, "v" * 100_000
    assert plain(document(f'{{"{key}": "{value}"}}').node) == {key: value}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\ud83d"', "\ufffd"),
        ('"\\u00e9\\/\\n\\u003c"', "é/\n<"),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", 9.223372036854775808e18),
        ("-9223372036854775808", -(2**63)),
        ("123456789012345678901234567890", 1.2345678901234568e29),
        ("1.0", 1),
        ("1.5", 1.5),
        ("1e3", 1000),
        ("1e30", 1e30),
        ("-0", 0),
    ],
)
def test_values(written: str, value: object) -> None:
    read = view(document(f'{{"a": {written}}}').node)["a"].node
    assert read is not None
    assert repr(plain(read)) == repr(value)


def test_a_number_that_is_none_for_the_server() -> None:
    values, (diagnostic,) = messages('{"a": 1e400, "b": 1}')
    assert values == [{"b": 1}]
    assert diagnostic.message == "1e400 cannot be used here: it is too large for a number"


def test_the_last_of_two_equal_keys_is_read_and_told() -> None:
    values, (diagnostic,) = messages('{"a": 1, "b": {"c": 1, "c": 2}}')
    assert values == [{"a": 1, "b": {"c": 2}}]
    assert diagnostic.rule.slug == "import-duplicate-key"
    assert diagnostic.span.start == 23


@pytest.mark.parametrize(
    ("text", "at", "reason"),
    [
        ('{"a": 1 "b": 2}', '"', "expected a comma or }"),
        ('{"a": [1 2] "b"}', "2", "expected a comma or ]"),
        ('{"a" 1}', "1", "expected a colon after the key"),
        ('{"a": tru}}', "t", "expected a value"),
        ('{"a": "x\ny": }', '"', "this string has no closing quote on its line"),
        ('{"a": "\\q"}', "\\", "this is not an escape of a string"),
        ('{"a": 1', "", "expected a comma or }"),
        ("[1, ]]", "]", "a comma is followed by another value"),
    ],
)
def test_what_is_neither_json_nor_yaml(text: str, at: str, reason: str) -> None:
    values, (diagnostic,) = messages(text, "job.json")
    assert values == []
    assert diagnostic.message == f"this is not JSON: {reason}"
    assert diagnostic.span.text == at


def test_yaml_in_braces_is_read_as_yaml() -> None:
    only = document("{a: 1, b: [x,], # comment\n c: 'd'}", "job.json")
    assert only.format == "yaml"
    assert plain(only.node) == {"a": 1, "b": ["x"], "c": "d"}
