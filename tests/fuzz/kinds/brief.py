"""Texts of a few words: what somebody has begun to type. The end of the text is never far."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tests.fuzz.case import Case, expect, kept
from tests.fuzz.programs import NOISE, VALUES
from tfdsl.compiling import pipeline
from tfdsl.diagnostics.render import render
from tfdsl.semantics.request import Request
from tfdsl.syntax import lexer
from tfdsl.syntax.format import format_source
from tfdsl.text import Source
from tfdsl.vocabulary import attributes, statements

if TYPE_CHECKING:
    import random

PATH = "a.tfjob"
BEGUN = (
    "",
    "",
    "",
    "job a { ",
    'job a {\n  image = "x:1"\n  ',
    "job a { role worker { ",
    "flow f { ",
    'job a { image = "x:1", role worker { } }\nflow f { run a after ',
    "let x = ",
    "param x: ",
    "1\n",
)


@cache
def _words() -> tuple[str, ...]:
    rows = (*attributes.ATTRIBUTES, *statements.EVENTS, *statements.ACTIONS, *attributes.ROLES, *statements.MOUNT_KINDS)
    names = {word for row in rows for word in (row.name, *row.aliases)}
    return tuple(sorted({*NOISE, *VALUES, *lexer.KEYWORDS, *lexer.OPERATORS, *names, "a", "x"}))


def make(chance: random.Random) -> Case:
    """Up to five words, at the beginning or behind something sound."""
    gap = chance.choice((" ", " ", " ", "", "\n"))
    words = [chance.choice(_words()) for _ in range(chance.choice((1, 1, 2, 2, 3, 3, 4, 5)))]
    text = chance.choice(BEGUN) + gap.join(words)
    return Case(lambda: prove(text), {".tfjob": kept(text)})


def prove(text: str) -> None:
    """It is read, told about and formatted."""
    source = Source(PATH, text, PATH)
    program = pipeline.load(source, lambda path: "there is no such file")
    done = pipeline.run(program, Request())
    told = pipeline.settle([done], [program], strict=False, paths=[PATH])
    for found in told:
        expect(0 <= found.span.start <= found.span.end <= len(text), f"{found.rule.slug} is nowhere")
    render("concise", told, [PATH])
    format_source(source)
