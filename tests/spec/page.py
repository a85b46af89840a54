"""Reads the pages of the specification: Markdown to examples. The notation is told in README.md beside this file."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

from tfdsl.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FENCE = re.compile(r"^(```+)([a-z]*)$")
_FILE_NAME = re.compile(r"^`([^`]+)`:$")
_OPTIONS = re.compile(r"^With (`.*`):$")
_DECLARATION = re.compile(r"^(edition|include|param|let|template|profile|job|flow)\b", re.MULTILINE)
_MARK = re.compile(r"[ \t]*# (?=(?:error|warning|info|message|help|note|fix): |= )")
_PLACE = re.compile(r"^(?P<slug>[a-z0-9-]+)(?: at (?:(?P<column>\d+): )?(?P<text>.+))?$")

MAIN = "main.tfjob"


class Expected(Record):
    """A diagnostic that a mark asserts. ``text``: what its place covers; ``fixed``: the line after its fix."""

    file: str
    line: int
    level: str
    slug: str
    text: str | None
    column: int | None
    messages: list[str]
    helps: list[str]
    notes: list[str]
    fixed: list[str]


class Example(Record):
    """One executable example. ``offset``: what is added to a line of its main file to find it in the page."""

    title: str
    line: int
    offset: int
    files: dict[str, str]
    options: tuple[str, ...]
    values: dict[str, object]
    rendered: str | None

    def expected(self) -> list[Expected]:
        """All diagnostics that the marks assert."""
        return [mark for name, text in self.files.items() if name.endswith(".tfjob") for mark in _marks(name, text)]

    def constants(self) -> dict[str, str]:
        """Name of a let or param → the value that ``# =`` asserts."""
        found: dict[str, str] = {}
        for line in self.files[MAIN].splitlines():
            code, *marks = _MARK.split(line)
            for mark in marks:
                if mark.startswith("= "):
                    found[code.split()[1].rstrip(":")] = mark[2:].strip()
        return found


class _Block(Record):
    language: str
    text: str
    line: int
    name: str | None
    options: tuple[str, ...]


def examples(path: Path) -> list[Example]:
    """The examples of a page, in order."""
    found: list[Example] = []
    files: dict[str, str] = {}
    title = ""
    for item in _items(path.read_text(encoding="utf-8")):
        if isinstance(item, str):
            files, title = {}, item
        elif item.name is not None:
            files[item.name] = item.text
        elif item.language == "tfjob":
            text, added = _whole(item.text)
            label = f"{path.stem}:{item.line} {title}"
            example = Example(label, item.line, item.line - added, {**files, MAIN: text}, item.options, {}, None)
            found.append(example)
        elif item.language == "json":
            found[-1].values.update(json.loads(item.text))
        elif item.language == "text":
            last = found[-1]
            found[-1] = Example(last.title, last.line, last.offset, last.files, last.options, last.values, item.text)
        else:
            raise AssertionError(f"{path.name}:{item.line}: a block of {item.language or 'no'} language means nothing")
    return found


def _items(page: str) -> Iterator[str | _Block]:
    """Headings and blocks in order."""
    lines = page.splitlines()
    at = 0
    last = ""
    while at < len(lines):
        line = lines[at]
        fence = _FENCE.match(line)
        if fence is not None:
            end = lines.index(fence[1], at + 1)
            text = "".join(f"{inner}\n" for inner in lines[at + 1 : end])
            name, options = _FILE_NAME.match(last), _OPTIONS.match(last)
            words = (
                [word for code in re.findall("`([^`]+)`", options[1]) for word in shlex.split(code)] if options else []
            )
            yield _Block(fence[2], text, at + 1, name[1] if name else None, tuple(words))
            at, last = end, ""
        elif line.startswith("#"):
            yield line.lstrip("# ")
            last = ""
        elif line.strip():
            last = line
        at += 1


def _whole(text: str) -> tuple[str, int]:
    """A whole file out of an example, and how many lines were added before it.

    Declarations without a job get a small job behind them; items get a small job around them, with an image and a
    worker unless they have their own.
    """
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    if _DECLARATION.match(first):
        if re.search(r"^job\b", text, re.MULTILINE):
            return text, 0
        return f'{text}job example {{\n  image = "example"\n  role worker {{ }}\n}}\n', 0
    before = ["job example {"]
    if not re.search(r"^image\s*=", text, re.MULTILINE):
        before.append('image = "example"')
    role = "" if re.search(r"^role\b", text, re.MULTILINE) else "role worker { }\n"
    return "\n".join(before) + f"\n{text}{role}}}\n", len(before)


def _marks(name: str, text: str) -> Iterator[Expected]:
    line = 0
    last: Expected | None = None
    for number, whole in enumerate(text.splitlines(), 1):
        code, *marks = _MARK.split(whole)
        if code.strip():
            line = number
        for mark in marks:
            word, _, rest = mark.partition(": ")
            if word in ("error", "warning", "info"):
                if last is not None:
                    yield last
                last = _expected(name, line, word, rest.strip())
            elif not mark.startswith("= "):
                assert last is not None, f"{name}:{number}: {word} explains no diagnostic"
                kept = {"message": last.messages, "help": last.helps, "note": last.notes, "fix": last.fixed}[word]
                kept.append(rest.strip())
    if last is not None:
        yield last


def _expected(name: str, line: int, level: str, rest: str) -> Expected:
    form = _PLACE.match(rest)
    assert form is not None, f"{name}:{line}: {rest!r} is no mark"
    column = None if form["column"] is None else int(form["column"])
    return Expected(name, line, level, form["slug"], form["text"], column, [], [], [], [])


def code_of(line: str) -> str:
    """A line without its marks."""
    return _MARK.split(line)[0].strip()
