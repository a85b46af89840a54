"""Command lines: what is understood, and what is said about what is not."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import JOB, tfdsl
from tfdsl.cli.arguments import Arguments, Command, Flag, Positional, command_line, parse, quote
from tfdsl.record import replace

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = Command(
    "check",
    (Positional("FILE", "a file", many=True),),
    (
        Flag("--target", "a target", short="-t", value="TARGET", many=True),
        Flag("--format", "a format", value="FORMAT", one_of=("text", "json")),
        Flag("--strict", "strict"),
    ),
    (),
)


def given(*words: str) -> Arguments:
    """The arguments of ``tfdsl check WORDS``."""
    _, spans = command_line(["check", *words])
    return parse(COMMAND, words, spans[1:], spans[0])


def values(arguments: Arguments, flag: str) -> list[str]:
    """The texts of a flag's values."""
    return [value.text for value in arguments.values(flag)]


@pytest.mark.parametrize(
    "words", [("-t", "a", "-t", "b"), ("-ta", "-t=b"), ("--target=a", "--target", "b"), ("f", "-t", "a", "g", "-tb")]
)
def test_spellings_of_a_value(words: tuple[str, ...]) -> None:
    assert values(given(*words, "f"), "--target") == ["a", "b"]


@pytest.mark.parametrize("words", [("-t", "volcano"), ("-tvolcano",), ("--target=volcano",), ("--target", "volcano")])
def test_an_option_of_another_command_is_explained_with_its_value(words: tuple[str, ...]) -> None:
    command = replace(COMMAND, flags=(), absent={"-t": "there are no targets", "--target": "there are no targets"})
    _, spans = command_line(["run", *words, "f"])
    (error,) = (arguments := parse(command, [*words, "f"], spans[1:], spans[0])).errors
    assert error.rule.slug == "unknown-flag"
    assert error.helps == ("there are no targets",)
    assert [one.text for one in arguments.rest] == ["f"]


def test_values_may_hold_equals_and_quotes() -> None:
    assert values(given("f", "--target=a='b=c'"), "--target") == ["a='b=c'"]


def test_dash_is_a_file_and_a_value() -> None:
    arguments = given("-", "-t", "-")
    assert [one.text for one in arguments.rest] == ["-"]
    assert values(arguments, "--target") == ["-"]


def test_after_two_dashes_everything_is_a_file() -> None:
    arguments = given("--", "--strict", "-x")
    assert [one.text for one in arguments.rest] == ["--strict", "-x"]
    assert not arguments.on("--strict")
    assert not arguments.errors


def test_help_wins_over_mistakes() -> None:
    assert given("--help").help
    assert not given("--help").errors


@pytest.mark.parametrize(
    ("words", "marked", "slug", "advice"),
    [
        (("f", "--fromat=json"), "--fromat", "unknown-flag", "did you mean --format?"),
        (("f", "--format", "jsn"), "jsn", "bad-argument", "did you mean json?"),
        (("f", "--format=jsn"), "jsn", "bad-argument", "did you mean json?"),
        (("f", "--target"), "--target", "missing-argument", None),
        (("f", "-t", "--strict"), "-t", "missing-argument", None),
        (("f", "--strict=1"), "--strict=1", "bad-argument", None),
        (("f", "--format=text", "--format=json"), "json", "bad-argument", None),
        ((), "check", "missing-argument", None),
        (("f", "-x"), "-x", "unknown-flag", None),
        (("f", "--format", ""), "''", "bad-argument", None),
    ],
)
def test_mistakes_are_marked_in_the_command_line(
    words: tuple[str, ...], marked: str, slug: str, advice: str | None
) -> None:
    (error,) = given(*words).errors
    assert (error.span.text, error.rule.slug) == (marked, slug)
    assert advice is None or advice in error.helps


@pytest.mark.parametrize("word", ["", "a b", "it's", "$HOME", "a\nb", "*", "-t=@x"])
def test_command_line_is_quoted_for_a_shell(word: str) -> None:
    import shlex

    assert shlex.split(quote(word)) == [word]


@pytest.mark.parametrize(
    ("line", "message", "advice"),
    [
        ("compile main.tfjob --targets volcano", "there is no option --targets", "did you mean --target?"),
        ("compile main.tfjob -f yaml -t volcano", "there is no option -f", None),
        ("check main.tfjob -f json", "there is no option -f", None),
        ("check main.tfjob --set n = 3", "write --set n=3, without spaces", None),
        ("check main.tfjob --set n 3", "write --set n=3, without spaces", None),
        ("check main.tfjob --set n= 3", "write --set n=3, without spaces", None),
        ("check main.tfjob --set n: 3", "write --set n=3, without spaces", None),
        ("check main.tfjob --set n =3", "write --set n=3, without spaces", None),
        ("check --set n main.tfjob", "--set needs PARAM=VALUE, not n", None),
        ("check main.tfjob --set n:3", "--set needs PARAM=VALUE, not n:3", "write --set n=3"),
        ("check main.tfjob -O yarn.store = a", "write --option yarn.store=a, without spaces", None),
        ("compile mian.tfjob -t volcano", "cannot read mian.tfjob: there is no such file", "did you mean main.tfjob?"),
        ("check main", "cannot read main: there is no such file", "did you mean main.tfjob?"),
        ("compile main.tfjob -t volcano:1.9", "there is no target volcano:1.9", "write volcano@1.9"),
        ("compile main.tfjob -t volcano 1.9", "unexpected argument 1.9", "write -t volcano@1.9"),
        ("compile main.tfjob volcano", "unexpected argument volcano", "write -t volcano"),
        (
            "compile main.tfjob",
            "compile needs a target: -t TARGET",
            "TARGET is tfjob, volcano, kubernetes, jobset, slider, yarn or slurm",
        ),
        ("check main.tfjob --set 'grace=1 hour'", "a unit follows its number without a space: 1h", None),
        (
            "check main.tfjob --set 'grace=\"1 hour\"'",
            "param grace must be a duration such as 30m, not a string",
            "write 1h",
        ),
    ],
)
def test_one_mistake_of_a_command_line_is_one_message(
    tmp_path: Path, line: str, message: str, advice: str | None
) -> None:
    text = "param n: int = 2\nparam grace: duration = 1h\n" + JOB.replace("replicas = 2", "replicas = n").replace(
        "role chief", "deadline = grace\n  role chief"
    )
    (tmp_path / "main.tfjob").write_text(text)
    ran = tfdsl(*shlex.split(line), cwd=tmp_path)
    errors = [one for one in ran.err.splitlines() if one.startswith("error")]
    assert [one.partition(": ")[2] for one in errors] == [message]
    assert advice is None or f"help: {advice}\n" in ran.err
