"""Files of settings, ``tfdsl.toml`` and ``pyproject.toml``: whatever stands in them, the command ends as it should."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz import command
from tests.fuzz.case import Case, expect, kept
from tests.fuzz.programs import ROOT, blurred
from tfdsl.compiling.front_end import project_of
from tfdsl.diagnostics.render import render
from tfdsl.lint.runner import rules

if TYPE_CHECKING:
    import random

JOB = 'param x: int = 1\njob a { image = "x:1", role worker { } }\n'
SOUND = (
    '[lint]\nfloating-image-tag = "error"\nunused-let = "off"\n',
    '[tool.tfdsl.lint]\nfloating-image-tag = "error"\n[tool.ruff]\nline-length = 120\n',
    '[tool]\ntfdsl = { lint = { unused-param = "info" } }\n',
    'lint.unused-param = "warning"\n"lint" . "TFJ3001" = "off"\n',
    "[tool.tfdsl]\n",
    'targets = ["volcano@1.9", "tfjob"]\nstrict = true\ngpus_per_node = 8\n[labels]\nteam = "vision"\n"a.b/c" = ""\n',
    '[tool.tfdsl]\ntargets = [\n  "slurm", # the old one\n]\nlabels = { team = "x" }\nlint.tfjob-no-gang = "error"\n',
    "",
)
WORDS = (
    *("[", "]", "[[", "]]", "{", "}", "=", ".", ",", '"', "'", '"""', "'''", "#", "\n", "\r\n", "\r", " ", "\t", "\0"),
    *("lint", "tool", "tfdsl", "tool.tfdsl", "[lint]\n", "[tool.tfdsl]\n", "[tool.tfdsl.lint]\n", "[[lint]]\n"),
    *("labels", "[labels]\n", "gpus_per_node", '"volcano@1.9"', '"tfjob"', '"nowhere@1"', "tfjob-no-gang", "SLM005"),
    *("team", '"tfdsl/job"', '"kubernetes.io/x"', '"no blanks"', "stale-waiver", "no-replicas"),
    *("targets", "paths", "exclude", "profile", "root", "strict", "version", "set", "options", "allow-read", "extend"),
    *(
        '"error"',
        '"warn"',
        '"off"',
        '"info"',
        "true",
        "false",
        "1",
        "-1",
        "1e400",
        "nan",
        "inf",
        "0x",
        "1_000",
        "9" * 40,
    ),
    *("1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "0000-00-00", "[]", "{}", "[1, 'a']", "{ a = 1 }", "[[[]]]"),
    *("\\u0000", "\\ud800", "\\U00110000", "\ufeff", "\u202e", "\x1b[31m", "é", "::error::x", "floating-image-tag"),
    *('"${x}"', '"../.."', '"/dev/zero"', '"@/etc/passwd"', "a" * 300, "unused-let", "TFJ3001", "TFJ9999"),
)
BOMBS = (
    "a = " + "[" * 5000,
    "a = " + "9" * 5000,
    "a = " + "{a=" * 3000,
    "a" + ".a" * 3000 + " = 1",
    "[" + "a." * 3000 + "a]",
    "lint = " + "[" * 400 + "]" * 400,
    "[lint]\n" + "".join(f"rule{n} = 'x'\n" for n in range(300)),
    'lint."' + "a" * 9000 + '" = 1',
)


@cache
def _home() -> Path:
    folder = Path(_kept_folder().name)
    (folder / "a.tfjob").write_text(JOB)
    return folder


@cache
def _kept_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="tfdsl-fuzz-")


@cache
def _levels() -> tuple[str, ...]:
    return tuple(rule.slug for rule in rules())


@cache
def _sources() -> tuple[str, ...]:
    own = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return (*SOUND, own)


def make(chance: random.Random) -> Case:
    """A file of settings that is mended, broken or made up."""
    kind = chance.randrange(10)
    if kind < 5:
        text = _changed(chance.choice(SOUND), chance)
    elif kind < 8:
        text = "".join(chance.choice(WORDS) for _ in range(chance.randrange(25)))
    elif kind == 8:
        lines = [f"{chance.choice(_levels())} = {chance.choice(WORDS)}\n" for _ in range(chance.randrange(6))]
        text = chance.choice(("[lint]\n", "[tool.tfdsl.lint]\n")) + "".join(lines)
    else:
        text = _changed(chance.choice(_sources()), chance)
    if chance.random() < 0.01:
        text = chance.choice(BOMBS) + text
    data = kept(text)
    if chance.random() < 0.1:
        data = blurred(data, chance)
    name = chance.choice(("tfdsl.toml", "pyproject.toml"))
    whole = chance.random() < 0.05
    return Case(lambda: prove(name, data, whole=whole), {f".{name}": data})


def _changed(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice((1, 1, 2, 4))):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 0, 1, 3, 12)))
        text = text[:start] + chance.choice((*WORDS, "")) + text[end:]
    return text


def prove(name: str, data: bytes, *, whole: bool) -> None:
    """It is read, or what is wrong with it is told at a place in it. ``whole``: by the command, too."""
    place = _home() / name
    place.write_bytes(data)
    try:
        path = str(_home() / "a.tfjob")
        found = project_of(path)
        for problem in found.problems:
            expect(0 <= problem.span.start <= problem.span.end <= len(problem.span.source.text), "a place outside")
        render("concise", found.problems, [path])
        if whole:
            command.run(["check", path])
    finally:
        place.unlink()
