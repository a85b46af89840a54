"""Reads the shapes: public job descriptions that are said again in the language. README.md has the notation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tfdsl.record import Record
from tfdsl.syntax import ast, parse
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).with_name("shapes")

_FENCE = re.compile(r"^(?:`([^`\n]+)`:\n\n)?```(\w+)\n(.*?)^```$", re.S | re.M)
_FIELD = re.compile(r"^- (from|target|profile|warnings|left out): (.+)$", re.M)


class Holds(NamedTuple):
    """What an output must hold. ``file``: which one, or empty for YAML documents; ``text``: lines or YAML."""

    file: str
    language: str
    text: str


class Shape(NamedTuple):
    """One shape. ``fields``: the list of its head, without those that are empty."""

    name: str
    title: str
    about: str
    fields: dict[str, str]
    job: str
    holds: tuple[Holds, ...]

    @property
    def target(self) -> str:
        """The target with its version."""
        return self.fields["target"].strip("`")

    @property
    def warnings(self) -> list[str]:
        """Code and slug of each warning that the compiler gives for the job."""
        return re.findall(r"`([^`]+)`", self.fields["warnings"])

    @property
    def patches(self) -> int:
        """How many patches the job has."""
        return sum(isinstance(node, ast.Patch) for node in nodes(self.job))

    @property
    def words(self) -> list[str]:
        """The words of the language in the job: attributes, options and statements."""
        return sorted(set(filter(None, map(_word, nodes(self.job)))))


def shapes() -> list[Shape]:
    """All shapes, by target and name."""
    return sorted((_read(path) for path in FOLDER.glob("*.md")), key=lambda shape: (shape.target, shape.name))


def _read(path: Path) -> Shape:
    text = path.read_text(encoding="utf-8")
    title, about = text.split("\n\n", 2)[:2]
    (job, *holds) = (Holds(*found) for found in _FENCE.findall(text))
    assert job.language == "tfjob"
    fields = dict(_FIELD.findall(text))
    return Shape(path.stem, title.removeprefix("# "), about.replace("\n", " "), fields, job.text, tuple(holds))


def nodes(text: str) -> Iterator[Record]:
    """The nodes of the tree of a text, without what is in maps, profiles and axes: those names are the author's."""
    waiting: list[object] = list(parse(Source("shape", text)).file.declarations)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.MapExpr | ast.Profile):
            continue
        if isinstance(node, ast.Matrix):
            yield node
            continue
        if isinstance(node, Record):
            yield node
            waiting.extend(getattr(node, field) for field in type(node).__fields__ if field != "span")
        elif isinstance(node, tuple):
            waiting.extend(node)


def _word(node: Record) -> str:
    match node:
        case ast.Assign():
            return "" if node.key.quoted else node.key.text
        case ast.Mount():
            return f"mount {node.kind.text}"
        case ast.Policy():
            return f"on {node.event.name.text}"
        case ast.Step():
            return node.kind
        case ast.Patch() | ast.Matrix() | ast.Use() | ast.Output() | ast.Cluster() | ast.Condition() | ast.Param():
            return _NAMES[type(node).__name__]
        case _:
            return ""


_NAMES = {
    "Patch": "patch",
    "Matrix": "matrix",
    "Use": "use",
    "Output": "output",
    "Cluster": "cluster",
    "Condition": "when",
    "Param": "param",
}
