"""The tree-sitter grammar, compiled from its committed parser, as Python objects."""

from __future__ import annotations

import ctypes
import re
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Language

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tree_sitter import Node

_CAPSULE = ctypes.create_string_buffer(b"tree_sitter.Language")
"""The capsule keeps only a pointer to its name, so the name must stay."""


def compiled(grammar: Path, folder: Path) -> Language:
    """The language of ``grammar/src/parser.c``."""
    library = folder / "tfjob.so"
    source = grammar / "src"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-Wall", "-Werror", f"-I{source}", "-o", library, source / "parser.c"],
        check=True,
    )
    language = ctypes.CDLL(str(library)).tree_sitter_tfjob
    language.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return Language(capsule(language(), ctypes.cast(_CAPSULE, ctypes.c_char_p), None))


class Case(NamedTuple):
    """One case of the corpus: its name, its text and the tree that it has to give."""

    name: str
    text: bytes
    tree: str


_CASE = re.compile(rb"^={3,}\r?\n(.+?)\r?\n={3,}\r?\n(.*?)\r?\n---\r?\n(.*?)(?=^={3,}\r?$|\Z)", re.M | re.S)


def corpus(folder: Path) -> list[Case]:
    """All cases, in tree-sitter's own format, so that ``tree-sitter test`` reads them too."""
    return [
        Case(f"{path.stem}: {name.decode()}", text, normal(tree.decode()))
        for path in sorted(folder.glob("*.txt"))
        for name, text, tree in _CASE.findall(path.read_bytes())
    ]


def normal(tree: str) -> str:
    """A tree without names of fields and with single blanks."""
    return re.sub(r"\s+(?=\))", "", " ".join(re.sub(r"\w+: ", "", tree).split()))


def nodes(node: Node) -> Iterator[Node]:
    """The node and all below it, in order of the text."""
    yield node
    for child in node.children:
        yield from nodes(child)


def mistakes(root: Node) -> list[tuple[int, str]]:
    """Line (from 1) and kind of all that was not understood."""
    return [
        (node.start_point.row + 1, "MISSING " + node.type if node.is_missing else node.type)
        for node in nodes(root)
        if node.is_error or node.is_missing
    ]
