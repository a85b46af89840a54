"""The kustomizations around an output: which there are, what each does with the files, and its list of resources."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.emit.yaml import text as written_text
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


class Kustomization(Record):
    """What counts of one. ``folder`` and ``reaches`` are real paths. ``resources``: the key."""

    folder: str
    shown: str
    source: Source
    resources: Span
    reaches: frozenset[str]
    fields: tuple[tuple[str, str, Span], ...]

    def added(self) -> tuple[str, str]:
        """What it puts before and after a name."""
        texts = {field: text for field, text, _ in self.fields}
        prefix, suffix = (texts.get(field, "") for field in _FIELDS)
        return prefix, suffix


def around(files: Iterable[str]) -> dict[str, Kustomization]:
    """The kustomizations that may reach any of ``files``, which have been written, by their folders."""
    folders = {os.path.dirname(os.path.realpath(path)) for path in files}
    roots = {root for folder in folders if _is_above(folder, root := root_above(folder))}
    by_folder = {
        kustomization.folder: kustomization for root in sorted(roots) for kustomization in _kustomizations(root)
    }
    for folder in sorted(
        folders - by_folder.keys()
    ):  # also one that a link leads to, or in a folder that is not searched
        own = name_in(folder)
        read = _kustomization(os.path.join(folder, own), root_above(folder)) if own is not None else None
        by_folder |= {folder: read} if read is not None else {}
    return by_folder


def name_in(folder: str) -> str | None:
    """What the kustomization in ``folder`` is called, whether it can be read or not."""
    return next((name for name in NAMES if os.path.lexists(os.path.join(folder, name))), None)


def renamings(kustomizations: Mapping[str, Kustomization], files: Iterable[str]) -> list[Renaming]:
    """The renamings that reach any of ``files``."""
    real = {os.path.realpath(path): path for path in files}
    reached = _reached(kustomizations, frozenset(real))
    return [
        Renaming(
            field,
            span,
            kustomization.shown,
            frozenset(real[path] for path in reached[kustomization.folder]),
            *kustomization.added(),
        )
        for kustomization in kustomizations.values()
        for field, _, span in kustomization.fields
        if reached[kustomization.folder]
    ]


def listing(kustomizations: Mapping[str, Kustomization], folder: str) -> Kustomization | None:
    """The one that has to list what is in ``folder``: the one there, or the nearest above that lists some of it."""
    folder = os.path.realpath(folder)
    if folder in kustomizations:
        return kustomizations[folder]
    above = [
        kustomization
        for kustomization in kustomizations.values()
        if is_below(folder, [kustomization.folder])
        and any(os.path.dirname(path) == folder for path in kustomization.reaches)
    ]
    return max(above, key=lambda kustomization: len(kustomization.folder), default=None)


def unlisted(kustomizations: Mapping[str, Kustomization], files: Iterable[str]) -> list[str]:
    """Those of ``files`` that no kustomization lists."""
    listed = frozenset[str]().union(*(kustomization.reaches for kustomization in kustomizations.values()))
    return [path for path in files if os.path.realpath(path) not in listed]


def root_above(folder: str) -> str:
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


def _kustomizations(root: str) -> Iterator[Kustomization]:
    left = MOST_KUSTOMIZATIONS
    for path in _paths(root):
        read = _kustomization(path, root)
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
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            continue
        left -= len(entries)
        if left < 0:
            return
        yield from (entry.path for entry in entries if entry.name in NAMES and entry.is_file(follow_symlinks=False))
        folders += [entry.path for entry in entries if _is_searched(entry)]


def _is_searched(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False)


def _kustomization(path: str, top: str) -> Kustomization | None:
    """What counts of the kustomization at ``path``, below ``top``; ``None`` if it cannot be read."""
    data = contents(path, _LARGEST, (top,))
    shown = _shown(path)
    source = data if isinstance(data, str) else decode(data, shown, path)
    if not isinstance(source, Source):
        return None
    root = _read(source)
    if root is None:
        return None
    folder = os.path.dirname(path)
    reaches = {os.path.realpath(os.path.join(folder, name)) for field in _REACHING for name in _texts(root[field])}
    repaired = any(root[field].present for field in _REPAIRING)
    fields = [] if repaired else [(field, text, root[field].span) for field in _FIELDS if (text := root[field].text)]
    return Kustomization(folder, _shown(folder), source, root.key("resources"), frozenset(reaches), tuple(fields))


def _texts(list_: View) -> Iterator[str]:
    for item in list_.items():
        if item.text and is_file_name(item.text) and "://" not in item.text:
            yield item.text


def _shown(path: str) -> str:
    """``path`` as seen from the current folder, if it is below that."""
    here = os.path.realpath(os.curdir)
    return os.path.relpath(path, here) if is_below(path, [here]) else path


def _reached(by_folder: Mapping[str, Kustomization], files: frozenset[str]) -> dict[str, frozenset[str]]:
    """Which of ``files`` each kustomization has, by itself or by others; one beside a file will have it."""
    reached = {
        folder: frozenset(path for path in files if path in kustomization.reaches or os.path.dirname(path) == folder)
        for folder, kustomization in by_folder.items()
    }
    changed = True
    while changed:
        changed = False
        for folder, kustomization in by_folder.items():
            more = frozenset[str]().union(*(reached[other] for other in kustomization.reaches if other in reached))
            if not more <= reached[folder]:
                reached[folder] |= more
                changed = True
    return reached


# --- its list of resources ---
#
# A text is edited, not written anew, so that comments and order stay. What comes of it is read again and compared.

_NEW: Final = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"


def with_resources(source: Source | None, added: Sequence[str], removed: Iterable[str] = ()) -> str | None:
    """The text of a kustomization that lists ``added`` too and no longer ``removed``: names relative to its folder.

    A name can be written in other ways (``./a.yaml``).

    ``source``: ``None`` for a new one. ``None`` is returned where the text cannot be edited.
    """
    source = Source("kustomization.yaml", _NEW) if source is None else source
    before = _read(source)
    if before is None:
        return None
    old = before["resources"]
    names = [item.text for item in old.items()]
    dropped = frozenset(removed)
    here = os.path.basename(os.path.realpath(os.path.dirname(source.origin or "")))
    own = [None if name is None else _normal(name, here) for name in names]
    gone = {name for name, normal in zip(names, own, strict=True) if normal in dropped}
    new = [name for name in added if name not in own]
    wanted = [*(name for name in names if name not in gone), *new]
    if wanted == names:
        return source.text
    text = _edited(source.text, before, old, gone, [written_text(name) for name in new])
    after = None if text is None else _read(Source(source.path, text))
    if after is None or _plain(after) != _plain(before) | {"resources": wanted}:
        return None
    return text


def _normal(name: str, folder: str) -> str:
    """``name`` without ways that lead nowhere; ``folder``: what its folder is called."""
    normal = os.path.normpath(name)
    return normal.removeprefix(f"../{folder}/") if folder else normal


def _read(source: Source) -> View | None:
    from tfdsl.manifest import yaml
    from tfdsl.manifest.nodes import view

    documents = yaml.read(source, lambda _: None)
    return view(documents[0].node) if len(documents) == 1 else None


def _plain(root: View) -> dict[str, object]:
    from tfdsl.manifest.nodes import plain

    root_data = plain(root.node) if root.node is not None else None
    return dict(root_data) if isinstance(root_data, dict) else {}


def _edited(text: str, root: View, old: View, gone: Container[str | None], new: Sequence[str]) -> str | None:
    end = "\r\n" if "\r\n" in text else "\n"
    key = root.key("resources")  # of an absent one the place is that of all
    if not old.present and key == root.span:
        return f"{text.rstrip()}{end}resources:{end}" + "".join(f"- {name}{end}" for name in new)
    if not old.present:
        return _inserted(text, _line_end(text, key.end), "".join(f"{end}- {name}" for name in new))
    items = [(item.text, item.span) for item in old.items()]
    if not items and text[old.span.start] != "[":
        return None
    kept = [span for name, span in items if name not in gone]
    if text[old.span.start] == "[":
        inside = ", ".join([*(span.text for span in kept), *new])
        return None if "#" in old.span.text else f"{text[: old.span.start]}[{inside}]{text[old.span.end :]}"
    last = items[-1][1]
    dash = text[text.rfind("\n", 0, last.start) + 1 : last.start]
    text = _inserted(text, _line_end(text, last.end), "".join(f"{end}{dash}{name}" for name in new))
    for span in reversed([span for name, span in items if name in gone]):
        begin = text.rfind("\n", 0, span.start) + 1
        text = text[:begin] + text[min(len(text), _line_end(text, span.end) + len(end)) :]
    return text if kept or new else _inserted(text, text.index(":", key.end) + 1, " []")


def _inserted(text: str, at: int, new: str) -> str:
    return text[:at] + new + text[at:]


def _line_end(text: str, at: int) -> int:
    """Where the line of ``at`` ends, before its line break."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if text[at:end].endswith("\r") else end
