"""Texts that speak to whoever reads what is said: a terminal, a runner of CI, a Markdown view, an XML reader."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING
from unicodedata import category
from xml.etree import ElementTree

from tests.fuzz import programs
from tests.fuzz.case import Case, expect, kept
from tests.fuzz.mistakes import tokens
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.diagnostics.render import render
from tfdsl.lsp.features.hover import hover, signature_help
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.semantics.request import Choice, Request
from tfdsl.source_files import decode, is_file_name
from tfdsl.text import Source

if TYPE_CHECKING:
    import random

    from tfdsl.diagnostics import Diagnostic

IMAGE = "![seen](https://tracker.example/x.png)"
PIECES = (
    *("::stop-commands::x", "\n::error::x", "\n  ::add-mask::x", "##[error]x", "\n##[group]x", "%0A::warning::x"),
    *("\x1b[31m", "\x1b]0;title\x07", "\x9b2J", "\x08\x08", "\r", "\x7f", "\x85", "\x00", "\x0c"),
    *(
        "\u00ad::add-mask::x",
        ":\u200d:x",
        "#\u2060#[x]",
        "##vso[task.x]",
        "##",
        "[x]",
        "#",
        ":",
        "\u200b",
        "##teamcity[x]",
    ),
    *("\u202e", "\u2066", "\u2069", "\u200f", "\u061c", "\u2028", "\u2029", "\ufeff", "\ud800", "\U000e0041"),
    *(IMAGE, "<img src=https://tracker.example/x>", "[x](https://tracker.example)", "`", "```\n", "~~~\n", "\n# x\n"),
    *("]]>", "<!--", "&amp;", "\ufffe", "\uffff", '"', "'", "\\n", "${", "{{ x }}", "%s", "{0}", "\n\n    ", "|", "*"),
)
LONGEST = 1500
"""Characters of a text to begin with; a long one says no more."""
BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
LINE_ENDS = frozenset("\u2028\u2029")
_FENCE = re.compile(r"^(?P<mark>`{3,}|~{3,})[^\n]*\n.*?(?:^(?P=mark)[`~]*[ ]*$|\Z)", re.S | re.M)
_SPAN = re.compile(r"(?<!`)(?P<mark>`+)(?!`).*?(?<!`)(?P=mark)(?!`)", re.S)
_ANYWHERE = re.compile(r"##(?:vso)?\[")
_COMMAND = re.compile(r"::(?:error|warning|notice) [^\n]*::[^\n]*")


def make(chance: random.Random) -> Case:
    """A text with pieces that mean something elsewhere, in a file whose name has some too, now and then."""
    parts = tokens(programs.program(chance) if chance.random() < 0.7 else chance.choice(_corpus()))
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        _put(parts, chance.choice(PIECES), chance)
    text = "".join(parts)
    path = f"{chance.choice(PIECES)}a.tfjob"
    path = path if chance.random() < 0.2 and is_file_name(path) else "a.tfjob"
    place = chance.random()
    return Case(lambda: prove(text, path, place), {".tfjob": kept(text), ".path": kept(path)})


@cache
def _corpus() -> list[str]:
    return [text for text in programs.corpus() if len(text) < LONGEST]


def _put(parts: list[str], piece: str, chance: random.Random) -> None:
    """Into a string, a name, a comment, between two words, or anywhere."""
    if not parts:
        return
    at = chance.randrange(len(parts))
    if chance.random() < 0.6:
        strings = [index for index, part in enumerate(parts) if part[0] in "\"#'"]
        at = chance.choice(strings) if strings else at
    inner = chance.randrange(len(parts[at]) + 1)
    parts[at] = parts[at][:inner] + piece + parts[at][inner:]


def prove(text: str, path: str, at: float) -> None:
    """No format lets through what its reader acts upon."""
    source = decode(kept(text), path, path)
    if isinstance(source, str):  # a lone surrogate: no file holds it, an editor may
        source = Source(path, text, path)
    program = pipeline.load(source, lambda name: "there is no such file")
    names = targets.names()
    target = targets.find(names[int(at * len(names))])
    assert target is not None
    outcome = pipeline.run(program, Request(), [Choice(target)])
    told = pipeline.settle([outcome], [program], strict=False, paths=[path])
    _plain(render("text", told, [path]), "text")
    _plain(render("concise", told, [path]), "concise")
    if told and at % 0.1 < 0.03:
        _documents(told, path, len(told))
    if at % 0.1 > 0.06:
        _markdown(Snapshot(source, lambda name, roots: "there is no such file"), at)


def _inert(text: str, where: str) -> None:
    for char in set(text):
        expect(char == "\n" or category(char) not in ("Cc", "Cs"), f"{where} holds a control character")
        expect(char not in BIDI, f"{where} turns the direction of writing round")
        expect(char not in LINE_ENDS, f"{where} holds another end of a line")


def _plain(text: str, where: str) -> None:
    """For people: on a terminal, in the log of a runner."""
    _inert(text, where)
    for line in "".join(char for char in text if category(char) != "Cf").split("\n"):  # as .NET compares texts
        expect(not line.lstrip().startswith("::"), f"{where} gives a command to GitHub's runner")
        expect(not _ANYWHERE.search(line), f"{where} gives a command to a build server")


def _documents(told: list[Diagnostic], path: str, count: int) -> None:
    """For programs: well formed, and each command of GitHub's is one that was meant."""
    for form in ("json", "sarif", "gitlab"):
        text = render(form, told, [path])
        _inert(text, form)
        json.loads(text)
    suite = ElementTree.fromstring(render("junit", told, [path]).encode("utf-8", "backslashreplace"))
    for one in suite.iter():
        for value in (*one.attrib.values(), one.text or ""):
            expect(not BIDI & set(value), "junit turns the direction of writing round")
            expect(all(char in "\t\n" or category(char) != "Cc" for char in value), "junit holds a control character")
    lines = render("github", told, [path]).splitlines()
    expect(all(_COMMAND.fullmatch(line) for line in lines), "github has a line that is no command")
    expect(len(lines) <= count + 1, "github has more lines than messages")


def _markdown(snapshot: Snapshot, at: float) -> None:
    text = snapshot.source.text
    while snapshot.work():  # what is checked has its notes
        pass
    hit = text.find("tracker")
    for place in {int(at * len(text)), max(hit - 1, 0), max(hit - 30, 0), text.find("=") + 2}:
        found = hover(snapshot, place)
        if found is not None:
            _no_markup(found.text)
        help_ = signature_help(snapshot, place)
        if help_ is not None:
            _no_markup(repr(help_))


def _no_markup(markdown: str) -> None:
    """Outside of code nothing of the user's text is Markdown."""
    rest = _SPAN.sub("", _FENCE.sub("", markdown))
    for sign in ("![seen](", "<img src=https", "](https://tracker"):
        expect(not re.search(rf"(?<!\\){re.escape(sign)}", rest), "hover holds the user's text as Markdown")
