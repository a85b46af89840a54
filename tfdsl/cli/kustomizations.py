"""The kustomizations that reach the files of a folder and rename what is in them.

Kustomize reads ``kustomization.yaml``, ``kustomization.yml`` or ``Kustomization``; ``resources``, ``bases`` and
``components`` are files below it or folders of other kustomizations. They are looked for only if one is in the folder
of the output or above it up to the root, then below the root, as far as ``MOST_ENTRIES`` files and folders. What cannot
be read is left to kustomize to complain about.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from tfdsl.record import Record
from tfdsl.source_files import contents, decode, has_root, is_below, is_file_name, root_of
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View

NAMES: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
MOST_ENTRIES: Final = 20_000
MOST_KUSTOMIZATIONS: Final = 200
_LARGEST: Final = 256 * 1024
"""Bytes of a kustomization that is read."""
_FIELDS: Final = ("namePrefix", "nameSuffix")
_REACHING: Final = ("resources", "bases", "components")
_REPAIRING: Final = ("replacements", "configurations", "transformers", "vars")
"""With these somebody has told kustomize what else it has to change."""
_SKIPPED: Final = ("node_modules", "__pycache__")


class Renaming(Record):
    """A ``field`` of the kustomization in ``folder`` that changes names; ``files``: those that it reaches.

    ``prefix``, ``suffix``: all that this kustomization adds to a name.
    """

    field: str
    span: Span
    folder: str
    files: frozenset[str]
    prefix: str
    suffix: str

    def renamed(self, name: str) -> str:
        """What an object of this name is called then."""
        return f"{self.prefix}{name}{self.suffix}"


class _Kustomization(Record):
    """What counts of one. ``folder`` and ``reaches`` are real paths."""

    folder: str
    shown: str
    reaches: frozenset[str]
    fields: tuple[tuple[str, str, Span], ...]

    def added(self) -> tuple[str, str]:
        """What it puts before and behind a name."""
        texts = {field: text for field, text, _ in self.fields}
        prefix, suffix = (texts.get(field, "") for field in _FIELDS)
        return prefix, suffix


def renamings(files: Iterable[str]) -> list[Renaming]:
    """The renamings that reach any of ``files``, which have been written."""
    real = {os.path.realpath(path): path for path in files}
    folders = {os.path.dirname(path) for path in real}
    roots = {root for folder in folders if (root := _root(folder)) is not None and _is_above(folder, root)}
    found = {one.folder: one for root in sorted(roots) for one in _below(root)}
    reached = _reached(found, frozenset(real))
    return [
        Renaming(field, span, one.shown, frozenset(real[path] for path in reached[one.folder]), *one.added())
        for one in found.values()
        for field, _, span in one.fields
        if reached[one.folder]
    ]


def _root(folder: str) -> str | None:
    """The folder below which kustomizations are looked for: without a mark the current one, if it is above."""
    inside = os.path.join(folder, NAMES[0])
    if has_root(inside):
        return root_of(inside)
    here = os.path.realpath(os.curdir)
    return here if is_below(folder, [here]) else folder


def _is_above(folder: str, root: str) -> bool:
    """Whether a kustomization is in ``folder`` or above it, up to ``root``."""
    while True:
        if any(os.path.isfile(os.path.join(folder, name)) for name in NAMES):
            return True
        if folder == root or os.path.dirname(folder) == folder:
            return False
        folder = os.path.dirname(folder)


def _below(root: str) -> Iterator[_Kustomization]:
    left = MOST_KUSTOMIZATIONS
    for path in _paths(root):
        read = _read(path, root)
        if read is not None:
            yield read
        left -= 1
        if not left:
            return


def _paths(root: str) -> Iterator[str]:
    """The kustomizations below ``root``, nearer ones first; links and hidden folders are not followed."""
    left = MOST_ENTRIES
    folders = [root]
    for folder in folders:  # which grows
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        left -= len(entries)
        if left < 0:
            return
        yield from (entry.path for entry in entries if entry.name in NAMES and entry.is_file(follow_symlinks=False))
        folders += [entry.path for entry in entries if _is_searched(entry)]


def _is_searched(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False)


def _read(path: str, top: str) -> _Kustomization | None:
    """What counts of the kustomization at ``path``, below ``top``; ``None`` if it cannot be read."""
    data = contents(path, _LARGEST, (top,))
    shown = _shown(path)
    source = data if isinstance(data, str) else decode(data, shown, path)
    if not isinstance(source, Source):
        return None
    from tfdsl.manifest import yaml
    from tfdsl.manifest.nodes import view

    documents = yaml.read(source, lambda _: None)
    if len(documents) != 1:
        return None
    root = view(documents[0].node)
    folder = os.path.dirname(path)
    reaches = {os.path.realpath(os.path.join(folder, name)) for field in _REACHING for name in _texts(root[field])}
    repaired = any(root[field].present for field in _REPAIRING)
    fields = [] if repaired else [(field, text, root[field].span) for field in _FIELDS if (text := root[field].text)]
    return _Kustomization(folder, _shown(folder), frozenset(reaches), tuple(fields))


def _texts(list_: View) -> Iterator[str]:
    for item in list_.items():
        if item.text and is_file_name(item.text) and "://" not in item.text:
            yield item.text


def _shown(path: str) -> str:
    """``path`` as seen from the current folder, if it is below that."""
    here = os.path.realpath(os.curdir)
    return os.path.relpath(path, here) if is_below(path, [here]) else path


def _reached(found: dict[str, _Kustomization], files: frozenset[str]) -> dict[str, frozenset[str]]:
    """Which of ``files`` each kustomization has, by itself or by others; one beside a file will have it."""
    reached = {
        folder: frozenset(path for path in files if path in one.reaches or os.path.dirname(path) == folder)
        for folder, one in found.items()
    }
    changed = True
    while changed:
        changed = False
        for folder, one in found.items():
            more = frozenset[str]().union(*(reached[other] for other in one.reaches if other in reached))
            if not more <= reached[folder]:
                reached[folder] |= more
                changed = True
    return reached
