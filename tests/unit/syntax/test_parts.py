"""A text that is read in parts, some of which were read before, is read as it is as a whole."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.lsp.long_text import long_text, random_edit
from tests.sampled import sampled
from tests.unit.syntax.mutations import good_text
from tfdsl.syntax import ast, parse, parser
from tfdsl.syntax.lexer import lex
from tfdsl.syntax.parser import in_order
from tfdsl.syntax.parts import Parts
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.syntax import Parsed

EDITS = 40
LEFT_EDGE = '''job a {
include = 1
let = [
param,
job]
}
let x = """
job b {
"""
let y = \'\'\'
include "x"
template t { }
\'\'\'
job c { }
'''
BASES = {
    "examples": good_text()[:6000],
    "jobs": long_text(90),
    "jobs with carriage returns": long_text(90).replace("\n", "\r\n"),
    "blocks at the left edge": LEFT_EDGE * 5,
    "declarations of a line": "".join(f"let a{n} = a{n - 1} + 1\nparam p{n}: int = {n} # {n}\n" for n in range(1, 60)),
}
HOSTILE = (
    '"""\n',
    "'''\n",
    "<<EOF\n",
    "/*",
    "*/",
    "`",
    "\r",
    "\ufeff",
    "\u202e",
    "😀",
    "job\n",
    "\njob x {\n",
    "}\n}\n",
)


def edited(text: str, chance: random.Random) -> str:
    if chance.random() < 0.2:
        at = chance.randrange(len(text) + 1)
        return text[:at] + chance.choice(HOSTILE) + text[at:]
    start, end, piece = random_edit(text, chance)
    return text[:start] + piece + text[end:]


def whole(source: Source) -> Parsed | None:
    """What the parser makes of a text without errors by itself; ``None`` for a text with errors."""
    lexed, builder, is_whole = parser.plain(source)
    if not is_whole or lexed.diagnostics:
        return None
    file = ast.File(source, builder.declarations, parser.comments_of(lexed))
    return parser.Parsed(file, in_order(builder.diagnostics))


def edit_and_compare(name: str, seed: int, edits: int) -> None:
    chance = random.Random(f"{name} {seed}")
    parts = Parts()
    text = BASES[name]
    for _ in range(edits):
        changed = edited(text, chance)
        source = Source("a.tfjob", changed)
        read, fresh = parts.read(source), parse(source)
        assert read.diagnostics == fresh.diagnostics, changed
        assert read.file == fresh.file, changed
        assert whole(source) in (None, read), changed
        tokens, all_tokens = parts.tokens(source), lex(source)
        assert tokens.types == all_tokens.types, changed
        assert (tokens.starts, tokens.ends) == (all_tokens.starts, all_tokens.ends), changed
        assert sorted(tokens.remarks) == sorted(all_tokens.remarks), changed
        if chance.random() < 0.3:
            text = changed if len(changed) < 2 * len(BASES[name]) else BASES[name]


@pytest.mark.parametrize("seed", sampled(range(10), 5))
@pytest.mark.parametrize("name", BASES)
def test_an_edited_text_is_read_as_a_fresh_one(name: str, seed: int) -> None:
    edit_and_compare(name, seed, EDITS)


@pytest.mark.parametrize("name", BASES)
def test_a_few_edits(name: str) -> None:
    """Of the thousands above, for a quick run."""
    edit_and_compare(name, 100, 3)


def test_only_the_changed_part_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = long_text(2000)
    parts = Parts()
    assert not parts.read(Source("a.tfjob", text)).diagnostics
    read: list[str] = []
    real = parser.lex

    def spy(source: Source, *rest: int, **more: bool) -> object:
        if not rest:  # else it is an expression in a string
            read.append(source.text)
        return real(source, *rest, **more)

    monkeypatch.setattr(parser, "lex", spy)
    for old, new in (("retries = 2", "retries = 3"), ("retries = 2", "retries = {"), ("retries = 2", 'retries = "')):
        at = text.index(old, len(text) // 2)
        read.clear()
        parts.read(Source("a.tfjob", text[:at] + new + text[at + len(old) :]))
        assert 0 < sum(map(len, read)) < 4000, "the job that was changed, perhaps twice"


def test_the_items_of_a_job_are_moved_when_they_are_looked_at() -> None:
    parts = Parts()
    text = 'let a = 1\njob j { image = "x:1" }\n'
    parts.read(Source("a.tfjob", text))
    source = Source("a.tfjob", "# more\n" + text)
    job = parts.read(source).file.declarations[1]
    assert isinstance(job, ast.Job)
    assert (job.name.span.text, job.span.text) == ("j", 'job j { image = "x:1" }')
    (item,) = job.items
    assert isinstance(item, ast.Assign)
    assert (item.key.span.source, item.key.span.text, item.value.span.text) == (source, "image", '"x:1"')
    assert job.items is job.items


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # An error does not reach the declaration behind it, whatever is missing.
        ("let a =\nlet b = 1\n", ["missing-value"]),
        ("let a\nlet b = 1\n", ["unfinished-statement"]),
        ("param p\nlet b = 1\n", ["unfinished-statement"]),
        ("job a {\nlet b = 1\n", ["unclosed-block"]),
        ("job a\nlet b = 1\n", ["missing-block"]),
        ("job\n j { image = 1 }\nlet b = 1\n", ["unexpected-token", "unexpected-token"]),
        ('let a = """\nlet b = 1\n', ["unclosed-text-block"]),
        # A block may be written at the left edge.
        (LEFT_EDGE, []),
        # Of old line ends one report is enough.
        ("let a = 1 \rx\nlet b = 2 \rx\n", ["forbidden-character", "unexpected-token"]),
    ],
)
def test_errors_stay_in_their_part(text: str, expected: list[str]) -> None:
    parsed = parse(Source("a.tfjob", text))
    assert [one.rule.slug for one in parsed.diagnostics] == expected
    last = parsed.file.declarations[-1]
    assert last.span.text in ("let b = 1", "job c { }", "let b = 2")
