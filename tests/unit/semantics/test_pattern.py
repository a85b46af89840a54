"""Patterns of params match as Python's own do, in bounded time."""

from __future__ import annotations

import re
from random import Random
from time import process_time

import pytest

from tfdsl.semantics.pattern import PatternError, compile_pattern

ATOMS = ("a", "b", ".", "[ab]", "[^a]", r"\d", r"\.", "[a-c0-9_-]", "[]a]", "^", "$")
REPEATS = ("*", "+", "?", "{2}", "{0,2}", "{1,}", "{0}", "{2,3}", "*?", "+?")


def made_up(random: Random, depth: int = 0) -> str:
    if depth > 3 or random.random() < 0.35:
        return random.choice(ATOMS)
    inner = [made_up(random, depth + 1) for _ in range(2)]
    return random.choice((inner[0] + inner[1], f"({inner[0]}|{inner[1]})", f"(?:{inner[0]}){random.choice(REPEATS)}"))


@pytest.mark.slow
def test_agrees_with_python() -> None:
    random = Random(3)
    for _ in range(3000):
        pattern = made_up(random)
        for _ in range(4):
            text = "".join(random.choice("abc1.-]") for _ in range(random.randrange(7)))
            expected = re.fullmatch(pattern, text, re.DOTALL) is not None
            assert compile_pattern(pattern).fits(text) is expected, (pattern, text)


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|a|a)*b", "(a*)*b", "a*a*a*a*a*a*b", "(a?){30}a{30}b"])
def test_does_not_backtrack(pattern: str) -> None:
    start = process_time()
    assert not compile_pattern(pattern).fits("a" * 2000)
    assert process_time() - start < 1


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(", "a ( has no closing )"),
        ("a)", "unmatched ) at character 2"),
        ("[a", "a [ has no closing ]"),
        ("*", "there is nothing before * to repeat"),
        ("a**", "* cannot follow another repeat"),
        ("a{3,1}", "{3,1} has its limits in the wrong order"),
        ("[b-a]", "bad character range b-a"),
        ("\\", "\\ is not supported"),
        (r"\1", r"\1 is not supported"),
        ("(?=a)", "of the groups with (? only (?: ) is supported"),
        ("(?P<n>a)", "of the groups with (? only (?: ) is supported"),
        ("((a{1000}){1000}){1000}", "it is too long"),
        ("(" * 50 + ")" * 50, "groups can be nested at most 20 deep"),
    ],
)
def test_says_what_is_wrong(pattern: str, problem: str) -> None:
    with pytest.raises(PatternError) as raised:
        compile_pattern(pattern)
    assert str(raised.value) == problem
