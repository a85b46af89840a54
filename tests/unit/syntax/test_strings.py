"""Strings, text blocks, raw blocks: what they mean, and where each error in them is."""

from __future__ import annotations

import pytest

from tfdsl.syntax import ast, parse, parse_expression
from tfdsl.text import Source


def read(text: str) -> ast.Str:
    value, diagnostics = parse_expression(Source("test", text))
    assert diagnostics == ()
    assert isinstance(value, ast.Str)
    return value


def errors(text: str) -> list[tuple[str, str]]:
    _, diagnostics = parse_expression(Source("test", text))
    return [(each.rule.slug, each.span.text) for each in diagnostics]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"a\n\t\r\"\\\$b"', 'a\n\t\r"\\$b'),
        (r'"\u{1F600}\u{e9}"', "😀é"),
        ('"$ $$ $x {y}"', "$ $$ $x {y}"),
        (r'"\${x}"', "${x}"),
        ('"# no comment // either"', "# no comment // either"),
        ('"é😀"', "é😀"),
    ],
)
def test_escapes(text: str, value: str) -> None:
    assert read(text).parts == (value,)


def test_an_empty_string_has_no_parts() -> None:
    assert read('""').parts == ()
    assert read('"""\n"""').parts == ()
    assert read("'''\n'''").parts == ()


def test_interpolations_are_expressions_at_their_own_place() -> None:
    source = Source("test", '"a${ job.name }b${x}${y}"')
    value, _ = parse_expression(source)
    assert isinstance(value, ast.Str)
    first, member, second, x, y = value.parts
    assert (first, second) == ("a", "b")
    assert isinstance(member, ast.Member)
    assert member.span.text == "job.name"
    assert isinstance(x, ast.Ref)
    assert isinstance(y, ast.Ref)
    assert x.span.start == source.text.index("x")


@pytest.mark.parametrize("text", ['"${join(",", zones)}"', '"${ {a = "}"}["a"] }"', '"${m["k"]}"', '"${f("${x}")}"'])
def test_strings_and_maps_may_stand_inside_an_interpolation(text: str) -> None:
    (part,) = read(text).parts
    assert not isinstance(part, str)
    assert part.span.text == text[3:-2].strip()


def test_a_text_block_loses_the_indentation_of_its_closing_mark() -> None:
    assert read('"""\n    a\n      b\n\n    c "quoted" \\n$\n    """').parts == ('a\n  b\n\nc "quoted" \n$\n',)


def test_a_text_block_may_end_behind_its_last_line() -> None:
    assert read('"""\n  a\n  b"""').parts == ("a\nb",)


def test_a_backslash_joins_two_lines_of_a_text_block() -> None:
    assert read('"""\n  a \\\n  b\\\n  """').parts == ("a b",)


def test_blank_lines_of_a_text_block_keep_what_is_beyond_the_indentation() -> None:
    assert read('"""\n  a\n \n    \n  """').parts == ("a\n\n  \n",)


def test_windows_line_ends_become_newlines() -> None:
    assert read('"""\r\n  a\r\n\r\n  b\\\r\n  c\r\n  """').parts == ("a\n\nbc\n",)
    assert read("'''\r\n  a\\\r\n  '''").parts == ("a\\\n",)


def test_text_blocks_interpolate_and_raw_blocks_do_not() -> None:
    text = read('"""\n  x ${a} \\"""\n  """')
    assert [part if isinstance(part, str) else part.span.text for part in text.parts] == ["x ", "a", ' """\n']
    assert read("'''\n  ${a} \\n $(b) {{ c }}\n  '''").parts == ("${a} \\n $(b) {{ c }}\n",)
    assert text.form == "text"
    assert read("'''\n'''").form == "raw"


def test_tabs_and_blanks_are_different_indentation() -> None:
    assert errors('"""\n\ta\n  """') == [("under-indented-text", "a")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r'"a\qb"', [("bad-escape", r"\q")]),
        (r'"\d\w"', [("bad-escape", r"\d"), ("bad-escape", r"\w")]),
        (r'"\u{}"', [("bad-escape", r"\u")]),
        (r'"\u{D800}"', [("bad-escape", r"\u{D800}")]),
        (r'"\u{110000}"', [("bad-escape", r"\u{110000}")]),
        ('"${}"', [("empty-interpolation", "${}")]),
        ('"a${b"', [("unclosed-interpolation", "${")]),
        ('"${a b}"', [("unexpected-token", "b")]),
        ('"${a # b}"', [("unexpected-character", "#")]),
        ('"${1 + }"', [("unfinished-statement", "")]),
        ('"""\n  a\n x\n  """', [("under-indented-text", "x")]),
        ('"""\n  \\q\n  """', [("bad-escape", r"\q")]),
        ('"""x"""', [("text-block-start", "x")]),
        ('"x', [("unclosed-string", '"x')]),
        ('"""\n  x', [("unclosed-text-block", '"""')]),
    ],
)
def test_errors_are_where_they_are(text: str, found: list[tuple[str, str]]) -> None:
    assert errors(text) == found


def test_a_fix_indents_all_lines_that_need_it() -> None:
    text = '"""\n a\n  b\n\nc\n  """'
    _, (found,) = parse_expression(Source("test", text))
    for edit in reversed(found.fixes[0].edits):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert read(text).parts == ("a\nb\n\nc\n",)


def test_a_quoted_key_is_taken_as_it_is() -> None:
    parsed = parse(Source("test", r'let a = { "x\"y" = 1, "${b}" = 2 }'))
    (let,) = parsed.file.declarations
    assert isinstance(let, ast.Let)
    assert isinstance(let.value, ast.MapExpr)
    assert let.value.entries[0].key.text == 'x"y'
    assert let.value.entries[0].key.quoted
    assert [(each.rule.slug, each.span.text) for each in parsed.diagnostics] == [("interpolated-name", "b")]
