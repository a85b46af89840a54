"""Every place of the product that opens a file: ``tfdsl/source_files.py``, or one that somebody has reviewed.

The gate opens what a text, a file or a folder names, if it is given the folders below which that must be (``roots``).
Without them it opens what the user has named.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

OPENERS = {
    *("open", "open_code", "fdopen", "fopen", "popen", "read_text", "read_bytes", "write_text", "write_bytes", "touch"),
    *("copyfile", "copy", "copy2", "copytree", "move", "ZipFile", "TarFile", "FileIO", "FileInput", "mmap", "getlines"),
    *("makefile", "mkstemp", "mkdtemp", "NamedTemporaryFile", "TemporaryFile", "TemporaryDirectory", "files"),
    *("check_output", "Popen", "check_call", "posix_spawn", "execv", "execve", "execvp", "execvpe", "system"),
}
"""Functions and methods that open a file or start a program that does."""
OF_MODULES = {"shutil.copy", "shutil.move", "subprocess.run", "importlib.resources.files"}
AMBIGUOUS = {"copy", "move", "files", "touch", "makefile", "mmap", "system"}
"""Names that other things have too; they count only behind their module."""
_CALLS = "|".join(sorted(OPENERS - AMBIGUOUS))
WORDS = re.compile(rf"\b(?:{_CALLS})\(|\b(?:source_files|shutil|subprocess|resources)\b")
GATE = {"read", "contents", "beginning"}
"""The functions of the gate."""

OWN = "a file that is installed with tfdsl"
OUTPUT = "writes the output that the user asks for, or its own"
RUN = "tfdsl run: a part of the kernel, of the folder of the run, or of what the user mounts"
SYSTEM = "a descriptor or device of the process itself"
REVIEWED = {
    "tfdsl/source_files.py": "the gate",
    "tfdsl/comparing/repository.py": "starts git, which is told where the repository is",
    "tfdsl/writing.py": OUTPUT,
    "tfdsl/lsp/server/previews.py": OUTPUT,
    "tfdsl/lsp/server/__init__.py": SYSTEM,
    "tfdsl/cli/streams.py": SYSTEM,
    "tfdsl/cli/completion/__init__.py": OWN,
    "tfdsl/cli/new.py": OWN,
    "tfdsl/diagnostics/registry.py": OWN,
    "tfdsl/backend/patch_rules.py": OWN,
    "backends/tfdsl_backends/podspec/normal/walk.py": OWN,
    "backends/tfdsl_backends/podspec/command.py": OWN,
    "backends/tfdsl_backends/slider/lower.py": OWN,
    "backends/tfdsl_backends/yarn/assembly.py": OWN,
    "tfdsl/running/": RUN,
    "tfdsl/operating/runner.py": "starts the client of a cluster, with a text of ours as its input",
    "tfdsl/operating/submitting.py": "a temporary folder for the files that the client reads",
    "backends/tfdsl_backends/hadoop/programs/": "a program that runs on the cluster",
    "backends/tfdsl_backends/slider/programs/": "a program that runs on the cluster",
    "backends/tfdsl_backends/yarn/programs/": "a program that runs on the cluster",
}
"""A file or folder of the product, and why it opens files without the gate."""

NAMED = "the user has named it"
NAMED_BY_USER = {
    "tfdsl/api/calls.py": "the caller has named it",
    "tfdsl/cli/selection.py": f"{NAMED}: --params, --set and -O =@FILE",
    "tfdsl/cli/run.py": f"{NAMED}: --env-file",
    "tfdsl/cli/where.py": f"{NAMED}: FILE:LINE and --source",
    "tfdsl/cli/check.py": "the first three bytes, to write them back, of a file that has been read",
}
"""A file of the product, and why it calls the gate without roots."""


@cache
def product() -> dict[str, tuple[list[int], list[int]]]:
    """Each file of the product → the lines in which it opens a file, and those that call the gate without roots."""
    found: dict[str, tuple[list[int], list[int]]] = {}
    for folder in ("tfdsl", "backends/tfdsl_backends"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if WORDS.search(text):  # parsing all of them takes seconds
                tree = ast.parse(text)
                found[path.relative_to(ROOT).as_posix()] = list(opening(tree)), list(without_roots(tree))
    return found


def name_of(call: ast.Call) -> tuple[str, str]:
    """The last name of what is called, and the one before it."""
    function = call.func
    if isinstance(function, ast.Name):
        return function.id, ""
    if isinstance(function, ast.Attribute):
        value = function.value
        before = value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else "?"
        return function.attr, before
    return "", ""


def opening(tree: ast.AST) -> Iterator[int]:
    """The lines in which a file is opened."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name, before = name_of(node)
            whole = f"{before}.{name}"
            method_of_texts = name == "open" and before == "documents"
            if (name in OPENERS - AMBIGUOUS or whole in OF_MODULES) and not method_of_texts:
                yield node.lineno


