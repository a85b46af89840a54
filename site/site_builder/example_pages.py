"""A page for each example: its files, its picture, and what it becomes on each target."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from site_builder import playground
from site_builder.blocks import block, indented
from site_builder.repository import ROOT, example, shipped_examples
from tfdsl import targets
from tfdsl.cli.main import main as tfdsl

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = ROOT / "examples"
MAIN = "main.tfjob"
_ABOUT = re.compile(r"^# (.*)\.$", re.M)
_MESSAGES = "messages.txt"
_LONG = 250
"""Lines of output that are shown at once; a longer file is a click away."""


def address_of(name: str) -> str:
    """Where the page of an example is on the site."""
    return f"examples/{name}.html"


def picture_of(name: str) -> str:
    """Where its picture is on the site."""
    return f"examples/{name}.svg"


def drawn(name: str) -> str:
    """The picture of its topology."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "picture.svg")
        status = tfdsl(["graph", str(EXAMPLES / name / MAIN), "-o", str(file)])
        if status:
            raise ValueError(f"tfdsl graph {example(name)} ends with {status}")
        return file.read_text(encoding="utf-8")


def page_of(name: str) -> str:
    """The page of an example."""
    text = (EXAMPLES / name / MAIN).read_text(encoding="utf-8")
    found = _ABOUT.search(text)
    about = found[1] if found else name
    return "\n".join([f"# {name}\n\n{about}.\n", *_start(name), *_files(name), *_picture(name, about), *_outputs(name)])


def _start(name: str) -> Iterator[str]:
    """How a reader gets it."""
    if name in shipped_examples():
        yield f"```console\n$ tfdsl new --from {name}\n```\n"


def _files(name: str) -> Iterator[str]:
    for path in sorted((EXAMPLES / name).iterdir(), key=lambda path: (path.name != MAIN, path.name)):
        if path.is_file():
            yield f"## {path.name}\n\n{block(path.name, path.read_text(encoding='utf-8'))}"
        if path.name == MAIN and name in shipped_examples():
            yield playground.link(f"../{playground.ADDRESS}#example={name}")


def _picture(name: str, about: str) -> Iterator[str]:
    words = about.replace("[", "").replace("]", "")
    yield f"## Picture\n\n![{words}: its roles, and what they read and write]({name}.svg)\n"


def _outputs(name: str) -> Iterator[str]:
    """The files of each target, one tab for each target; the search has enough without them."""
    yield '## Output\n\n<section data-search-exclude="yes" markdown>\n'
    for backend in targets.known():
        folder = EXAMPLES / name / "expected" / backend.name
        if folder.is_dir():
            yield f'=== "{backend.name}"\n'
            files = [path for path in folder.rglob("*") if path.is_file()]
            for path in sorted(files, key=lambda path: (path.name == _MESSAGES, path)):
                yield indented(_output(path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")))
    yield "</section>\n"


def _output(name: str, text: str) -> str:
    if not text.strip():
        return ""
    title = "what tfdsl check reports" if name == _MESSAGES else name
    mark = "???" if len(text.splitlines()) > _LONG or name == _MESSAGES else "???+"
    return f'{mark} abstract "{title}"\n\n{indented(block(name, text))}\n'
