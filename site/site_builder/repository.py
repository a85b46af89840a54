"""The files of the repository that the site shows, and where each is on the site.

The pages stay where they are: they are read from their places, and a link from one to another is the link that works in
a checkout. Whatever a page links to is on the site as well: another page, a picture, or the text of a file.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[2]

_STARTS = ("*.md", "docs/**/*.md", "examples/README.md", "tests/spec/*.md")
_PICTURES = (".png", ".svg")
_LINK = re.compile(r"\]\(<?([^)>\s#:]+)>?(?:#[^)\s]*)?\)")
_ROW = re.compile(r"^\|.*\[`([\w-]+)`\]\(\1/main\.tfjob\)", re.M)
_FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2[`~]* *$", re.S | re.M)
_FOLDERS = (("docs/", ""), ("tests/spec/", "spec/"), ("tests/migration/shapes/", "shapes/"), ("tests/", ""))
"""Folders of the repository, and where their pages are on the site."""


@dataclass(frozen=True)
class Shown:
    """A file that the site shows."""

    path: str
    """Its place in the repository, with ``/``."""

    @property
    def kind(self) -> str:
        """``page`` for Markdown, ``picture`` for what is copied, ``text`` for what gets a page around its text."""
        if self.path.endswith(".md"):
            return "page"
        return "picture" if self.path.endswith(_PICTURES) else "text"

    @property
    def navigated(self) -> bool:
        """Whether it must be in the navigation. What only a page links to, as the shapes, need not be."""
        return (self.kind == "page" and not self.path.startswith("tests/")) or self.path.startswith("tests/spec/")

    @property
    def address(self) -> str:
        """Its place on the site."""
        if self.kind == "text":
            return f"files/{self.path}.html"
        path = next((new + self.path[len(old) :] for old, new in _FOLDERS if self.path.startswith(old)), self.path)
        if self.kind == "picture":
            return path
        folder, name = posixpath.split(path.removesuffix(".md"))
        if "/" not in self.path:
            return f"project/{name.lower()}.html"
        return posixpath.join(folder, "index.html" if name == "README" else f"{name}.html")


def shown(others: Iterable[str]) -> list[Shown]:
    """Every file that the site shows, given the paths that something else makes pages for."""
    made = set(others)
    todo = [path.relative_to(ROOT).as_posix() for pattern in _STARTS for path in sorted(ROOT.glob(pattern))]
    found: dict[str, Shown] = {}
    while todo:
        path = todo.pop()
        if path in found or path in made or not (ROOT / path).is_file():
            continue
        found[path] = Shown(path)
        if found[path].kind == "page":
            todo += linked(path, (ROOT / path).read_text(encoding="utf-8"))
    return [found[path] for path in sorted(found)]


def examples() -> list[str]:
    """The examples, in the order of their tables."""
    return _ROW.findall((ROOT / "examples/README.md").read_text(encoding="utf-8"))


def shipped_examples() -> list[str]:
    """The examples of the first table, which ``tfdsl new`` writes; the others are for the tests."""
    first, _, _ = (ROOT / "examples/README.md").read_text(encoding="utf-8").partition("\nThe other folders")
    return _ROW.findall(first)


def example(name: str) -> str:
    """How the pages link to an example."""
    return f"examples/{name}/main.tfjob"


def linked(path: str, text: str) -> list[str]:
    """The places in the repository that a page links to."""
    return [
        posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1]))
        for match in _LINK.finditer(_FENCE.sub("", text))
    ]
