"""What tfdsl tells people to install and to run: nothing by a name that others could claim, nothing untried."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance.tensorflow import TRIED
from tests.unit.cli.shell import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

ELSEWHERE = {"build", "dist", "node_modules", "__pycache__", "fuzz-findings", "fuzz-corpus"}
"""Folders that are not of the repository, besides those that begin with a dot."""

INSTALL = re.compile(
    r"\b(?:pip[\d.]*|pipx|uv|poetry|pdm|conda|mamba|npm|yarn)\b[^\n]{0,80}?\b(?:install|add|tool run)\b(?P<args>.*)"
    r"|\b(?:pipx run|uvx|npx)\b(?P<more>.*)"
)
NOT_ARGUMENTS = {"a", "and", "as", "for", "from", "in", "installs", "of", "or", "the", "to", "with"}
"""Words of a sentence that goes on behind a command."""

BY_NAME = re.compile(r"tfdsl(\[[\w,]*\])?([=<>~!@]=?[\w.*]+)?[.,;:)\]]*")
NEEDED = re.compile(r"""^\W*(?:dependencies|requires|additional_dependencies)\b.*["'\s\[]tfdsl\b(?!-)""", re.M)

OF_TENSORFLOW = re.compile(r"(?<![\w.-]/)\btensorflow/tensorflow:(\d[\d.]*)")
OF_OTHERS = ("examples/simpletfjob/", "examples/tfjob/", "backends/tfdsl_backends/tfjob/reading.py")
"""Jobs that others wrote for TensorFlow 1, and the image that an operator takes."""


def texts(*starts: str) -> Iterator[tuple[str, str]]:
    """The files of some folders that are texts, each with its path."""
    for start in starts:
        for folder, below, names in os.walk(ROOT / start):
            below[:] = [name for name in below if name not in ELSEWHERE and not name.startswith(".")]
            for path in (Path(folder, name) for name in names):
                try:
                    yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    continue


def by_name(text: str) -> list[str]:
    """The places of a text that take tfdsl from an index, by its name."""
    found = [match[0] for match in NEEDED.finditer(text)]
    for match in INSTALL.finditer(text):
        for word in re.split(r"""[\s"'`,]+""", match["args"] or match["more"] or ""):
            if word in NOT_ARGUMENTS:
                break
            if BY_NAME.fullmatch(word):
                found.append(match[0])
    return found


@pytest.mark.parametrize(
    "line",
    [
        "pip install tfdsl",
        "Install it with: pip install 'tfdsl[lsp]'.",
        "$ python3 -m pip install --quiet tfdsl==0.1.0",
        'run([sys.executable, "-m", "pip", "install", "tfdsl"])',
        "    - pip install -U tensorflow tfdsl>=1",
        "uv tool install tfdsl",
        "uv pip install --compile-bytecode 'tfdsl[lsp]'",
        "uvx tfdsl check",
        "pipx run tfdsl",
        'dependencies = ["tfdsl"]',
        "        additional_dependencies: [tfdsl]",
    ],
)
def test_what_takes_it_from_an_index_is_found(line: str) -> None:
    assert by_name(line)


@pytest.mark.parametrize(
    "line",
    [
        "pip install .",
        "pip install '.[lsp]' in a checkout of tfdsl, or pip install 'FILE.whl[lsp]'",
        "pip install ./tfdsl",
        "pip install tfdsl-0.1.0-py3-none-any.whl",
        "pip install git+https://git.example.com/tools/tfdsl@v0.1.0",
        'pip install --quiet "$TFDSL"',
        "uv run tfdsl check",
        'dependencies = ["pydantic>=2.11,<3"]',
    ],
)
def test_what_takes_it_from_elsewhere_is_not(line: str) -> None:
    assert by_name(line) == []


@pytest.mark.slow
def test_nothing_takes_tfdsl_from_an_index() -> None:
    """Nobody owns the name there yet: whoever claims it first could be installed (CONTRIBUTING.md, "Addresses")."""
    told = {path: by_name(text) for path, text in texts("", ".ci", ".github") if "tfdsl" in text}
    told.pop(Path(__file__).relative_to(ROOT).as_posix())
    assert {path: lines for path, lines in told.items() if lines} == {}


@pytest.mark.slow
def test_images_have_a_version_that_was_tried() -> None:
    """``make conformance-local`` and ``make conformance-long`` train with each of them."""
    found = {
        f"{path}: {version}"
        for path, text in texts("docs", "examples", "tfdsl", "backends", "grammar", "site")
        for version in OF_TENSORFLOW.findall(text)
        if version not in TRIED and not path.startswith(OF_OTHERS)
    }
    assert found == set()
