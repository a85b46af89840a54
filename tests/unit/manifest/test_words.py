"""The words of a shell, as bash gives them to a program."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tfdsl.manifest.shell_words import expanded, read_script, within
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.manifest.shell_words import Command, Script


def script(text: str) -> Script:
    source = Source("run.sh", text)
    return read_script(text, lambda start, end: Span(source, start, end))


def commands(text: str) -> list[list[str]]:
    found = script(text)
    assert found.problem is None
    return [[word.text for word in one.words] for one in expanded(found) if one.words]


def last(text: str) -> Command:
    return expanded(script(text))[-1]


AS_BASH = [
    "p a b",
    "p 'a  b' \"c d\" e\\ f g''h '' \"\"",
    'p "a\\"b\\$c\\\\d\\e" \'x\\\'',
    "p it\\''s' # comment",
    "p a#b '#c' \\#d",
    "p a \\\n  b\\\nc",
    'X="one two"; p $X "$X" x$X"$X"y $X$X',
    "X=' a '; p x${X}y \"${X}\"",
    'X=; p a$X $X "$X"',
    "export X='1 2' Y=3; p $X $Y",
    "X=1; X+=2; p $X",
    'A=(a "b c" d); A+=(e); p "${A[@]}" "x${A[@]}y" ${A[@]}',
    'A=(); p "${A[@]}" x',
    'p ${NO-} ${NO:-one} "${NO-}" a${NO:-b}',
    "p $'a\\tb\\'c'",
    "p 2>&1 a >/dev/null b </dev/null",
    "p a1>/dev/null b 3>/dev/null 4 >/dev/null",
    "p $ a$ \"$\" '$X'",
    "p a=b x=y",
    "cat >/dev/null <<'E'\nhello $x `y` \"\nE\np after",
    "cat >/dev/null <<-E >/dev/null\n\tx\n\tE\np after",
    "{ p a; } && p b",
    "(p a)",
    "f() { p in; }\nf=1",
    "if true; then p a; fi",
]


@pytest.mark.parametrize("text", AS_BASH)
def test_words_are_those_of_bash(text: str) -> None:
    program = 'exec 9>&1; p() { printf "%s\\0" "$@" END >&9; }\n'
    if "f()" in text:
        text += "\nf"
    shown = subprocess.run(["bash", "-c", program + text], capture_output=True, check=True).stdout.decode()
    wanted = [one.split("\0")[:-1] for one in shown.split("END\0")[:-1]]
    mine = [one[1:] for one in commands(text) if one[0] == "p"]
    assert mine == wanted


@pytest.mark.parametrize(
    "text",
    ["p $X", 'p "$X"', "p ${X}", "p a${X}b", "p $(date)", "p `date`", 'p "$(echo ")")"', "p ${X:?no}", "p $1 $@"],
)
def test_what_has_no_value_stays_as_it_is_written(text: str) -> None:
    (words,) = commands(text)
    assert " ".join(words) == text.replace('"$X"', "$X").replace('"$(echo ")")"', '$(echo ")")')
    assert all(one.span.text == one.written for word in last(text).words for one in word.unknown)
    assert last(text).words[1].unknown


def test_places() -> None:
    text = "yarn jar a.jar \\\n  -queue 'a b'x \"$Y\""
    assert [word.span.text for word in last(text).words] == ["yarn", "jar", "a.jar", "-queue", "'a b'x", '"$Y"']


def test_patterns_and_functions_can_be_told_by_their_end() -> None:
    text = "f() {\ncase $X in\na | 'b c')\n  go 1\n  ;;\nesac\n}\n"
    assert [([word.text for word in one.words], one.end) for one in script(text).commands] == [
        (["f"], "("),
        (["case", "$X", "in"], "\n"),
        (["a"], "|"),
        (["b c"], ")"),
        (["go", "1"], "\n"),
    ]


def test_here_documents() -> None:
    (one,) = [command for command in script("cat <<A <<'B'\n1\nA\n2 $x\nB\n").commands if command.documents]
    assert [document.text for document in one.documents] == ["1\n", "2 $x\n"]
    assert one.documents[1].span.text == "2 $x\n"


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("a 'b", "the ' is never closed", "'"),
        ('a "b', 'the " is never closed', '"'),
        ("a `b", "the ` is never closed", "`"),
        ("a $'b", "the ' is never closed", "$'"),
        ("a $(b", "the ( is never closed", "("),
        ("a ${b", "the { is never closed", "{"),
        ("x=(a", "the ( is never closed", "x"),
        ("x=(a;b)", "a ; is not expected here", ";"),
        ("cat <<E\nfoo", "the here-document never ends: it needs a line E", "f"),
    ],
)
def test_a_problem_has_its_place(text: str, message: str, place: str) -> None:
    problem = script(text).problem
    assert problem is not None
    assert (problem.message, problem.span.text) == (message, place)


@pytest.mark.parametrize(
    "text",
    ["", "\n", "\\", "#", "$", "((", ")", ";;", "|", "<", "<<", "a <<\n", "\0", "${}", "$(", "=", "x+=(", "😀=1 '😀'"],
)
def test_any_text_is_read(text: str) -> None:
    expanded(script(text))


def test_within_a_value() -> None:
    source = Source("a.json", '{"a": "x y", "b": "x \\"y z\\""}')
    plain, escaped = Span(source, 7, 10), Span(source, 19, 29)
    assert [word.span.text for word in read_script("x y", within(plain, "x y")).commands[0].words] == ["x", "y"]
    words = read_script('x "y z"', within(escaped, 'x "y z"')).commands[0].words
    assert [word.text for word in words] == ["x", "y z"]
    assert {word.span for word in words} == {escaped}
