"""Texts with a marked place, and snapshots made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.compiling import pipeline
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tfdsl.diagnostics.diagnostic import Edit
    from tfdsl.lsp.snapshot import Settings
    from tfdsl.semantics.project import Program

MARK = "▮"
PATH = "/work/job.tfjob"


def marked(text: str, files: Mapping[str, str] | None = None, settings: Settings | None = None) -> tuple[Snapshot, int]:
    """The snapshot of a text with one mark, and the offset of the mark. ``files``: others in its folder, by name."""
    assert text.count(MARK) == 1, text
    return snapshot(text.replace(MARK, ""), files, settings), text.index(MARK)


def snapshot(text: str, files: Mapping[str, str] | None = None, settings: Settings | None = None) -> Snapshot:
    """The snapshot of a text; other files of the folder are programs of the workspace too."""
    folder = {f"/work/{name}": content for name, content in (files or {}).items()}

    def read(path: str, roots: Sequence[str] = ()) -> Source | str:
        whole = {**folder, PATH: text}
        return Source(path, whole[path], path) if path in whole else "there is no such file"

    def programs(path: str) -> Iterable[Program]:
        loaded = [pipeline.load(Source(name, content, name), read) for name, content in folder.items()]
        return [program for program in loaded if any(file.source.path == path for file in program.files)]

    return Snapshot(Source(PATH, text, PATH), read, settings, programs=programs)


def shown(spans: Iterable[Span]) -> list[str]:
    """Each span as ``file:line:column text``."""
    return [f"{_place(span)} {span.text}".strip() for span in spans]


def _place(span: Span) -> str:
    line, column = span.source.position(span.start)
    return f"{span.source.path.removeprefix('/work/')}:{line}:{column}"


def edited(edits: Iterable[Edit]) -> dict[str, str]:
    """The texts that edits give, by file."""
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.span.source.path, []).append(edit)
    texts: dict[str, str] = {}
    for path, found in by_path.items():
        text = found[0].span.source.text
        for edit in sorted(found, key=lambda edit: edit.span.start, reverse=True):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        texts[path.removeprefix("/work/")] = text
    return texts
