"""Whatever the text: a tree, no exception, an answer in time, and no tree too deep to walk."""

from __future__ import annotations

import random
import time

import pytest

from tests.unit.syntax.mutations import good_text, visible
from tfdsl.syntax import lexer, parse, parse_expression
from tfdsl.syntax.format import format_source
from tfdsl.text import Source

pytestmark = pytest.mark.slow

M = 1_000_000
SLOWEST = 20.0  # seconds; each takes less than 3 on a quiet machine, anything quadratic takes minutes

LARGE = {
    "string of 10 MB": 'let a = "' + "x" * 10 * M + '"\n',
    "unclosed string": 'let a = "' + "x" * 2 * M + "\n",
    "bad escapes": 'let a = "' + "\\x" * (M // 4) + '"\n',
    "blanks": "let a = 1" + " " * 10 * M,
    "unclosed interpolations": 'let a = "' + '${"' * 100_000 + "\n",
    "open braces": "job a " + "{" * 100_000,
    "open lists": "let a = " + "[" * 100_000,
    "closing braces": "job a {" + "}" * 100_000,
    "closing lines": "job a {\n" + "}\n" * 50_000,
    "nested lists": "let a = " + "[" * 50_000 + "1" + "]" * 50_000,
    "long sum": "let a = 1" + " + 1" * 50_000,
    "long path": "let a = a" + ".b" * 50_000,
    "minus signs": "let a = " + "-" * 50_000 + "1",
    "choices": "let a = " + "1 ? 2 : " * 20_000 + "1",
    "types": "param x: " + "list<" * 20_000,
    "junk characters": "@ " * 200_000,
    "junk lines": "x = 1\n" * 50_000,
    "junk in a body": "job a {\n" + "foo bar baz 3 4\n" * 20_000 + "}\n",
    "quotes": '"' * 50_001,
    "text marks": '"""\n' * 20_001,
    "NUL characters": "\0" * M,
    "carriage returns": "\r" * M,
    "unclosed text": 'let a = """\n' + "  x\n" * 200_000,
    "comments": "# x\n" * 200_000,
    "YAML": "job a {\n  args:\n" + "  - x\n" * 50_000 + "}",
    "manifests": "apiVersion: v1\n}\n" * 20_000,
    "half-written": "job a {\n" + "mount\n" * 50_000 + "}",
    "heredocs": "a = <<EOF\n" * 20_000,
    "job name": "job " + "a-" * M,
}


@pytest.mark.parametrize("name", LARGE)
def test_large_texts_are_answered_in_time(name: str) -> None:
    begin = time.process_time()
    parsed = parse(Source("test", LARGE[name]))
    assert time.process_time() - begin < SLOWEST
    assert len(parsed.diagnostics) < 3000
    repr(parsed.file.declarations)  # walks the whole tree recursively


def test_a_sum_of_ten_thousand_terms_is_one_clear_error() -> None:
    text = "let a = 1" + " + 1" * 10_000
    (found,) = parse(Source("test", text)).diagnostics
    assert found.rule.slug == "expression-too-deep"
    assert parse(Source("test", "let a = 1" + " + 1" * 100)).diagnostics == ()


def test_too_many_brackets_are_reported_at_the_first_one_too_many() -> None:
    text = "let a = " + "[" * 101 + "]" * 101
    (found,) = parse(Source("test", text)).diagnostics
    assert (found.rule.slug, found.span.start) == ("nesting-too-deep", text.index("[") + 100)
    assert parse(Source("test", "let a = " + "[" * 100 + "]" * 100)).diagnostics == ()


@pytest.mark.parametrize(
    "text", ["", "\n", " ", "\ufeff", "# x", "\r\n", "\t", "}", "{", '"', "'", "=", "$", "\\", "é"]
)
def test_tiny_texts(text: str) -> None:
    parse(Source("test", text))
    parse_expression(Source("test", text))
    format_source(Source("test", text))


def test_mutilated_texts_give_a_tree_and_places_inside_the_text() -> None:
    chance = random.Random(5)
    good = good_text()
    pieces = [token.text for token in visible(good)]
    pieces += [
        '"""',
        "'''",
        '"',
        "\n",
        "\n    ",
        "${",
        "\\",
        "\0",
        "\r",
        "\udc80",
        "//",
        "/*",
        "->",
        ";",
        "'",
        "“",
        "- x",
    ]
    for _ in range(250):
        start = chance.randrange(len(good))
        text = good[start : start + chance.randint(10, 800)]
        for _ in range(chance.randint(1, 20)):
            at = chance.randrange(len(text) + 1)
            text = text[:at] + chance.choice(("", chance.choice(pieces))) + text[at + chance.choice((0, 1, 5)) :]
        source = Source("test", text)
        parsed = parse(source)
        places = [each.span for each in parsed.diagnostics]
        places += [edit.span for each in parsed.diagnostics for fix in each.fixes for edit in fix.edits]
        assert all(0 <= place.start <= place.end <= len(text) for place in places)
        assert [place.start for place in places[: len(parsed.diagnostics)]] == sorted(
            place.start for place in places[: len(parsed.diagnostics)]
        )
        format_source(source)


def test_every_text_of_one_or_two_words() -> None:
    words = (*lexer.KEYWORDS, "name", '"text"', "1", "{", "}", "=", ":", "\n")
    for text in (*words, *(f"{first} {second}" for first in words for second in words)):
        source = Source("a.tfjob", text)
        parse(source)
        format_source(source)
