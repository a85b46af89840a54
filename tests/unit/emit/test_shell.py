"""Quoting tried out on the shells themselves, and Kubernetes' expansion on a re-implementation of it."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings, strategies as st

from tfdsl.emit import shell

SHELLS = ("sh", "dash", "bash")
HOSTILE = [
    "", " ", "'", "''", '"', "\\", "\\'", "'\\''", "$HOME", "${HOME}", "$(echo x)", "`echo x`", "a b", "a\tb",
    "a\nb", "\n", "a\n", "\r\n", "*", "?", "[a-z]*", "~", "~root", "!", "!!", "#", "a#b", "&", "|", ";", "<",
    ">", "(", ")", "{a,b}", "A=b", "=", "-n", "-e", "--", "if", "then", "{", "}", "!", "time", "%", "%s", "é",
    "训练", "😀", "\x01", "\x7f", "\x1b[0m", "\ufeff", "-", "--x=$y", "a" * 10_000,
]  # fmt: skip
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


def command_line(words: list[str]) -> str:
    return " ".join(map(shell.quote, words))


def run(name: str, script: str) -> bytes:
    process = subprocess.run([name, "-c", script], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    assert process.stderr == b""
    return process.stdout


@pytest.mark.parametrize("name", SHELLS)
def test_hostile_words_arrive_byte_for_byte(name: str) -> None:
    got = run(name, "printf '%s\\0' " + command_line(HOSTILE))
    assert got.split(b"\0")[:-1] == [word.encode() for word in HOSTILE]


@pytest.mark.parametrize("name", SHELLS)
@settings(max_examples=25, deadline=None)
@given(words=st.lists(TEXT, min_size=1, max_size=20))
def test_any_words_arrive_byte_for_byte(name: str, words: list[str]) -> None:
    got = run(name, "printf '%s\\0' " + command_line(words))
    assert got.split(b"\0")[:-1] == [word.encode() for word in words]


@pytest.mark.parametrize("name", SHELLS)
@pytest.mark.parametrize("word", ["A=b", "if", "{", "!", "while", "case", "done", "function", "a=", "[["])
def test_the_first_word_is_a_command_whatever_it_is(name: str, word: str) -> None:
    process = subprocess.run([name, "-c", command_line([word, "x"])], capture_output=True, check=False)
    assert process.returncode == 127
    assert word.encode() in process.stderr


def test_readable_words_stay_bare() -> None:
    assert command_line(["python", "/app/train.py", "--steps=5000", "-c", "hdfs://nn:8020/a"]) == (
        "python /app/train.py --steps=5000 -c hdfs://nn:8020/a"
    )
    assert shell.quote("it's") == "'it'\\''s'"


def test_no_argument_holds_a_nul() -> None:
    with pytest.raises(ValueError, match="NUL"):
        shell.quote("a\0b")


def expand(text: bytes, values: dict[bytes, bytes]) -> bytes:
    """What the kubelet makes of ``text``, byte by byte as expand.go reads it."""
    out = bytearray()
    at = 0
    while at < len(text):
        if text[at : at + 1] != b"$" or at + 1 == len(text):
            out += text[at : at + 1]
            at += 1
            continue
        following = text[at + 1 : at + 2]
        close = text.find(b")", at + 2)
        if following == b"$":
            out += b"$"
        elif following == b"(" and close >= 0:
            name = text[at + 2 : close]
            out += values.get(name, b"$(" + name + b")")
            at = close - 1
        else:  # Go turns the byte into a code point: exact for ASCII only
            out += b"$" + chr(following[0]).encode()
        at += 2
    return bytes(out)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$(A)-$(B)", "1-2"), ("$$(B)_$(A)", "$(B)_1"), ("f-$$A", "f-$A"), ("foo\\$(A)", "foo\\1"),
        ("$(A$(B))", "$(A$(B))"), ("f$(A!", "f$(A!"), ("$?_$!", "$?_$!"), ("$(NO)", "$(NO)"),
        ("$$$$$$(A)", "$$$(A)"), ("$$$$$$$(A)", "$$$1"),
        ("${A}", "${A}"), ("x$(", "x$("), ("z$", "z$"), ("--$($($($($--", "--$($($($($--"), ("$(f$$v)", "$(f$$v)"),
    ],
)  # fmt: skip
def test_the_reimplementation_does_what_upstreams_own_cases_say(text: str, expected: str) -> None:
    """Cases as in expand_test.go."""
    assert expand(text.encode(), {b"A": b"1", b"B": b"2"}).decode() == expected


DOLLARS = st.text(alphabet="$$$()A {é}\n", max_size=14) | TEXT


@settings(max_examples=500)
@given(DOLLARS)
def test_escaped_text_arrives_as_it_was(text: str) -> None:
    class Everything(dict[bytes, bytes]):
        def get(self, key: bytes, default: object = None) -> bytes:  # type: ignore[override]
            raise AssertionError(f"{key!r} was taken for a reference")

    assert expand(shell.escape_expansion(text).encode(), Everything()).decode() == text


@pytest.mark.slow
@settings(max_examples=500)
@given(DOLLARS, DOLLARS, DOLLARS)
def test_escaped_texts_may_be_joined_with_references(first: str, second: str, third: str) -> None:
    joined = f"{shell.escape_expansion(first)}$(A){shell.escape_expansion(second)}{shell.escape_expansion(third)}$(A)"
    assert expand(joined.encode(), {b"A": b"1"}).decode() == f"{first}1{second}{third}1"


@pytest.mark.parametrize("text", ["", "plain", "$HOME", "${X}", "a $ b", "$1 $@", "100$ and"])
def test_harmless_dollars_stay(text: str) -> None:
    assert shell.escape_expansion(text) == text
