"""Command lines: whatever is given, the status is 0, 1 or 2, and what is wrong is told."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz import command
from tests.fuzz.case import Case, expect, kept
from tests.fuzz.programs import NOISE, VALUES
from tfdsl import targets
from tfdsl.cli.commands import SUMMARIES
from tfdsl.diagnostics.render import FORMATS

if TYPE_CHECKING:
    import random

PARAMS = {
    "number": "int = 1",
    "text": 'string = "a"',
    "yes": "bool = true",
    "size": "memory = 1Gi",
    "cores": "cpu = 1",
    "while": "duration = 1h",
    "many": 'list<string> = ["a"]',
    "some": "list<int> = [1]",
    "pairs": 'map<string> = { a = "b" }',
    "real": "number = 0.5",
    "choice": 'string = "a" { one_of = ["a", "b"] }',
    "like": 'string = "a" { pattern = "[a-z]+" }',
    "few": "int = 1 { min = 0, max = 9 }",
    "needed": "int",
}
ODD = (
    *(
        "",
        " ",
        "-",
        "--",
        "-x",
        "@",
        "@-",
        "@nothing",
        "@pipe",
        "@list",
        "@.",
        "@/dev/null",
        "@lines",
        "=",
        "==",
        "a=b",
    ),
    *("1", "-1", "1e999", "9" * 30, "0x1F", "1_000", "1.5.2", "true", "True", "yes", "null", "[]", "[1, 2]", "{", "}"),
    *('"a"', "'a'", '["a", "b"]', '{ a = "b" }', "1Gi", "1GiB", "16 Gi", "1h30m", "1h 30m", "-5m", "500m", "0.5"),
    *("${x}", "$(X)", "$$", "a,b", "a\nb", "\0", "\ud800", "\udc80", "\x1b[31m", "\u202e", "é", "😀", "a" * 5000),
    *("file('list')", 'file("list")', 'secret("a", "b")', "min(1, 2)", "number", "x + 1", "1 / 0", "(" * 300),
    *("::error::x", "%s%n", "..", "/", "volcano", "volcano@1.9", "volcano@", "volcano@99", "@1", "a@b@c", "1.30"),
)
OTHERS = (
    *("--strict", "--all-targets", "--all-profiles", "--fix", "--check", "--diff", "--source-map", "--list", "-h"),
    *("--profile=p", "--profile", "--job=a", "--job", "--format", "--allow-read=.", "--allow-read", "--out=x", "-Z"),
    *("--params", "--params=values", "--params=list", "--params=."),
)
FILES = ("main.tfjob", "main.tfjob", "main.tfjob", "broken.tfjob", "none.tfjob", "-", ".", "pipe", "list", "values", "")
COMMANDS = tuple(name for name in SUMMARIES if name != "lsp")
"""Those that end by themselves."""


@cache
def _home() -> Path:
    """A folder with a job that has a param of every type. Nothing is written into it."""
    folder = Path(_kept_folder().name)
    job = 'profile p {{ number = 2 }}\njob a {{ image = "x:${{text}}", role worker {{ replicas = number }}{} }}\n'
    lines = "".join(f"param {name}: {rest}\n" for name, rest in PARAMS.items() if name != "needed")
    (folder / "main.tfjob").write_text(lines + job.format(""))
    (folder / "broken.tfjob").write_text("param needed: int\n" + job.format(", cpu ="))
    (folder / "list").write_text("a\nb\n\n# c\n")
    (folder / "values").write_text('number = 2, text = "b"\nmany = [text]\nneeded = 1\n')
    (folder / "lines").write_bytes(b"\xff\xfe\x00")
    os.mkfifo(folder / "pipe")
    return folder


@cache
def _kept_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="tfdsl-fuzz-")


@cache
def _options() -> tuple[str, ...]:
    return tuple(
        f"{target.name}.{key}"
        for target in targets.built_in()
        for key in ("version", *(one.name for one in target.options))
    )


def make(chance: random.Random) -> Case:
    """A command line."""
    kind = chance.randrange(10)
    if kind < 8:
        words = [chance.choice(("check", "check", "compile", "tfconfig")), chance.choice(FILES)]
        for _ in range(chance.choice((1, 1, 2, 3, 5))):
            words += _choice(chance)
        if words[0] == "compile" and chance.random() < 0.8:
            words += ["-t", chance.choice(("tfjob", "volcano", "kubernetes"))]
    elif kind == 8:
        words = [chance.choice(COMMANDS), *(_word(chance) for _ in range(chance.randrange(5)))]
    else:
        words = [_word(chance) for _ in range(chance.randrange(4))]
    words = [word for word in words if not _writes(word)]
    if words and words[0] in ("new", "lsp", "fmt"):
        words.append("--help")
    stdin = kept(_value(chance))
    return Case(lambda: prove(words, stdin), {".words": kept("\n".join(words)), ".stdin": stdin})


def _writes(word: str) -> bool:
    return word == "--fix" or word.startswith(("-o", "--output", "--fix"))


def _choice(chance: random.Random) -> list[str]:
    match chance.randrange(8):
        case 0 | 1 | 2:
            return [chance.choice(("--set", "--set", "--set=")), f"{_name(chance)}={_value(chance)}"]
        case 3 | 4:
            option = chance.choice(_options()) if chance.random() < 0.8 else _value(chance)
            return ["-O", f"{option}={_value(chance)}"]
        case 5:
            return ["-t", chance.choice((*targets.names(), _value(chance)))]
        case 6:
            return ["--format", chance.choice((*FORMATS, _value(chance)))]
        case _:
            return [chance.choice(OTHERS)]


def _name(chance: random.Random) -> str:
    return chance.choice(tuple(PARAMS)) if chance.random() < 0.9 else _value(chance)


def _value(chance: random.Random) -> str:
    value = chance.choice(chance.choice((ODD, VALUES, NOISE)))
    return value if chance.random() < 0.8 else value + chance.choice(ODD)


def _word(chance: random.Random) -> str:
    return chance.choice((*COMMANDS, *OTHERS, *FILES, *_options(), _value(chance), _value(chance), "-t", "-O", "--set"))


def prove(words: list[str], stdin: bytes) -> None:
    """The command ends as it should, and has said why where it is not content."""
    before = os.getcwd()
    os.chdir(_home())
    try:
        ran = command.run(words, stdin)
    finally:
        os.chdir(before)
    expect(ran.status != command.STATUSES[2] or ran.err or ran.out, "status 2 without a word")
