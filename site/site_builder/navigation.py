"""The navigation: what ``mkdocs.yml`` has, the pages of the guide in the order of its index, and the examples."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from site_builder.repository import ROOT, example, linked, shipped_examples

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Entry: TypeAlias = "str | Mapping[str, str | Sequence[Entry]]"

_GUIDE = "docs/guide/README.md"
_HEADING = re.compile(r"^## (.+)$", re.M)


def pages(entries: Sequence[Entry]) -> Iterator[str]:
    """The pages that a navigation names."""
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            for below in entry.values():
                yield from pages([below] if isinstance(below, str) else below)


def whole(entries: Sequence[Entry]) -> list[Entry]:
    """The navigation with the places filled that ``mkdocs.yml`` leaves open: ``GUIDE``, ``EXAMPLES`` and ``SPEC``."""
    return [filled for entry in entries for filled in _filled(entry)]


def _filled(entry: Entry) -> list[Entry]:
    if entry == "GUIDE":
        return guide()
    if entry == "EXAMPLES":
        return [example(name) for name in shipped_examples()]
    if entry == "SPEC":
        return [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tests/spec").glob("[0-9]*.md"))]
    if not isinstance(entry, str):
        return [{name: below if isinstance(below, str) else whole(below) for name, below in entry.items()}]
    return [entry]


def guide() -> list[Entry]:
    """The guide: a heading of its index is a section, with the pages of the guide that are linked below it."""
    index = ROOT / _GUIDE
    if not index.is_file():
        return []
    entries: list[Entry] = [_GUIDE]
    placed = {_GUIDE}
    first, *parts = _HEADING.split(index.read_text(encoding="utf-8"))
    for title, text in [("", first), *zip(parts[::2], parts[1::2], strict=True)]:
        pages = [path for path in dict.fromkeys(linked(_GUIDE, text)) if _is_guide(path) and path not in placed]
        placed.update(pages)
        entries += [{title: [*pages]}] if title and pages else pages
    return entries


def _is_guide(path: str) -> bool:
    return path.startswith("docs/guide/") and path.endswith(".md")