def gate_names(tree: ast.AST) -> set[str]:
    """What a module calls the functions of the gate."""
    return {
        one.asname or one.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "tfdsl.source_files"
        for one in node.names
        if one.name in GATE
    }


def without_roots(tree: ast.AST) -> Iterator[int]:
    """The lines in which the gate is called without roots, or with ``None``, or handed on."""
    names = gate_names(tree)
    called = set[int]()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name, before = name_of(node)
        if (name in names and not before) or (name in GATE and before == "source_files"):
            called.add(id(node.func))
            roots = [
                *node.args[1 if name == "read" else 2 :],
                *(one.value for one in node.keywords if one.arg == "roots"),
            ]
            if not roots or (isinstance(roots[0], ast.Constant) and roots[0].value is None):
                yield node.lineno


def covers(reviewed: str, path: str) -> bool:
    return path == reviewed or (reviewed.endswith("/") and path.startswith(reviewed))


def test_every_place_that_opens_a_file_is_the_gate_or_reviewed() -> None:
    opened = {path: lines for path, (lines, _) in product().items() if lines}
    found = {path: lines for path, lines in opened.items() if not any(covers(one, path) for one in REVIEWED)}
    assert found == {}, "open it with tfdsl.source_files, or write the reason into REVIEWED"
    assert [one for one in REVIEWED if not any(covers(one, path) for path in opened)] == [], "it opens no file any more"


def test_what_a_text_names_is_opened_below_its_roots() -> None:
    called = {path: lines for path, (_, lines) in product().items() if lines}
    found = {path: lines for path, lines in called.items() if path not in NAMED_BY_USER}
    assert found == {}, "give the folders below which the file must be, or write the reason into NAMED_BY_USER"
    assert [path for path in NAMED_BY_USER if path not in called] == [], "it does not call the gate so any more"


@pytest.mark.parametrize(
    "line",
    [
        "open(path)",
        "io.open(path)",
        "os.open(path, 0)",
        "codecs.open(path)",
        "Path(path).open()",
        "Path(path).read_text()",
        "folder.joinpath(name).read_bytes()",
        "tarfile.open(path)",
        "zipfile.ZipFile(path)",
        "shutil.copy(one, other)",
        "subprocess.run(['cat', path])",
        "linecache.getlines(path)",
    ],
)
def test_ways_to_open_a_file(line: str) -> None:
    assert list(opening(ast.parse(f"x = 1\n{line}\n"))) == [2]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("read(path)", True),
        ("read(path, None)", True),
        ("read(path, roots=None)", True),
        ("contents(path, 10)", True),
        ("beginning(path, 3)", True),
        ("read(path, roots)", False),
        ("contents(path, 10, roots)", False),
        ("contents(path, roots=roots)", False),
    ],
)
def test_calls_of_the_gate(line: str, found: object) -> None:
    tree = ast.parse(f"from tfdsl.source_files import read, contents, beginning\n{line}\n")
    assert bool(list(without_roots(tree))) is found
