"""The Pygments lexer: what it makes of the language, of mistakes and of hostile texts."""

from __future__ import annotations

import subprocess
import sys
import time
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from pygments.token import Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace, _TokenType

from tests.spec.page import Example, examples
from tfdsl.pygments_lexer import TfjobLexer
from tfdsl.vocabulary.attributes import ATTRIBUTES, Attribute

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(ROOT.glob("examples/*/main.tfjob"))
SOUND = [
    example
    for page in sorted((ROOT / "tests/spec").glob("[0-9]*.md"))
    for example in examples(page)
    if not example.expected() and example.rendered is None and not any(name.endswith(".txt") for name in example.files)
]


def tokens(text: str) -> list[tuple[_TokenType, str]]:
    """All tokens but white space; together with it they are the text."""
    found = list(TfjobLexer(stripnl=False, ensurenl=False).get_tokens(text))
    assert "".join(value for _, value in found) == text.replace("\r\n", "\n").removeprefix("\ufeff")
    return [(kind, value) for kind, value in found if kind not in Whitespace]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_no_errors_in_examples(path: Path) -> None:
    assert [value for kind, value in tokens(path.read_text(encoding="utf-8")) if kind in Error] == []


@pytest.mark.parametrize("example", SOUND, ids=lambda example: example.title)
def test_no_errors_in_sound_examples_of_the_specification(example: Example) -> None:
    for text in example.files.values():
        assert [value for kind, value in tokens(text) if kind in Error] == []


@pytest.mark.parametrize("attribute", ATTRIBUTES, ids=lambda row: row.name)
def test_attributes(attribute: Attribute) -> None:
    name = attribute.name
    assert tokens(f"{name} = 1")[0] == (Name.Attribute, name)
    assert tokens(f"{name}x = 1")[0] == (Name.Property, f"{name}x")


def test_conditions_and_the_words_around_them() -> None:
    assert tokens('role ps when prod { unset env["A"] }') == [
        (Keyword.Declaration, "role"),
        (Name.Builtin, "ps"),
        (Keyword, "when"),
        (Name, "prod"),
        (Punctuation, "{"),
        (Keyword, "unset"),
        (Name.Attribute, "env"),
        (Punctuation, "["),
        (String.Double, '"'),
        (String.Double, "A"),
        (String.Double, '"'),
        (Punctuation, "]"),
        (Punctuation, "}"),
    ]
    assert tokens("prepare fetch { }")[:2] == [(Keyword.Declaration, "prepare"), (Name.Class, "fetch")]
    assert tokens('sidecar "a-b" { }')[0] == (Keyword.Declaration, "sidecar")
    assert tokens("matrix { when = [1] }")[::2][:2] == [(Keyword.Declaration, "matrix"), (Name.Property, "when")]
    assert tokens("unset on worker failed")[:2] == [(Keyword, "unset"), (Keyword, "on")]
    assert tokens("unset prepare fetch")[1:] == [(Keyword, "prepare"), (Name.Class, "fetch")]
    assert tokens("when = 1")[0] == (Name.Property, "when")


def test_a_policy() -> None:
    assert tokens("on worker[2] exit 1..9 => restart pod") == [
        (Keyword, "on"),
        (Name.Builtin, "worker"),
        (tokens("[")[0][0], "["),
        (Number.Integer, "2"),
        (tokens("]")[0][0], "]"),
        (Name.Exception, "exit"),
        (Number.Integer, "1"),
        (Operator, ".."),
        (Number.Integer, "9"),
        (Operator, "=>"),
        (Name.Builtin, "restart pod"),
    ]


def test_words_are_keys_before_an_equals_sign() -> None:
    found = tokens('{ role = "a", on = "b" }')
    assert [kind for kind, value in found if value in ("role", "on")] == [Name.Property, Name.Property]


def test_units_and_what_is_none() -> None:
    assert tokens("1h30m") == [(Number, "1"), (Keyword.Type, "h30m")]
    assert tokens("1e-4") == [(Number.Float, "1e-4")]
    assert tokens("2.5E3") == [(Number.Float, "2.5E3")]
    assert tokens("1E") == [(Number, "1"), (Keyword.Type, "E")]
    assert tokens("1.5Gi") == [(Number, "1.5"), (Keyword.Type, "Gi")]
    assert any(kind in Error for kind, _ in tokens("4Zi"))


def test_interpolation_with_braces_and_quotes_inside() -> None:
    found = tokens('"a ${join(",", ["}"])} ${{ k = "v" }.k} b"')
    assert found[-2:] == [(String.Double, " b"), (String.Double, '"')]
    assert [value for kind, value in found if kind is String.Interpol] == ["${", "}", "${", "}"]
    assert (Name.Function.Magic, "join") in found


def test_a_shell_program_keeps_its_comments_and_quotes() -> None:
    found = tokens('command = """\n  echo "$HOME" # no comment\n  """\nretries = 2')
    assert (Name.Attribute, "retries") in found
    raw = tokens("command = '''\n  echo '${HOME}' \\n\n  '''\nretries = 2")
    assert (Name.Attribute, "retries") in raw
    assert not any(kind in (String.Interpol, String.Escape) for kind, _ in raw)


def test_a_missing_quote_costs_its_line_only() -> None:
    assert (Name.Attribute, "retries") in tokens('queue = "open\nretries = 2')


@pytest.mark.parametrize("text", ["", "\0\x07", "😀", "}" * 1000, "${" * 1000, '"""\n', "'''\n", "a\r\nb = 1\r\n", "'"])
def test_hostile_texts_keep_their_characters(text: str) -> None:
    tokens(text)


@pytest.mark.slow
def test_large_text_in_linear_time() -> None:
    text = EXAMPLES[0].read_text(encoding="utf-8")

    def once(times: int) -> float:
        start = time.process_time()
        tokens(text * times)
        return time.process_time() - start

    def seconds(times: int) -> float:
        return min(once(times) for _ in range(3))

    assert seconds(80) < 30 * max(seconds(8), 0.01)  # ten times the text; were it quadratic, a hundred times the work


def test_registered_with_pygments() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (value,) = project["entry-points"]["pygments.lexers"].values()
    assert EntryPoint("tfjob", value, "pygments.lexers").load() is TfjobLexer
    assert not any("pygments" in requirement.lower() for requirement in project["dependencies"])


def test_no_command_imports_pygments() -> None:
    program = (
        "import sys; from tfdsl.cli.main import main\n"
        f"try: main(['check', {str(EXAMPLES[0])!r}])\n"
        "except SystemExit: pass\n"
        "print([name for name in sys.modules if 'pygments' in name])"
    )
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'backends'}"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines()[-1] == "[]"
