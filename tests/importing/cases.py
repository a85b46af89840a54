"""Manifests that are imported, each with the text that must come of it beside it.

``TARGET/NAME.yaml`` (or a file of another form, or a folder of them) is the manifest. ``NAME.tfjob`` is the text,
``NAME.txt`` what is said about it, if anything is. ``python -m tests.importing.renew`` writes both; read them before
you commit them.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tfdsl.diagnostics.render.text import render
from tfdsl.importing.manifests import Imported, import_manifests
from tfdsl.text import Source

FOLDER = Path(__file__).parent
RESULTS = (".tfjob", ".txt", ".md", ".py")
_SHELL = ".sh"


class Case(NamedTuple):
    """One manifest; ``files``: what it consists of."""

    name: str
    files: tuple[Path, ...]
    beside: Path

    @property
    def sources(self) -> list[Source]:
        """Its files, named as they are below the folder of its target."""
        return [Source(str(file.relative_to(self.beside.parent)), file.read_text("utf-8")) for file in self.files]

    @property
    def expected(self) -> Path:
        """Where the expected text is."""
        return self.beside.with_name(f"{self.beside.name}.tfjob")

    @property
    def messages(self) -> Path:
        """Where the expected messages are."""
        return self.beside.with_name(f"{self.beside.name}.txt")


def cases() -> list[Case]:
    """All cases, by target and name."""
    found: list[Case] = []
    for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir() and path.name != "__pycache__"):
        for path in sorted(folder.iterdir()):
            if path.is_dir():
                files = tuple(sorted(file for file in path.rglob("*") if file.is_file()))
                found.append(Case(f"{folder.name}/{path.name}", files, path))
            elif path.suffix not in RESULTS:
                found.append(Case(f"{folder.name}/{path.stem}", (path,), path.with_suffix("")))
    return found


def imported(case: Case) -> Imported:
    """What import makes of a case."""
    [result] = import_manifests(case.sources)
    return result


def said(result: Imported) -> str:
    """The messages as the command line shows them."""
    return render(result.diagnostics, colour=False, columns=120)
