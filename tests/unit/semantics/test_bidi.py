"""Characters that turn the direction of writing (CVE-2021-42574): none is hidden in a string or a comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tfdsl.compiling import pipeline
from tfdsl.diagnostics.fixes import fixed
from tfdsl.syntax import parse
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

# The characters of "Trojan Source" (Boucher, Anderson 2021), table 1; the same nine are refused by rustc's lints
# text_direction_codepoint_in_literal and text_direction_codepoint_in_comment.
TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
JOB = 'job a {{\n image = "x:1"\n role worker {{ {item} }}\n}}\n'


def told(item: str) -> list[tuple[str, str, str]]:
    """Level, slug and marked text of what is said."""
    program = pipeline.load(Source("a.tfjob", JOB.format(item=item), "a.tfjob"), lambda path: "no such file")
    return [(one.level, one.rule.slug, one.span.text) for one in program.diagnostics]


@pytest.mark.parametrize("character", TURNING)
def test_each_of_them(character: str) -> None:
    assert told(f'workdir = "/a{character}b"') == [("error", "reordered-string", character)]
    assert told(f"# a{character}b\n") == [("warning", "reordered-comment", character)]
    assert told(f"gpu = {character}1")[0][1] not in ("reordered-string", "reordered-comment")


@pytest.mark.parametrize(
    "item",
    [
        'command = """\n  a\u202eb\n  """',
        "command = '''\n  a\u202eb\n  '''",
        'env = { "a\u202e" = "b" }',
        'command = "${"\u202e"}"',
    ],
)
def test_every_kind_of_string(item: str) -> None:
    assert told(item) == [("error", "reordered-string", "\u202e")]


@pytest.mark.parametrize(
    "item", ['workdir = "/a\\u{202E}b"', 'workdir = "/\u05d0\u05d1"', "# \u0645\u0631\u062d\u0628\u0627 (1)\n"]
)
def test_escapes_and_texts_of_such_languages_are_fine(item: str) -> None:
    assert told(item) == []


def test_the_fix_says_the_same_in_the_open() -> None:
    of = Source("a.tfjob", JOB.format(item='workdir = "/a\u202eb\u2066c"'), "a.tfjob")

    def check(texts: Mapping[str, str]) -> list[pipeline.Diagnostic]:
        program = pipeline.load(Source("a.tfjob", texts.get("a.tfjob", of.text), "a.tfjob"), lambda path: "")
        return list(program.diagnostics)

    changed = fixed(check({}), [of], check)
    assert 'workdir = "/a\\u{202E}b\\u{2066}c"' in changed["a.tfjob"]


def test_a_string_is_told_once() -> None:
    assert len(told(f'workdir = "/{TURNING * 100}"')) == 1


def test_the_layout_is_mended_all_the_same() -> None:
    from tfdsl.syntax.format import format_source

    text, found = format_source(Source("a.tfjob", 'let  a="\u202e" # \u202e\n'))
    assert (text, found) == ('let a = "\u202e"  # \u202e\n', ())
    assert parse(Source("a.tfjob", text)).diagnostics == ()
