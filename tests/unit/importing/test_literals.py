"""Any text that a manifest can hold comes back from the literal that import writes for it, formatted or not."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from tfdsl.backend.draft import Bare, Text
from tfdsl.importing.write import key, literal
from tfdsl.syntax import ast, parse
from tfdsl.syntax.format import format_source
from tfdsl.text import Source

_TEXTS = st.text(
    st.one_of(st.sampled_from("\n\n  \t'\"\\${}#a"), st.characters(exclude_categories=["Cs"])), max_size=60
)


def _read(text: str) -> ast.Expr:
    parsed = parse(Source("a.tfjob", text))
    assert not parsed.diagnostics, (text, [one.message for one in parsed.diagnostics])
    [declaration] = parsed.file.declarations
    assert isinstance(declaration, ast.Let)
    return declaration.value


@given(_TEXTS)
@example("a\n  b\n")
@example("a\n  b")
@example("  a\nb\n")
@example("a\n\n b '''\n")
@example('a\n"""\\\n')
@example("a\n'")
@example("\n\n")
@example("a\r\nb\n")
@example("${x}\n$")
@example("\u202e")
def test_a_text_comes_back(value: str) -> None:
    text = f"let x = {literal(value)}\n"
    for written in (text, format_source(Source("a.tfjob", text))[0]):
        read = _read(written)
        assert isinstance(read, ast.Str)
        assert "".join(part for part in read.parts if isinstance(part, str)) == value
        assert all(isinstance(part, str) for part in read.parts)


@given(st.lists(_TEXTS, max_size=4))
def test_values_stay_between_texts(texts: list[str]) -> None:
    parts: list[str | Bare] = []
    for text in texts:
        parts += [text, Bare("name")]
    written = f"let x = {literal(Text(tuple(parts)))}\n"
    for form in (written, format_source(Source("a.tfjob", written))[0]):
        read = _read(form)
        assert isinstance(read, ast.Str)
        assert [part if isinstance(part, str) else "name" for part in read.parts] == [
            part if isinstance(part, str) else part.words for part in parts if part != ""
        ]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, "true"),
        (4, "4"),
        (Bare("2Gi"), "2Gi"),
        ('a "b" \\ ${c} $d', '"a \\"b\\" \\\\ \\${c} $d"'),
        ([1, "a"], '[1, "a"]'),
        ({"a": 1, "b.c": "d"}, '{ a = 1, "b.c" = "d" }'),
        ({}, "{}"),
        ("one\ntwo\n", "'''\none\ntwo\n'''"),
        ("bell\x07\u202e", '"bell\\u{7}\\u{202E}"'),
    ],
)
def test_values_as_they_are_written(value: object, written: str) -> None:
    assert literal(value) == written  # type: ignore[arg-type]


def test_a_long_list_has_an_item_on_each_line() -> None:
    assert literal(["a" * 50, "b" * 50]) == '[\n"' + "a" * 50 + '",\n"' + "b" * 50 + '",\n]'


@pytest.mark.parametrize(("name", "written"), [("MODE", "MODE"), ("a.b/c", '"a.b/c"'), ("on", "on"), ("", '""')])
def test_keys(name: str, written: str) -> None:
    assert key(name) == written
