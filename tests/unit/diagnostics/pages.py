"""Reads the pages of ``tfdsl explain`` and runs their examples.

A ``tfjob`` block is a whole file, or a part of a job, around which a job with an image and, without a role of its
own, a worker is put. Before it may stand further files (`` `common.tfjob`: ``, then a block) and options (With
`` `--profile prod` ``:). An ``sh`` block is a command line; ``mnist.tfjob`` is there. A ``yaml``, ``json`` or ``xml``
block is a manifest that is imported. ``‹U+202E›`` stands for that character, ``‹TEXT × N›`` for N times a text.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from tests.unit.cli.shell import lines
from tfdsl.cli import selection
from tfdsl.cli.arguments import Command, command_line, parse
from tfdsl.compiling import pipeline
from tfdsl.record import Record
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic

ROOT = Path(__file__).resolve().parents[3]
MAIN = "main.tfjob"
MANIFESTS = ("yaml", "json", "xml")
MNIST = """\
param workers: int = 2
job mnist {
  image = "registry.example.com/mnist:1.4"
  command = ["python", "/app/train.py"]
  role worker { replicas = workers }
}
"""

_SECTION = re.compile(r"^## (\w+)\n", re.M)
_BLOCK = re.compile(r"(?:^(?:`([^`\n]+)`|With `([^`\n]+)`):\n)?^```(\w+)\n(.*?)^```$", re.S | re.M)
_CHARACTER = re.compile(r"‹U\+([0-9A-F]+)›")
_REPEATED = re.compile(r"‹(.+?) × (\d+)›")
_DECLARATION = re.compile(r"(?:edition|include|param|let|template|profile|job|flow)\b")
_COMMAND = Command("check", (), (selection.TARGET, selection.PROFILE, selection.SET, selection.OPTION), (), "")


class Example(Record):
    """One example: files, and the options of ``check`` or command lines to run."""

    files: dict[str, str]
    options: tuple[str, ...]
    commands: str


def sections(page: str) -> dict[str, str]:
    """The title under ``""``, and the text below each heading."""
    title, *parts = _SECTION.split(page)
    return {"": title.strip(), **dict(zip(parts[::2], parts[1::2], strict=True))}


def example(section: str) -> Example:
    """The example of a section; fails when it has none."""
    files: dict[str, str] = {}
    options: tuple[str, ...] = ()
    commands = ""
    for name, given, language, text in _BLOCK.findall(section):
        if name:
            files[name] = text
        elif language == "sh":
            commands += text
        elif language in MANIFESTS:
            files[f"job.{language}"] = _spelt_out(text)
            commands += f"tfdsl import job.{language}\n"
        else:
            assert language == "tfjob"
            files[MAIN] = part(_spelt_out(text))
            options = tuple(shlex.split(given))
    assert commands or MAIN in files
    return Example(files, options, commands)


def _spelt_out(text: str) -> str:
    text = _CHARACTER.sub(lambda match: chr(int(match[1], 16)), text)
    return _REPEATED.sub(lambda match: match[1] * int(match[2]), text)


_COMMAND_LINE = 'command = ["python", "/app/train.py", "--model_dir=gs://mnist/runs"]'
"""A program that finds its checkpoints again, so that a restart may stand in an example."""


def part(text: str) -> str:
    """A whole file out of a block."""
    first = next(line for line in text.splitlines() if not line.startswith("#"))
    if _DECLARATION.match(first):
        return text
    image = "" if re.search(r"^image\b", text, re.M) else 'image = "registry.example.com/mnist:1.4"\n'
    command = "" if re.search(r"^command\b", text, re.M) else f"{_COMMAND_LINE}\n"
    role = "" if re.search(r"^role\b", text, re.M) else "role worker { }\n"
    return f"job mnist {{\n{image}{command}{text}{role}}}\n"


def diagnostics(of: Example) -> list[Diagnostic]:
    """Everything that ``check`` tells about a ``tfjob`` example."""
    _, spans = command_line(["check", *of.options])
    arguments = parse(_COMMAND, of.options, spans[1:], spans[0])
    picked = selection.selection(arguments)
    assert not arguments.errors
    assert not picked.errors

    def read(path: str) -> Source | str:
        return Source(path, of.files[path], path) if path in of.files else "there is no such file"

    program = pipeline.load(Source(MAIN, of.files[MAIN], MAIN), read)
    outcome = pipeline.run(program, picked.request, picked.choices)
    return pipeline.settle([outcome], [program], strict=False)


def ran(of: Example, folder: Path) -> tuple[int, str]:
    """The status and the messages of the last of the command lines."""
    for name, text in {"mnist.tfjob": MNIST, **of.files}.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = lines(of.commands, folder)
    return done.status, done.err
