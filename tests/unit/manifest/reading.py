"""Reads texts for the tests of manifests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.manifest.find import Readable, find
from tfdsl.manifest.nodes import Mapping, Sequence, plain
from tfdsl.manifest.yaml import read
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.manifest.nodes import Document, Node


READABLE = Readable(frozenset({"tfjob", "job", "cronjob", "jobtemplate", "jobset"}), "TFJobs and Jobs")


def documents(text: str, path: str = "job.yaml") -> list[Document]:
    """The documents of ``text``; fails where something is wrong with it."""
    diagnostics: list[Diagnostic] = []
    result = read(Source(path, text), diagnostics.append)
    assert [one.message for one in diagnostics if one.level != "info"] == []
    return result


def document(text: str, path: str = "job.yaml") -> Document:
    """The only document of ``text``."""
    (only,) = documents(text, path)
    return only


def messages(text: str, path: str = "job.yaml") -> tuple[list[object], list[Diagnostic]]:
    """The values of the documents that ``text`` gives, and what is reported."""
    diagnostics: list[Diagnostic] = []
    return [plain(one.node) for one in read(Source(path, text), diagnostics.append)], diagnostics


def found(text: str, path: str = "job.yaml") -> tuple[list[Document], list[Diagnostic]]:
    """The documents in ``text``, those of lists and in strings too, and what is reported."""
    diagnostics: list[Diagnostic] = []
    result = find(read(Source(path, text), diagnostics.append), READABLE, diagnostics.append)
    return result, diagnostics


def values(node: Node) -> object:
    """Like ``plain``, with nulls."""
    if isinstance(node, Mapping):
        return {key: values(entry.value) for key, entry in node.entries.items()}
    return [values(one) for one in node.items] if isinstance(node, Sequence) else node.value
