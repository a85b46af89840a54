"""Breaks good texts at known places, as people do: a token lost, doubled, put in or changed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tfdsl.syntax import ast, parse
from tfdsl.syntax.lexer import Token, tokenize
from tfdsl.text import Source

if TYPE_CHECKING:
    import random

DATA = Path(__file__).with_name("data")
JUNK = ("=", "}", "{", "]", ",", "foo", '"s"', "3", "+", ":", "@", "(")
BRACKETS = "{}[]"


class Broken(NamedTuple):
    """A text and the lines at which it was broken."""

    text: str
    lines: list[int]


def good_text() -> str:
    """All examples one after the other, without the edition (which may stand only once)."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(DATA.glob("*.tfjob"))]
    return "\n".join(texts).replace("edition 1\n", "")


def visible(text: str) -> list[Token]:
    return [token for token in tokenize(Source("good", text)) if token.text.strip() and token.type != "COMMENT"]


def change(text: str, token: Token, tokens: list[Token], chance: random.Random) -> tuple[int, int, str]:
    """Start, end and new text of one mutation at ``token`` or in its line."""
    kind = chance.choice(("delete", "double", "insert", "replace", "bracket", "quote"))
    line = text.count("\n", 0, token.start)
    same_line = [each for each in tokens if text.count("\n", 0, each.start) == line]
    if kind == "bracket":
        brackets = [each for each in same_line if each.text in BRACKETS]
        token = chance.choice(brackets) if brackets else token
    if kind == "quote":
        strings = [each for each in same_line if each.type == "STRING"]
        if strings:
            return strings[-1].end - 1, strings[-1].end, ""
    junk = chance.choice(JUNK)
    new = {
        "double": f"{token.text} {token.text}",
        "insert": f"{junk} {token.text}",
        "replace": junk,
    }.get(kind, "")
    return token.start, token.end, new


def is_broken(text: str) -> bool:
    return bool(parse(Source("mutated", text)).diagnostics)


def mutate(text: str, count: int, chance: random.Random) -> Broken:
    """``text`` broken at ``count`` places at least four lines apart, each of which is an error by itself."""
    tokens = visible(text)
    line_of = {token.start: text.count("\n", 0, token.start) + 1 for token in tokens}
    while True:
        picked: list[Token] = []
        for token in chance.sample(tokens, len(tokens)):
            if all(abs(line_of[token.start] - line_of[other.start]) > 3 for other in picked):
                picked.append(token)
            if len(picked) == count:
                break
        result, lines = text, []
        for token in sorted(picked, key=lambda each: -each.start):
            start, end, new = change(text, token, tokens, chance)
            if is_broken(text[:start] + new + text[end:]):
                result = result[:start] + new + result[end:]
                lines.append(line_of[token.start])
        if len(lines) == count:
            return Broken(result, lines)


def blocks(declarations: tuple[ast.Declaration | ast.Item, ...]) -> Counter[tuple[str, str]]:
    """The blocks and declarations of a tree by kind and name."""
    found: Counter[tuple[str, str]] = Counter()
    for each in declarations:
        if isinstance(each, ast.Job | ast.Role | ast.Target | ast.Template | ast.Profile | ast.Param | ast.Let):
            found[type(each).__name__, each.name.text] += 1
        elif isinstance(each, ast.Cluster | ast.Build):
            found[type(each).__name__, ""] += 1
        if isinstance(each, ast.Job | ast.Role | ast.Target | ast.Template):
            found += blocks(each.items)
    return found
