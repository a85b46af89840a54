"""A text that is read in parts is read as it is as a whole, and an error stays in its part."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.lsp.long_text import long_text, random_edit
from tests.sampled import sampled
from tests.unit.syntax.mutations import good_text
from tfdsl.syntax import ast, parse, parser, parts
from tfdsl.syntax.parser import in_order
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
    text = BASES[name]
    for _ in range(edits):
        changed = edited(text, chance)
        source = Source("a.tfjob", changed)
        assert whole(source) in (None, parts.read(source)), changed
        if chance.random() < 0.3:
            text = changed if len(changed) < 2 * len(BASES[name]) else BASES[name]


@pytest.mark.parametrize("seed", sampled(range(10), 5))
@pytest.mark.parametrize("name", BASES)
def test_a_text_without_errors_is_read_in_parts_as_whole(name: str, seed: int) -> None:
    edit_and_compare(name, seed, EDITS)


@pytest.mark.parametrize("name", BASES)
def test_a_few_edits(name: str) -> None:
    """Of the thousands above, for a quick run."""
    edit_and_compare(name, 100, 3)


def test_a_job_behind_an_error_has_its_own_place() -> None:
    source = Source("a.tfjob", '# more\nlet a =\njob j { image = "x:1" }\n')
    job = parse(source).file.declarations[1]
    assert isinstance(job, ast.Job)
    assert (job.name.span.text, job.span.text) == ("j", 'job j { image = "x:1" }')
    (item,) = job.items
    assert isinstance(item, ast.Assign)
    assert (item.key.span.source, item.key.span.text, item.value.span.text) == (source, "image", '"x:1"')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # An error does not reach the declaration behind it, whatever is missing.
        ("let a =\nlet b = 1\n", ["missing-value"]),
        ("let a\nlet b = 1\n", ["unfinished-statement"]),
        ("param p\nlet b = 1\n", ["unfinished-statement"]),
        ("job a {\nlet b = 1\n", ["unclosed-block"]),
        ("job a\nlet b = 1\n", ["missing-block"]),
        ("job\n j { image = 1 }\nlet b = 1\n", ["unexpected-token", "unknown-statement"]),
        ('let a = """\nlet b = 1\n', ["unclosed-text-block"]),
        # A block may be written at the left edge.
        (LEFT_EDGE, []),
        # Of old line ends one report is enough.
        ("let a = 1 \rx\nlet b = 2 \rx\n", ["forbidden-character", "unknown-statement"]),
    ],
)
def test_errors_stay_in_their_part(text: str, expected: list[str]) -> None:
    parsed = parse(Source("a.tfjob", text))
    assert [one.rule.slug for one in parsed.diagnostics] == expected
    last = parsed.file.declarations[-1]
    assert last.span.text in ("let b = 1", "job c { }", "let b = 2")
